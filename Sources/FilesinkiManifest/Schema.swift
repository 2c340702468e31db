internal import FilesinkiModel
internal import FilesinkiSQLite

/// The layout of the tables: how it is created, and how an older one is migrated.
struct Schema {
    /// The number in the file's header (`PRAGMA user_version`); 1 is the first.
    let version: Int64
    /// The SQL that creates the tables of this version in an empty file.
    let creation: [UInt8]
    /// The SQL that migrates from the previous version, by the version it leads to.
    let migrations: [Int64: [UInt8]]

    /// What this program writes.
    static let current = Schema(
        version: 1, creation: PackageResources.schema_sql, migrations: [:])

    /// Marks a manifest in the file's header (`PRAGMA application_id`): "fsnk".
    static let application: Int64 = 0x6673_6E6B

    /// The state of a file's schema.
    enum State: Equatable {
        case empty
        case current
        case older(Int64)
    }

    /// Reads the header.
    ///
    /// - Throws: `Failure` with code `newer-format` for a version that this program does not know,
    ///   `corrupt` for a file that is not a manifest.
    func state(of connection: OwnConnection) throws(Failure) -> State {
        let application = try connection.number("PRAGMA application_id")
        let found = try connection.number("PRAGMA user_version")
        if application == 0, found == 0,
            try connection.number("SELECT count(*) FROM sqlite_schema") == 0
        {
            return .empty
        }
        guard application == Self.application, found >= 1 else {
            throw connection.corrupt("its header is not that of a manifest")
        }
        if found == version { return .current }
        if found < version { return .older(found) }
        throw Failure(
            .newerFormat, path: connection.path,
            "The manifest has version \(found); this program supports up to \(version).",
            remedy: "Use the newer version of filesinki that wrote it.")
    }

    /// Creates the tables of an empty file, or migrates an older one, in one transaction.
    func bringUp(_ connection: OwnConnection) throws(Failure) {
        // Readers do not block on a writer; the mode is kept in the file.
        if try state(of: connection) == .empty {
            try connection.execute("PRAGMA journal_mode = WAL")
        }
        try connection.transaction { () throws(Failure) in
            // Another process may have been faster.
            switch try state(of: connection) {
            case .empty: try connection.execute(String(decoding: creation, as: UTF8.self))
            case .older(let found): try migrate(from: found, connection)
            case .current: break
            }
            try connection.execute(
                "PRAGMA application_id = \(Self.application); PRAGMA user_version = \(version)")
        }
    }

    private func migrate(from found: Int64, _ connection: OwnConnection) throws(Failure) {
        for step in (found + 1)...version {
            guard let sql = migrations[step] else {
                throw Failure(
                    .corrupt, path: connection.path,
                    "Cannot migrate the manifest from version \(found) to version \(version).",
                    remedy: "It is rebuilt from the store's log by the next sync; no file is lost.")
            }
            try connection.execute(String(decoding: sql, as: UTF8.self))
        }
    }
}
