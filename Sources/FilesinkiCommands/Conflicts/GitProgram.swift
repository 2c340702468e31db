import FilesinkiModel
import FilesinkiSystem
import Glibc

/// git, as a program that is run.
struct GitProgram {
    private let environment: [String: String]
    /// The folder that git runs in; nil for the one of this process.
    private let folder: String?

    init(_ environment: [String: String], in folder: String? = nil) {
        self.environment = environment
        self.folder = folder
    }

    /// The most that is read of what git prints, in bytes.
    private static let limit = 64 << 10
    /// What env(1) exits with if there is no such program.
    static let missing: Int32 = 127

    /// Runs git without input.
    ///
    /// - Returns: Its exit code, and what it prints; nil for more than 64 KiB.
    func run(_ words: [String]) throws(SystemError) -> (code: Int32, output: [UInt8]?) {
        let nothing = "/dev/null"
        let place = folder.map { ["-C", $0] } ?? []
        let git = ChildProcess(
            "/usr/bin/env", (["env", "git"] + place + words).map { Array($0.utf8) },
            environment: environment.map { Array("\($0.key)=\($0.value)".utf8) },
            streams: [
                STDIN_FILENO: .file(nothing, flags: O_RDONLY, mode: 0),
                STDERR_FILENO: .file(nothing, flags: O_WRONLY, mode: 0),
            ])
        return try git.collectOutput(limit: Self.limit)
    }

    /// The line that git prints; nil if it fails or prints nothing.
    func line(_ words: [String]) throws(SystemError) -> String? {
        let (code, output) = try run(words)
        guard code == 0, let output, let text = String(validating: output, as: UTF8.self) else {
            return nil
        }
        let line = text.hasSuffix("\n") ? text.dropLast() : text[...]
        return line.isEmpty ? nil : String(line)
    }
}

/// The settings of git, if git is installed.
struct GitSettings {
    private let git: GitProgram

    init(_ environment: [String: String]) { git = GitProgram(environment) }

    /// The value of a setting; nil if it is not set, or there is no git.
    ///
    /// - Parameter isBool: Whether git prints it as `true` or `false`.
    func value(_ key: String, isBool: Bool = false) throws(Failure) -> String? {
        let words = ["config"] + (isBool ? ["--type=bool"] : []) + ["--get", key]
        return try SystemError.reported("read git's settings", key.utf8) {
            () throws(SystemError) in try git.line(words)
        }
    }
}
