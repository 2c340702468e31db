internal import CSQLite
internal import Glibc
internal import Synchronization

/// A VFS: SQLite's own, except that a read which the system refuses is an I/O error.
///
/// SQLite reports EIO, ENXIO and ERANGE of a read as SQLITE_CORRUPT (`unixRead` in os_unix.c), as if
/// wrong bytes had been read. This VFS reports SQLITE_IOERR_READ, so that a failing disk does not
/// make a sound manifest look damaged.
enum StrictReads {
    /// The name of the VFS, for `sqlite3_open_v2`; nil, SQLite's own, when it cannot be registered.
    static let fileSystem: String? = register()

    private static let name = "filesinki"
    /// SQLITE_IOERR_CORRUPTFS and SQLITE_IOERR_READ, which the header gives as expressions.
    private static let corruptFileSystem = SQLITE_IOERR | 33 << 8
    private static let failedRead = SQLITE_IOERR | 1 << 8

    private typealias Read =
        @convention(c) (
            UnsafeMutablePointer<sqlite3_file>?, UnsafeMutableRawPointer?, Int32, sqlite3_int64
        ) -> Int32

    /// The methods of an open file, and SQLite's own read, which they call.
    private struct Methods {
        /// First, so that a pointer to it is one to the whole.
        var table: sqlite3_io_methods
        var read: Read
    }

    /// A table that replaces one of SQLite's own; it is never freed.
    private struct Table: @unchecked Sendable {
        let methods: UnsafePointer<sqlite3_io_methods>
    }

    /// By the address of SQLite's own table, of which there is one for each locking style.
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
                file?.pointee.pMethods = StrictReads.methods(inPlaceOf: methods)
            }
            return code
        }
        // Not as the default: other connections of the process keep SQLite's own.
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
            guard let table = file?.pointee.pMethods else { return StrictReads.failedRead }
            let methods = UnsafeRawPointer(table).assumingMemoryBound(to: Methods.self)
            let code = methods.pointee.read(file, buffer, count, offset)
            return code == StrictReads.corruptFileSystem ? StrictReads.failedRead : code
        }
        let table = Table(
            methods: UnsafeRawPointer(methods).assumingMemoryBound(to: sqlite3_io_methods.self))
        // Another thread may have stored one meanwhile; both do the same.
        tables.withLock { $0[key] = table }
        return table.methods
    }
}
