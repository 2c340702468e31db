internal import CSQLite
internal import Glibc
internal import Synchronization

/// SQLite's own way to files, except that a read which the system refuses is an I/O error.
///
/// SQLite reports EIO, ENXIO and ERANGE of a read as SQLITE_CORRUPT (`unixRead` in os_unix.c), which
/// says that the bytes are wrong when none were read. Here they are SQLITE_IOERR_READ.
enum ReadErrors {
    /// The name of the way, for `sqlite3_open_v2`; nil, SQLite's own, where it cannot be registered.
    static let fileSystem: String? = register()

    private static let name = "filesinki"
    /// SQLITE_IOERR_CORRUPTFS and SQLITE_IOERR_READ, which the header gives as expressions.
    private static let corruptFileSystem = SQLITE_IOERR | 33 << 8
    private static let failedRead = SQLITE_IOERR | 1 << 8

    private typealias Read =
        @convention(c) (
            UnsafeMutablePointer<sqlite3_file>?, UnsafeMutableRawPointer?, Int32, sqlite3_int64
        ) -> Int32

    /// The methods of an open file, and the one of SQLite's own that they call.
    private struct Methods {
        /// First, so that a pointer to it is one to the whole.
        var table: sqlite3_io_methods
        var read: Read
    }

    /// The table in place of one of SQLite's own; it lasts as long as the process.
    private struct Table: @unchecked Sendable {
        let methods: UnsafePointer<sqlite3_io_methods>
    }

    /// By the address of SQLite's own, of which there is one for each way to lock a file.
    private static let tables = Mutex<[UInt: Table]>([:])

    private static func register() -> String? {
        guard let own = sqlite3_vfs_find(nil), let title = strdup(name) else { return nil }
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: own.pointee)
        vfs.pointee.pNext = nil
        vfs.pointee.zName = UnsafePointer(title)
        vfs.pointee.xOpen = { _, path, file, flags, result in
            guard let own = sqlite3_vfs_find(nil), let open = own.pointee.xOpen else {
                return SQLITE_CANTOPEN
            }
            let code = open(own, path, file, flags, result)
            if let methods = file?.pointee.pMethods {
                file?.pointee.pMethods = ReadErrors.methods(inPlaceOf: methods)
            }
            return code
        }
        // Not the default: other connections of the process keep SQLite's own.
        return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? name : nil
    }

    private static func methods(
        inPlaceOf own: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods> {
        let key = UInt(bitPattern: own)
        if let known = tables.withLock({ $0[key] }) { return known.methods }
        guard let read = own.pointee.xRead else { return own }
        let methods = UnsafeMutablePointer<Methods>.allocate(capacity: 1)
        methods.initialize(to: Methods(table: own.pointee, read: read))
        methods.pointee.table.xRead = { file, buffer, count, offset in
            guard let table = file?.pointee.pMethods else { return ReadErrors.failedRead }
            let methods = UnsafeRawPointer(table).assumingMemoryBound(to: Methods.self)
            let code = methods.pointee.read(file, buffer, count, offset)
            return code == ReadErrors.corruptFileSystem ? ReadErrors.failedRead : code
        }
        let table = Table(
            methods: UnsafeRawPointer(methods).assumingMemoryBound(to: sqlite3_io_methods.self))
        // Another thread may have made one meanwhile; both do the same.
        tables.withLock { $0[key] = table }
        return table.methods
    }
}
