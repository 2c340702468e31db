package import FilesinkiModel
internal import FilesinkiSystem
internal import Glibc

/// The manifest's file as a file: whether it is there, and how it comes and goes.
struct ManifestFile {
    let path: [UInt8]

    init(_ path: [UInt8]) { self.path = path }

    /// Sees to it that there is a file to open.
    ///
    /// - Throws: `Failure` with code `not-found` when there is none and none is to be made.
    func ensure(create: Bool) throws(Failure) {
        let flags = create ? O_RDONLY | O_CREAT : O_RDONLY
        // SQLite gives the files beside it the same mode.
        do { try FileHandle(path, flags, mode: 0o600).close() } catch {
            guard error.number != ENOENT || create else {
                throw Failure(
                    .notFound, path: path, "No manifest was found.",
                    remedy: "Create a replica with filesinki init or filesinki clone.")
            }
            throw error.failure("open the manifest", path)
        }
    }

    /// Moves the file and those that SQLite keeps beside it to names that end in `-damaged`, in
    /// place of older ones.
    ///
    /// The WAL goes first: a database without its WAL is an older one, but a WAL without its
    /// database would be taken for the next one's.
    func setAside() throws(Failure) {
        let aside = path + Array("-damaged".utf8)
        for suffix in ["-wal", "-shm", ""] {
            let from = path + Array(suffix.utf8)
            let to = aside + Array(suffix.utf8)
            if from.withCString({ from in to.withCString { rename(from, $0) } }) == 0 { continue }
            let error = SystemError.last
            guard error.number == ENOENT else {
                throw error.failure("set the manifest aside", path)
            }
            _ = to.withCString { unlink($0) }
        }
    }
}

extension ManifestDatabase {
    /// Moves a damaged manifest and the files SQLite keeps beside it to names that end in
    /// `-damaged`, so that a new one can be made. No manifest at `path` may be open.
    package static func setAside(_ path: [UInt8]) throws(Failure) {
        try ManifestFile(path).setAside()
    }

    /// Moves a damaged manifest whose path is text, as ``setAside(_:)`` does.
    package static func setAside(_ path: String) throws(Failure) {
        try setAside(Array(path.utf8))
    }
}
