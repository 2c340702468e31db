internal import FilesinkiModel
internal import FilesinkiSQLite
internal import FilesinkiSystem
internal import Glibc

/// The file of one key-value store: how it is created and opened.
enum KeyValueFile {
    /// In the header (`PRAGMA application_id`): "fskv".
    private static let application: Int64 = 0x6673_6B76
    private static let version: Int64 = 1

    private static let purpose = FilePurpose(
        name: "key-value file",
        damageRemedy: "Move it away and run filesinki kv sync; what was published comes back.")

    /// A commit is on disk when it returns; a large transaction leaves no large WAL behind.
    private static let pragmas =
        "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 1048576"

    /// Opens the file to read and write, and creates it when it is missing.
    static func open(_ path: String, chance: [UInt8]) throws(Failure) -> OwnConnection {
        if access(path, F_OK) != 0 { try create(path, chance: chance) }
        let connection = try OwnConnection(path, .own(.writing, purpose))
        try check(connection)
        try connection.execute(pragmas)
        return connection
    }

    /// Opens the file to read; nil when it is missing.
    static func openToRead(_ path: String) throws(Failure) -> OwnConnection? {
        guard access(path, F_OK) == 0 else { return nil }
        let connection = try OwnConnection(path, .own(.reading, purpose))
        try check(connection)
        return connection
    }

    /// Creates the file under a temporary name, and links it once it is complete: of several processes
    /// that create it at once, one wins, and the others open its file.
    private static func create(_ path: String, chance: [UInt8]) throws(Failure) {
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

    private static func fill(_ path: String, chance: [UInt8]) throws(Failure) {
        let connection = try OwnConnection(path, .own(.writing, purpose))
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        try connection.transaction { () throws(Failure) in
            try connection.execute(String(decoding: PackageResources.key_values_sql, as: UTF8.self))
            let feed = try connection.prepare(
                "INSERT INTO setting (key, value) VALUES ('feed', ?)")
            chance.prefix(8).withUnsafeBytes { feed.bind($0, at: 1) }
            try feed.execute()
            try connection.execute(
                "PRAGMA application_id = \(application); PRAGMA user_version = \(version)")
        }
    }

    private static func check(_ connection: OwnConnection) throws(Failure) {
        guard try connection.number("PRAGMA application_id") == application else {
            throw connection.corrupt("its header is not that of a key-value file")
        }
        let found = try connection.number("PRAGMA user_version")
        guard found <= version else {
            throw Failure(
                .newerFormat, path: connection.path,
                "The key-value file has version \(found); this program supports up to \(version).",
                remedy: "Use the newer version of filesinki that wrote it.")
        }
    }

    /// Creates the folder of key-value files in a replica's state folder.
    static func makeFolder(_ path: String) throws(Failure) {
        try StateFile.makeFolder(path)
    }
}
