import FilesinkiHTTP
import FilesinkiModel
import FilesinkiSystem

/// Where a secret is to be found: it is looked up when it is needed, and not before.
enum SecretSource: Hashable, Sendable {
    case given(Secret)
    /// The first line of a private file.
    case file(String)
    /// The first line that a command of the user's prints.
    case command(String)

    /// How long a command may take, which may have to ask the user: a minute.
    static let limit = Duration.seconds(60)

    /// Looks the secret up.
    ///
    /// - Throws: `Failure` with code `not-allowed` when there is none, or others can read it.
    func find() throws(Failure) -> Secret {
        switch self {
        case .given(let secret): return secret
        case .file(let path):
            guard let bytes = try PrivateFile(path).read() else {
                throw Self.missing(path, "The file with the secret was not found.")
            }
            return try Self.firstLine(bytes, path)
        case .command(let text):
            return try Self.run(text)
        }
    }

    private static func run(_ text: String) throws(Failure) -> Secret {
        let outcome = try UserCommand(text: text, limit: limit, inheritance: .all).run()
        switch outcome {
        case .ended(code: 0, let output): return try firstLine(output, text)
        case .ended(let code, _):
            throw missing(text, "The command for a secret failed with exit code \(code).")
        case .ranOutOfTime: throw missing(text, "The command for a secret took too long.")
        }
    }

    private static func firstLine(_ bytes: [UInt8], _ place: String) throws(Failure) -> Secret {
        var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.isEmpty, let text = String(validating: line, as: UTF8.self) else {
            throw missing(place, "No secret was found in it.")
        }
        return Secret(text)
    }

    private static func missing(_ place: String, _ message: String) -> Failure {
        Failure(
            .notAllowed, path: place, message,
            remedy: "Put the secret on its first line.")
    }
}
