package import FilesinkiModel
internal import FilesinkiSystem
internal import Glibc

extension Connection where Thrown == Failure {
    /// Opens a file of the program's own to read, also one on a disk that is mounted read-only, or is full, where SQLite can make
    /// neither the log nor the index of the log that it wants beside the file.
    ///
    /// There the file is read as it lies on the disk, without locks. That is all of it if its log is empty, as the last
    /// connection leaves it: one that is open has made both. With a log, the file alone may be half of a transaction: that is refused.
    ///
    /// - Throws: What ``init(_:_:)`` throws; `Failure` with code `io` for a file with a log that cannot be read there.
    package static func toRead(
        _ path: [UInt8], _ profile: Profile<Failure>
    ) throws(Failure) -> Connection {
        do throws(Failure) {
            let connection = try Connection(path, profile)
            // SQLite opens the log with the first read. This one reads the header only.
            _ = try connection.number("PRAGMA schema_version")
            return connection
        } catch {
            let isReadOnly = isOnReadOnlyDisk(path)
            guard error.code == .io, isReadOnly || isOnFullDisk(path) else { throw error }
            guard !hasLog(path) else {
                throw isReadOnly
                    ? SystemError(EROFS).failure("read it together with its log", path) : error
            }
            var atRest = profile
            atRest.isImmutable = true
            return try Connection(path, atRest)
        }
    }

    /// Opens a file whose path is text, as ``toRead(_:_:)`` does.
    package static func toRead(
        _ path: String, _ profile: Profile<Failure>
    ) throws(Failure) -> Connection {
        try toRead(Array(path.utf8), profile)
    }

    private static func isOnReadOnlyDisk(_ path: [UInt8]) -> Bool {
        path.withCString { access($0, W_OK) } != 0 && errno == EROFS
    }

    /// Whether the disk has no room for the index of a log.
    private static func isOnFullDisk(_ path: [UInt8]) -> Bool {
        var disk = statvfs()
        guard path.withCString({ statvfs($0, &disk) }) == 0 else { return false }
        return UInt64(disk.f_bavail) * UInt64(disk.f_frsize) < 64 << 10
    }

    /// Whether a log lies beside the file that is not empty.
    private static func hasLog(_ path: [UInt8]) -> Bool {
        var status = stat()
        return (path + Array("-wal".utf8)).withCString { stat($0, &status) } == 0
            && status.st_size > 0
    }
}
