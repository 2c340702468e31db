internal import FilesinkiModel
package import FilesinkiSQLite
internal import FilesinkiSystem
internal import Glibc

/// The file of a kind of items: its header and its tables.
package struct ItemFileFormat: Sendable {
    /// In the header (`PRAGMA application_id`).
    package var application: Int64
    /// The version that this program writes.
    package var version: Int64
    package var purpose: FilePurpose
    /// The SQL of the kind's tables beside those of ``ItemFile``; empty for none.
    package var schema: [UInt8]

    package init(application: Int64, version: Int64, purpose: FilePurpose, schema: [UInt8] = []) {
        self.application = application
        self.version = version
        self.purpose = purpose
        self.schema = schema
    }
}

/// The file of one zone of items: how it is created, opened and brought up to date.
struct ItemFile<Kind: ItemKind> {
    private let format = Kind.file

    /// A commit is on disk when it returns; a large transaction leaves no large WAL behind.
    private static var pragmas: String {
        "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 1048576"
    }

    /// Opens the file to read and write, and creates it when it is missing.
    func open(_ path: String, chance: [UInt8]) throws(Failure) -> OwnConnection {
        if access(path, F_OK) != 0 { try create(path, chance: chance) }
        return try openToWrite(path)
    }

    private func openToWrite(_ path: String) throws(Failure) -> OwnConnection {
        let connection = try OwnConnection(path, .own(.writing, format.purpose))
        let found = try version(of: connection)
        try connection.execute(Self.pragmas)
        if found < format.version { try update(connection) }
        return connection
    }

    /// Opens the file to read; nil when it is missing. A file of an older version is brought up to date
    /// first.
    func openToRead(_ path: String) throws(Failure) -> OwnConnection? {
        guard access(path, F_OK) == 0 else { return nil }
        let connection = try OwnConnection.toRead(path, .own(.reading, format.purpose))
        guard try version(of: connection) < format.version else { return connection }
        _ = try openToWrite(path)
        return try OwnConnection.toRead(path, .own(.reading, format.purpose))
    }

    /// Creates the file under a temporary name, and links it once it is complete: of several processes
    /// that create it at once, one wins, and the others open its file.
    private func create(_ path: String, chance: [UInt8]) throws(Failure) {
        let staged = path + "." + hexadecimal(chance) + ".new"
        _ = try NamedFile(staged, O_RDWR | O_CREAT | O_EXCL, of: .own)
        defer { unlink(staged) }
        try fill(staged, chance: chance)
        guard link(staged, path) == 0 || errno == EEXIST else {
            throw SystemError.last.failure("create the file", path)
        }
        try SystemError.reported("sync the folder", path.utf8) { () throws(SystemError) in
            try FileHandle.syncFolder(of: path.utf8)
        }
    }

    private func fill(_ path: String, chance: [UInt8]) throws(Failure) {
        let connection = try OwnConnection(path, .own(.writing, format.purpose))
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        try connection.transaction { () throws(Failure) in
            try connection.execute(ItemTables.items)
            try connection.execute(ItemTables.rest)
            try connection.execute(String(decoding: format.schema, as: UTF8.self))
            let feed = try connection.prepare(
                "INSERT INTO setting (key, value) VALUES ('feed', ?)")
            chance.prefix(8).withUnsafeBytes { feed.bind($0, at: 1) }
            try feed.execute()
            try connection.execute(
                """
                PRAGMA application_id = \(format.application);
                PRAGMA user_version = \(format.version)
                """)
        }
    }

    /// Several processes may do this at once: all but the first find it done.
    private func update(_ connection: OwnConnection) throws(Failure) {
        try connection.transaction { () throws(Failure) in
            let found = try version(of: connection)
            guard found < format.version else { return }
            try Kind.migrate(connection, from: found)
            try connection.execute("PRAGMA user_version = \(format.version)")
        }
    }

    /// The file's version.
    ///
    /// - Throws: `Failure` with code `corrupt` for another file, `newer-format` for a newer one.
    private func version(of connection: OwnConnection) throws(Failure) -> Int64 {
        let name = format.purpose.name
        guard try connection.number("PRAGMA application_id") == format.application else {
            throw connection.corrupt("its header is not that of a \(name)")
        }
        let found = try connection.number("PRAGMA user_version")
        guard found <= format.version else {
            throw Failure(
                .newerFormat, path: connection.path,
                "The \(name) has version \(found); this program supports up to "
                    + "\(format.version).",
                remedy: "Use the newer version of filesinki that wrote it.")
        }
        return found
    }
}

/// The SQL that creates the tables.
package enum ItemTables {
    /// The tables of items.
    package static var items: String { String(decoding: PackageResources.items_sql, as: UTF8.self) }

    /// What a zone keeps if its items name assets.
    package static var assets: [UInt8] { PackageResources.assets_sql }

    /// What a zone keeps besides.
    static var rest: String { String(decoding: PackageResources.zone_sql, as: UTF8.self) }
}
