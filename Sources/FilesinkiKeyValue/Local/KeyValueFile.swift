internal import FilesinkiModel
internal import FilesinkiSQLite
internal import Glibc

/// The file of one key-value store: how it is made and opened.
enum KeyValueFile {
    /// In the header (`PRAGMA application_id`): "fskv".
    private static let application: Int64 = 0x6673_6B76
    private static let version: Int64 = 1

    private static let purpose = FilePurpose(
        name: "key-value file",
        whenDamaged: "Move it away and run filesinki kv sync; what was published comes back.")

    private static let habits = """
        PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL;
        PRAGMA journal_size_limit = 1048576;
        """

    /// Opens the file to read and write; it is made when it is not there.
    static func open(_ path: String, chance: [UInt8]) throws(Failure) -> Connection {
        if access(path, F_OK) != 0 { try make(path, chance: chance) }
        let connection = try Connection(path: Array(path.utf8), mode: .writing, purpose: purpose)
        try check(connection)
        try connection.run(habits)
        return connection
    }

    /// Opens the file to read; nil when it is not there.
    static func openToRead(_ path: String) throws(Failure) -> Connection? {
        guard access(path, F_OK) == 0 else { return nil }
        let connection = try Connection(path: Array(path.utf8), mode: .reading, purpose: purpose)
        try check(connection)
        return connection
    }

    /// Makes the file beside its place and gives it its name once it is whole: of several processes
    /// that do so at once, one wins, and the others open its file.
    private static func make(_ path: String, chance: [UInt8]) throws(Failure) {
        let staged = path + "." + hexadecimal(chance) + ".new"
        let descriptor = Glibc.open(staged, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw refused(path, "made") }
        close(descriptor)
        defer { unlink(staged) }
        try fill(staged, chance: chance)
        guard link(staged, path) == 0 || errno == EEXIST else { throw refused(path, "made") }
        try syncFolder(of: path)
    }

    private static func fill(_ path: String, chance: [UInt8]) throws(Failure) {
        let connection = try Connection(path: Array(path.utf8), mode: .writing, purpose: purpose)
        try connection.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        try connection.run("BEGIN IMMEDIATE")
        try connection.run(String(decoding: PackageResources.key_values_sql, as: UTF8.self))
        let feed = try Statement(
            "INSERT INTO setting (key, value) VALUES ('feed', ?)", on: connection)
        chance.prefix(8).withUnsafeBytes { feed.bind($0, at: 1) }
        try feed.run()
        try connection.run(
            "PRAGMA application_id = \(application); PRAGMA user_version = \(version); COMMIT")
    }

    private static func check(_ connection: Connection) throws(Failure) {
        guard try connection.number("PRAGMA application_id") == application else {
            throw connection.corrupt("its header is not that of a key-value file")
        }
        let found = try connection.number("PRAGMA user_version")
        guard found <= version else {
            throw Failure(
                .newerFormat, path: connection.path,
                "The key-value file has version \(found), and this program knows \(version).",
                remedy: "Use the newer filesinki that wrote it.")
        }
    }

    private static func syncFolder(of path: String) throws(Failure) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refused(folder, "opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw refused(folder, "synced") }
    }

    /// Makes the folder of key-value files in a replica's state folder.
    static func makeFolder(_ path: String) throws(Failure) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw refused(path, "made") }
    }

    private static func refused(_ path: String, _ deed: String) -> Failure {
        let number = errno
        return Failure(
            number == ENOSPC || number == EDQUOT ? .full : .io, path: path,
            "It could not be \(deed): \(String(cString: strerror(number))).",
            remedy: "Check the permissions of its folder and the disk.")
    }
}
