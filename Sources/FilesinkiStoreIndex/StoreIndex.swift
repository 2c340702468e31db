import FilesinkiEngine
package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiSQLite
import FilesinkiStore

/// A store as pages show it: what its log says, by path, by commit and by day.
///
/// The index is a file beside the store. Each call first adds the commits that are new, so that it costs as much as
/// they changed; what it reads then does not grow with the history, the tree or the store.
package actor StoreIndex {
    /// The zone that is shown.
    package static let zone = Zone.filesName
    /// The prefix of the keys that each commit creates.
    package static let watchedPrefix = "zones/\(zone)/log/"

    private let remote: any Remote
    /// The folder of the index and of the copies of pack indexes.
    private let folder: String
    private var database: IndexDatabase?
    /// Reads the log for all calls that wait for it.
    private var reading: Task<Reading, any Error>?
    private var connected: (store: KnownStore, log: CommitLog)?
    /// The packs as of a commit.
    private var packs: (sequence: Int64, locator: ContentLocator)?

    /// How far the index has read.
    enum Reading: Sendable {
        /// To the end of the log.
        case complete
        /// There is more to read than a call waits for.
        case partial
        /// The store is encrypted: there is nothing to read without its key.
        case encrypted
    }

    /// The most commits that one call reads before it answers.
    private static let commitsPerCall = 4096
    /// The most commits, and changes, of one transaction.
    private static let commitsPerBatch = 64
    private static let changesPerBatch = 4096

    /// - Parameters:
    ///   - remote: Only read.
    ///   - folder: The absolute path of a folder for the index. It is created when it is needed.
    package init(_ remote: any Remote, folder: String) {
        self.remote = remote
        self.folder = folder
    }

    private var path: String { folder + "/files.sqlite" }

    // MARK: Reading the log

    /// Calls `body` with the index, after it has read what is new.
    ///
    /// - Throws: Code `not-found` if there is no store, `wrong-store`, `corrupt` and `newer-format` if its log cannot be
    ///   read; the failures of the file.
    func read<Result>(
        _ body: (IndexDatabase, Reading) throws(Failure) -> Result
    ) async throws -> Result {
        for attempt in 0... {
            do {
                let reading = try await readLog()
                let database = try opened()
                return try database.connection.snapshot { () throws(Failure) in
                    try body(database, reading)
                }
            } catch let failure as Failure
                where failure.code == .corrupt && failure.path == Array(path.utf8) && attempt == 0
            {
                // The file is damaged, or of another version. Everything in it is in the log.
                (database, packs) = (nil, nil)
                IndexDatabase.remove(path)
            }
        }
        throw Failure(.io, path: path, "The index cannot be read.", remedy: "Try again.")
    }

    private func opened() throws(Failure) -> IndexDatabase {
        if let database { return database }
        let opened = try IndexDatabase(path)
        database = opened
        return opened
    }

    private func readLog() async throws -> Reading {
        if let reading { return try await reading.value }
        let task = Task { try await self.readNewCommits() }
        reading = task
        defer { reading = nil }
        return try await task.value
    }

    private func readNewCommits() async throws -> Reading {
        guard let format = try await StoreFormat.read(from: remote) else {
            throw Failure(
                .notFound, path: remote.address, "There is no store yet.",
                remedy: "Connect a replica first.")
        }
        guard format.keyFingerprint == nil else { return .encrypted }
        let store = KnownStore(format)
        if connected?.store != store {
            connected = (store, try CommitLog(remote: remote, zone: Self.zone, store: format))
        }
        guard let log = connected?.log else { return .partial }
        do {
            return try await readCommits(of: log, store)
        } catch let failure as Failure
            where [.wrongStore, .tokenExpired].contains(failure.code)
        {
            // The store was replaced or restored: its log is read from the start.
            guard try opened().position() != nil else { throw failure }
            try opened().clear()
            packs = nil
            return try await readCommits(of: log, store)
        }
    }

    private func readCommits(of log: CommitLog, _ store: KnownStore) async throws -> Reading {
        let database = try opened()
        var known = try database.position()
        if let other = known?.store, other != store {
            try database.clear()
            packs = nil
            known = nil
        }
        let start = known?.position ?? LogPosition(log.genesis)
        var reader = LogReader(log, after: start.token, storedHeader: start.storedHeader)
        if start.token.sequence > 0 { try await reader.prove() }
        let writer = IndexWriter(database: database)
        var batch: [IndexedCommit] = []
        var (count, changes) = (0, 0)
        var sequence = start.token.sequence
        while count < Self.commitsPerCall, let commit = try await reader.next() {
            count += 1
            changes += commit.changes.count + commit.superseded.count
            batch.append(IndexedCommit(commit))
            if batch.count == Self.commitsPerBatch || changes >= Self.changesPerBatch {
                try writer.add(batch, after: sequence, of: store)
                sequence = batch.last?.sequence ?? sequence
                (batch, changes) = ([], 0)
            }
        }
        try writer.add(batch, after: sequence, of: store)
        return count < Self.commitsPerCall ? .complete : .partial
    }

    // MARK: Contents

    /// The content that a version of a path has.
    ///
    /// - Throws: Code `not-found` if there is no such version, or its content is gone.
    package func content(of path: RelativePath, version: UInt64) async throws -> StoredContent {
        let found = try await read { database, _ throws(Failure) in
            guard let file = try VersionPages(database).file(path, version) else {
                throw Failure(
                    .notFound, path: path.bytes, "Version \(version) was not found.",
                    remedy: "Reload the page.")
            }
            return (file, try database.commit(of: file.content))
        }
        guard let log = connected?.log else { throw Failure.noContent(path) }
        var bytes: [UInt8]?
        if let sequence = found.1 {
            bytes = try await log.read(sequence)?.inlineContent(found.0.content)
        }
        return try await StoredContent(
            found.0.content, size: found.0.size, bytes: bytes, in: try locator())
    }

    /// Where contents are. The list of packs is read again when the log has grown.
    private func locator() throws -> ContentLocator {
        let database = try opened()
        let sequence = try database.number("sequence")
        if let packs, packs.sequence == sequence { return packs.locator }
        let cache = IndexFolder(path: folder + "/indexes")
        let readers = try database.packs().map {
            PackReader(remote: remote, reference: $0, cache: cache)
        }
        let locator = ContentLocator(
            packs: readers, joined: MultiPackIndex(folder: folder + "/indexes/joined"))
        packs = (sequence, locator)
        return locator
    }
}

