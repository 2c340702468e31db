import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import Synchronization

/// Which packs of an unfinished upload of this device hold nothing that its next run would send: their files were
/// deleted, edited or ignored since.
///
/// No pack is lost by a wrong answer: a prune retires it by a commit, and a run that wants its contents stores them again.
struct UnwantedUpload: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Returns the packs that are not wanted, in order.
    ///
    /// If the files that are new or changed in the root have less than half of the packs' bytes together, that is all packs: to
    /// store these files again costs less than what is freed. Else the files are read, until one of each pack was met.
    ///
    /// Cost: a walk of the root; at most one reading of the new and changed files, which the next run reads, too; about 60
    /// bytes of memory for each content of the packs.
    ///
    /// - Parameter own: The sizes of the packs, by their ids.
    /// - Throws: What the remote throws.
    func packs(_ own: [[UInt8]: Int64], _ connection: ZoneConnection) async throws -> [[UInt8]] {
        guard !own.isEmpty else { return [] }
        let scan = try sync.scanner(rulesReader.runRules(SyncOptions()))
            .scan(BaseSnapshot(manifest.loadBase()))
        // Nobody knows what these hold.
        guard scan.blocked.isEmpty else { return [] }
        let items = scan.candidates.map {
            ContentUploader.Item(path: $0.path, size: $0.status.stamp.size)
        }
        let waiting = items.reduce(Int64(0)) { $0 + $1.size }
        let stored = own.values.reduce(0, +)
        guard stored <= 2 * waiting else { return Self.sorted(own.keys) }
        let unmet = UnmetPacks(try await members(of: own, connection))
        guard try await read(items, marking: unmet) else { return [] }
        return Self.sorted(unmet.packs.union(own.keys.filter { !unmet.known.contains($0) }))
    }

    private static func sorted(_ ids: some Sequence<[UInt8]>) -> [[UInt8]] {
        ids.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The packs of all contents and chunks. A pack that cannot be read is left out: no run would go on with it.
    private func members(
        of own: [[UInt8]: Int64], _ connection: ZoneConnection
    ) async throws -> [ContentID: [UInt8]] {
        let cache = IndexFolder(path: state.indexes)
        var members: [ContentID: [UInt8]] = [:]
        for item in try sync.unpublishedPacksFile.load() where own[item.pack.id] != nil {
            let reader = PackReader(
                remote: connection.remote, reference: item.pack, cache: cache)
            do {
                try await reader.index().forEachMember { id, _ in members[id] = item.pack.id }
            } catch let failure as Failure where failure.code == .corrupt {
                continue
            }
        }
        return members
    }

    /// Reads files as an upload does, and stores nothing.
    ///
    /// - Returns: Whether all could be read, as far as that matters.
    private func read(
        _ items: [ContentUploader.Item], marking unmet: UnmetPacks
    ) async throws -> Bool {
        guard !unmet.packs.isEmpty else { return true }
        let reading = ContentUploader(
            source: root, destination: .packs(try await sync.packWriter()),
            knows: { try unmet.meet($0) }, holdsChunk: { try unmet.meet($0) },
            progress: { _, _ in })
        do {
            return try await reading.upload(items).problems.isEmpty
        } catch is UnmetPacks.AllMet {
            return true
        }
    }
}

/// The packs of which no file was met yet.
private final class UnmetPacks: Sendable {
    /// Ends the reading: no pack is left to be met.
    struct AllMet: Error {}

    /// The packs that have contents.
    let known: Set<[UInt8]>

    private let members: [ContentID: [UInt8]]
    private let unmet: Mutex<Set<[UInt8]>>

    init(_ members: [ContentID: [UInt8]]) {
        self.members = members
        known = Set(members.values)
        unmet = Mutex(known)
    }

    var packs: Set<[UInt8]> { unmet.withLock { $0 } }

    /// Marks the pack of a content or chunk as wanted.
    ///
    /// - Returns: True: nothing is to be stored.
    /// - Throws: ``AllMet`` when it was the last one.
    func meet(_ content: ContentID) throws -> Bool {
        guard let pack = members[content] else { return true }
        let isLast = unmet.withLock { unmet in
            unmet.remove(pack)
            return unmet.isEmpty
        }
        if isLast { throw AllMet() }
        return true
    }
}
