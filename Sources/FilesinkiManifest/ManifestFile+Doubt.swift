package import FilesinkiModel
internal import FilesinkiSystem
internal import Glibc

extension ManifestDatabase {
    /// Whether damage was met in the manifest since it was last found sound.
    package static func isDoubted(_ path: String) -> Bool { access(mark(path), F_OK) == 0 }

    /// Says that damage was met: whoever opens the manifest next reads all of it first.
    static func doubt(_ path: [UInt8]) {
        let mark = mark(String(decoding: path, as: UTF8.self))
        // A folder that cannot be written keeps no mark; its next writer meets the damage itself.
        try? FileHandle(mark, O_WRONLY | O_CREAT, mode: 0o600).close()
    }

    /// Takes back what ``isDoubted(_:)`` says.
    package static func clearDoubt(_ path: String) { unlink(mark(path)) }

    /// Reads every row that carries a check.
    ///
    /// - Throws: `Failure` with code `corrupt` when one is damaged or missing.
    package func verify() throws(Failure) {
        _ = try base.rows()
        _ = try local.rows()
        _ = try remote.rows()
        _ = try tombstone.rows()
        _ = try pack.rows()
        _ = try inline.rows()
        _ = try conflicts()
        _ = try token
    }

    private static func mark(_ path: String) -> String { path + "-doubted" }
}