extension IndexDatabase {
    /// The number of the commit that a content lies in; nil for one in packs.
    fileprivate func commit(of content: ContentID) throws(Failure) -> UInt64? {
        let statement = try cache.statement("SELECT sequence FROM inline WHERE content = ?")
        defer { statement.reset() }
        statement.bind(.blob(content.bytes), at: 1)
        return try statement.step() ? UInt64(clamping: statement.integer(0)) : nil
    }

    /// The packs in the order of their commits.
    fileprivate func packs() throws(Failure) -> [PackReference] {
        let statement = try cache.statement(
            "SELECT identity, size, index_hash FROM pack ORDER BY id")
        defer { statement.reset() }
        var packs: [PackReference] = []
        while try statement.step() {
            guard let hash = ContentID(statement.bytes(2)) else {
                throw connection.corrupt("a pack has no hash")
            }
            packs.append(
                PackReference(
                    id: Array(statement.bytes(0)), size: statement.integer(1), indexHash: hash))
        }
        return packs
    }
}

extension Failure {
    fileprivate static func noContent(_ path: RelativePath) -> Failure {
        Failure(
            .notFound, path: path.bytes, "There is nothing to show of an encrypted store.",
            remedy: "Use filesinki ui on a device that has its key."
        )
        .forOtherDevice
    }
}
