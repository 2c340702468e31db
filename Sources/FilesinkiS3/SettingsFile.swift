import FilesinkiModel
import FilesinkiSystem
import Glibc

/// A file of AWS's settings or credentials, which others may read unless it holds a secret.
struct SettingsFile: Sendable {
    let path: String
    /// Empty where there is no file.
    let text: String
    private let mode: mode_t

    /// Reads the file; one that is not there is empty.
    ///
    /// - Throws: `Failure`: `not-allowed` when it belongs to another user or is not a regular file, `io`,
    ///   `limit`.
    init(_ path: String) throws(Failure) {
        let content = try PrivateFile(path).readWithMode()
        self.path = path
        text = String(decoding: content?.bytes ?? [], as: UTF8.self)
        mode = content?.mode ?? 0
    }

    /// Refuses to take a secret from a file that other users can read.
    func demandPrivate() throws(Failure) {
        guard mode & 0o077 != 0 else { return }
        throw Failure(
            .notAllowed, path: path, "Other users can read or change this file of secrets.",
            remedy: "Run chmod 600 on it; if it was so for long, make new keys.")
    }

    /// Refuses to run a command that other users can have written.
    func demandOwnWords() throws(Failure) {
        guard mode & 0o022 != 0 else { return }
        throw Failure(
            .notAllowed, path: path, "Other users can change the command in this file.",
            remedy: "Run chmod go-w on it.")
    }
}
