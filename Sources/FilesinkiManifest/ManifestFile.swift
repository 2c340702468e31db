package import FilesinkiModel
internal import Glibc

/// The manifest's file as a file: whether it is there, and how it comes and goes.
struct ManifestFile {
    let path: [UInt8]

    init(_ path: [UInt8]) { self.path = path }

    /// Sees to it that there is a file to open.
    ///
    /// - Throws: `Failure` with code `not-found` when there is none and none is to be made.
    func ensure(create: Bool) throws(Failure) {
        let flags = create ? O_RDONLY | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC
        // SQLite gives the files beside it the same mode.
        let descriptor = withName(path) { open($0, flags, 0o600) }
        guard descriptor < 0 else {
            close(descriptor)
            return
        }
        let number = errno
        guard number != ENOENT || create else {
            throw Failure(
                .notFound, path: path, "No manifest was found.",
                remedy: "Make a replica with filesinki init or filesinki clone.")
        }
        throw refusal(number, "could not be opened")
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
            if withName(from, { from in withName(to) { rename(from, $0) } }) == 0 { continue }
            let number = errno
            guard number == ENOENT else { throw refusal(number, "could not be set aside") }
            _ = withName(to) { unlink($0) }
        }
    }

    private func refusal(_ number: Int32, _ deed: String) -> Failure {
        Failure(
            number == ENOSPC || number == EDQUOT ? .full : .io, path: path,
            "The manifest \(deed): \(String(cString: strerror(number))).",
            remedy: "Check the permissions of its folder and the disk.")
    }

    private func withName<Result>(
        _ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        (name.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            // The buffer holds at least the NUL, so that it has an address.
            buffer.baseAddress.map(body) ?? body("")
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
