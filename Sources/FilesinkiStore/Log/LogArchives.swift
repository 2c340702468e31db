package import FilesinkiModel
package import FilesinkiRemote
import Synchronization

/// The archives of one zone's log: objects that hold old commits, which then need no slots.
///
/// An archive begins with commit 1 or directly after the last commit of another archive, and archives
/// are never removed. So a commit is archived if and only if there is an archive whose last commit is
/// the same or a later one, and of these the first in the order of keys holds it.
///
/// **What a slot holds counts only if no archive held its number after the slot was read.** The slot of
/// an archived commit is removed, and a device that has not noticed may then fill it again.
struct LogArchives: Sendable {
    private let remote: any Remote
    private let prefix: String
    private let store: [UInt8]
    private let zone: String
    /// Keeps the archive that was read last; nil for none.
    private var recent: RecentArchive?

    init(remote: any Remote, zone: String, store: [UInt8]) {
        self.remote = remote
        self.zone = zone
        self.store = store
        prefix = StoreLayout.archives(of: zone)
    }

    /// The same archives, of which the one that was read last stays in memory.
    func keepingRecent() -> Self {
        var copy = self
        copy.recent = RecentArchive()
        return copy
    }

    /// The archive that holds a commit; nil if the commit is not archived. One listing, and one request
    /// for the object.
    ///
    /// - Throws: `Failure` with code `corrupt`, `newer-format` or `wrong-store` for a damaged archive,
    ///   and what the remote throws.
    func archive(of sequence: UInt64) async throws -> LogArchive? {
        guard let found = try await firstKey(covering: sequence) else { return nil }
        return try await archive(of: sequence, at: found)
    }

    /// The archive that holds a commit; nil if the commit is not archived.
    ///
    /// - Parameter found: What ``search(covering:)`` has found.
    func archive(of sequence: UInt64, found: ObjectKey?) async throws -> LogArchive? {
        guard let found else { return nil }
        // Somebody else's object.
        guard isArchive(found) else { return try await archive(of: sequence) }
        return try await archive(of: sequence, at: found)
    }

    private func archive(of sequence: UInt64, at found: ObjectKey) async throws -> LogArchive {
        let archive = try await read(found)
        guard archive.contains(sequence) else {
            throw Envelope.damaged(found.description, "The archive before this one is missing.")
        }
        return archive
    }

    /// Whether a commit is archived. One listing.
    ///
    /// - Throws: What the remote throws.
    func contains(_ sequence: UInt64) async throws -> Bool {
        try await firstKey(covering: sequence) != nil
    }

    /// The archive with the newest commits; nil if there are no archives. Lists all of them.
    ///
    /// - Throws: As ``archive(of:)`` does.
    func newest() async throws -> LogArchive? {
        guard let newest = try await newestKey() else { return nil }
        return try await read(newest)
    }

    /// The number of the newest archived commit; 0 for none. Lists all archives.
    ///
    /// - Throws: What the remote throws.
    func lastArchived() async throws -> UInt64 {
        try await newestKey().flatMap { StoreLayout.lastArchived($0, below: prefix) } ?? 0
    }

    /// The number of the last commit in each archive, ascending. Lists all archives.
    ///
    /// - Throws: What the remote throws.
    func ends() async throws -> [UInt64] {
        var found: [UInt64] = []
        try await remote.listPages(prefix: prefix) { page in
            found += page.compactMap { StoreLayout.lastArchived($0.key, below: prefix) }
        }
        return found
    }

    private func newestKey() async throws -> ObjectKey? {
        var newest: ObjectKey?
        try await remote.listPages(prefix: prefix) { page in
            newest = page.last { isArchive($0.key) }?.key ?? newest
        }
        return newest
    }

    /// Reads the archive with this key.
    ///
    /// - Throws: As ``archive(of:)`` does.
    func read(_ key: ObjectKey) async throws -> LogArchive {
        let name = key.description
        if let known = recent?.archive(name) { return known }
        guard let last = StoreLayout.lastArchived(key, below: prefix),
            let stored = try await remote.get(key, range: nil)
        else { throw Envelope.damaged(name, "The archive is gone.") }
        let archive = try LogArchive(stored, last: last, store: store, zone: zone, key: name)
        recent?.keep(archive)
        return archive
    }

    /// Stores an archive.
    ///
    /// It is decoded again and compared before it is sent.
    ///
    /// - Parameter id: 16 random bytes.
    /// - Throws: `Failure` with code `limit` when it is too long, and what the remote throws.
    func put(_ archive: LogArchive, id: [UInt8]) async throws {
        let key = try StoreLayout.archive(prefix, last: archive.last, id: id)
        let stored = try archive.encoded(store: store, zone: zone)
        let decoded = try LogArchive(
            stored, last: archive.last, store: store, zone: zone, key: key.description)
        guard decoded.first == archive.first, decoded.parent == archive.parent,
            decoded.hashes == archive.hashes, decoded.commits == archive.commits
        else { throw Failure.notReadable(key.description, cause: nil) }
        try await remote.put(stored, to: key)
    }

    /// The first key, in their order, of an archive that ends with this commit or with a later one.
    private func firstKey(covering sequence: UInt64) async throws -> ObjectKey? {
        guard sequence > 0 else { return nil }
        var search = try search(covering: sequence)
        while let found = try await remote.find(search) {
            if isArchive(found) { return found }
            search = KeySearch(prefix: prefix, after: found)
        }
        return nil
    }

    /// The search for an archive that ends with this commit, at least 1, or with a later one.
    func search(covering sequence: UInt64) throws(Failure) -> KeySearch {
        let highest = [UInt8](repeating: 0xFF, count: StoreLayout.archiveIDLength)
        return KeySearch(
            prefix: prefix,
            after: try StoreLayout.archive(prefix, last: sequence - 1, id: highest))
    }

    private func isArchive(_ key: ObjectKey) -> Bool {
        StoreLayout.lastArchived(key, below: prefix) != nil
    }
}

/// The archive that was read last. An object of this key never has other bytes.
private final class RecentArchive: Sendable {
    private let kept = Mutex<LogArchive?>(nil)

    func archive(_ key: String) -> LogArchive? { kept.withLock { $0?.key == key ? $0 : nil } }

    func keep(_ archive: LogArchive) { kept.withLock { $0 = archive } }
}

extension CommitLog {
    /// The same log, which keeps the archive that was read last in memory: for commits that are read in several steps.
    package func keepingArchive() -> CommitLog {
        var copy = self
        copy.archives = archives.keepingRecent()
        return copy
    }

    /// Verifies an archive: that each of its commits can be read and follows the one before, and that it
    /// is the one which the log has.
    ///
    /// The bytes that were in a slot are not in an archive. So a commit's hash is compared with what the
    /// next commit and other archives say, and cannot be computed again.
    ///
    /// - Parameter known: The hashes of the log's commits, by their numbers.
    /// - Throws: `Failure` with code `corrupt`, `newer-format` or `wrong-store`, and what the remote
    ///   throws.
    package func verify(archive key: ObjectKey, _ known: [UInt64: ContentID]) async throws {
        let archive = try await archives.read(key)
        for sequence in archive.first...archive.last {
            let commit = try decode(archive, sequence)
            guard commit.parent == archive.hash(of: sequence - 1) else {
                throw Envelope.damaged(key.description, "Commit \(sequence) has another parent.")
            }
            guard known[sequence] == nil || known[sequence] == commit.token.hash else {
                throw Envelope.damaged(
                    key.description, "Commit \(sequence) is not the one of the log.")
            }
        }
    }
}
