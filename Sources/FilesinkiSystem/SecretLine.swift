package import FilesinkiModel
import Glibc

/// Reads a secret where the user keeps it: the first line of a private file, or of what a command prints.
package enum SecretLine {
    /// The time limit of a command, which may have to ask the user: a minute.
    package static let limit = Duration.seconds(60)

    /// The first line of a file that only its owner can read.
    ///
    /// - Throws: `Failure` with code `not-allowed` when it is missing, or other users can read it.
    package static func read(file path: String) throws(Failure) -> String {
        guard let bytes = try PrivateFile(path).read() else {
            throw missing(path, "The secret file was not found.", remedy: "Check its path.")
        }
        return try firstLine(bytes, path)
    }

    /// The first line that a command prints.
    ///
    /// - Throws: `Failure` with code `not-allowed` when the command fails or prints nothing.
    package static func read(command text: String) throws(Failure) -> String {
        let outcome = try UserCommand(text: text, limit: limit, inheritance: .all).run()
        switch outcome {
        case .ended(code: 0, let output): return try firstLine(output, text)
        case .ended(let code, _):
            throw missing(text, "The credentials command failed with exit code \(code).")
        case .ranOutOfTime: throw missing(text, "The credentials command timed out.")
        }
    }

    /// The next line that is typed at a terminal, which does not show it.
    ///
    /// - Parameter descriptor: The terminal. What is not a terminal is read without a change of its settings.
    /// - Returns: Nil at the end of the input, and for a line of more than 4,096 bytes.
    package static func read(terminal descriptor: Int32) -> String? {
        var settings = termios()
        let isTerminal = tcgetattr(descriptor, &settings) == 0
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        if isTerminal { tcsetattr(descriptor, TCSAFLUSH, &silent) }
        defer { if isTerminal { tcsetattr(descriptor, TCSAFLUSH, &settings) } }
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < longestLine {
            let count = withUnsafeMutableBytes(of: &byte) { buffer in
                (try? FileHandle.read(descriptor, into: buffer)) ?? 0
            }
            if count == 0 { return nil }
            if byte == UInt8(ascii: "\n") { return String(validating: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// The longest line that a terminal hands over, in bytes.
    private static let longestLine = 4096

    private static func firstLine(_ bytes: [UInt8], _ source: String) throws(Failure) -> String {
        var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.isEmpty, let text = String(validating: line, as: UTF8.self) else {
            throw missing(source, "The first line is empty or not UTF-8.")
        }
        return text
    }

    private static func missing(
        _ source: String, _ message: String, remedy: String = "Its first line must be the secret."
    ) -> Failure {
        Failure(.notAllowed, path: source, message, remedy: remedy).about(.noAccount)
    }
}
