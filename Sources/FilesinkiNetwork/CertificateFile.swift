import FilesinkiModel
import Glibc

/// A file of certificates that a user names: public, so that anybody may read it.
enum CertificateFile {
    /// More than the certificates of whole systems, in bytes: 512 KiB.
    private static let limit = 512 << 10

    /// The file's text.
    ///
    /// - Throws: `Failure` with code `usage` when it cannot be read, or holds no text.
    static func text(_ path: String) throws(Failure) -> String {
        guard let file = fopen(path, "re") else { throw unreadable(path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= limit {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard ferror(file) == 0, bytes.count <= limit,
            let text = String(validating: bytes, as: UTF8.self)
        else { throw unreadable(path) }
        return text
    }

    private static func unreadable(_ path: String) -> Failure {
        Failure(
            .usage, path: path, "These certificates cannot be read.",
            remedy: "Name a file of certificates in PEM form.")
    }
}
