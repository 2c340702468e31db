import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import Synchronization

/// Where contents are found in the store.
struct Contents: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Where contents can be found: what the manifest knows, and what a view has met since.
    func source(
        _ view: RemoteView, _ observation: Observation = Observation()
    ) async throws -> ContentSource {
        let connection = try await connected()
        let manifest = ManifestReader(state.manifest)
        let cache = IndexFolder(path: state.indexes)
        return ContentSource(
            packs: PackLocations(
                manifest: manifest, count: try self.manifest.packCount(),
                fetched: view.packs.map(\.pack) + observation.packs, retired: view.retired,
                joined: MultiPackIndex(folder: state.joinedIndexes)
            ) { PackReader(remote: connection.remote, reference: $0, cache: cache) },
            log: connection.log.keepingArchive(),
            inline: InlineIndex(
                view.inline,
                manifest: try self.manifest.inlineCount() > 0 ? manifest : nil),
            old: OldContents(
                connection.log,
                upTo: max(
                    try self.manifest.unlistedContents, view.fetched?.checkpoint ?? 0)),
            carried: view.carried, pending: observation.inline,
            lost: try self.manifest.lost.union(view.lost))
    }
}

/// Reads the manifest from any thread, through a connection of its own that is opened at the first read.
final class ManifestReader: Sendable {
    private let path: String
    private let opened = Mutex<ManifestDatabase?>(nil)
    private let firstFailure = Mutex<Failure?>(nil)

    init(_ path: String) { self.path = path }

    /// - Throws: ``FilesinkiModel/Failure`` when the manifest cannot be opened or read.
    func read<Result: Sendable>(_ body: (ManifestDatabase) throws -> Result) throws -> Result {
        do {
            return try opened.withLock { opened in
                if let manifest = opened { return try body(manifest) }
                let manifest = try ManifestDatabase.openReadOnly(at: path)
                let result = try body(manifest)
                opened = manifest
                return result
            }
        } catch let failure as Failure {
            firstFailure.withLock { $0 = $0 ?? failure }
            throw failure
        }
    }

    /// The first failure of ``read(_:)``; nil if there was none.
    var failure: Failure? { firstFailure.withLock { $0 } }
}

/// Finds the commits that contents travel in.
///
/// What this run has fetched is in memory; the rest is looked up in the manifest by id, so that neither
/// memory nor time grows with the history.
final class InlineIndex: Sendable {
    private let fetched: [ContentID: UInt64]
    private let manifest: ManifestReader?

    /// - Parameters:
    ///   - fetched: Later ones take the place of earlier ones.
    ///   - manifest: Nil if it holds no such content.
    init(_ fetched: [(content: ContentID, sequence: UInt64)], manifest: ManifestReader?) {
        self.fetched = Dictionary(fetched.map { ($0.content, $0.sequence) }) { $1 }
        self.manifest = manifest
    }

    /// Whether the content travels in a commit that this run has fetched or published.
    func isFetched(_ content: ContentID) -> Bool { fetched[content] != nil }

    /// The number of a commit that the content travels in; nil if it does not exist.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the manifest is damaged.
    func commit(of content: ContentID) throws -> UInt64? {
        if let sequence = fetched[content] { return sequence }
        return try manifest?.read { try $0.inlineSequence(of: content) } ?? nil
    }
}

/// The packs of the store, those of the manifest and those that this run has fetched or stored.
///
/// A search that sends no request asks the packs that the multi-pack index names, so that its cost does not
/// grow with the number of packs. All packs are read from the manifest when another search needs them.
final class PackLocations: Sendable {
    let manifest: ManifestReader
    private let count: Int
    private let fetched: [PackReader]
    private let retired: Set<[UInt8]>
    private let joined: MultiPackIndex
    private let makeReader: @Sendable (PackReference) -> PackReader
    private let opened = Mutex<ContentLocator?>(nil)

    /// Up to so many packs are searched one by one.
    private static let fewPacks = 64

    /// - Parameters:
    ///   - count: The number of packs in the manifest.
    ///   - fetched: Packs that may not be in the manifest yet.
    ///   - retired: Packs that a prune has retired, and that may still be in the manifest.
    init(
        manifest: ManifestReader, count: Int, fetched: [PackReference],
        retired: Set<[UInt8]> = [], joined: MultiPackIndex,
        makeReader: @escaping @Sendable (PackReference) -> PackReader
    ) {
        self.manifest = manifest
        self.count = count
        self.fetched = fetched.map(makeReader)
        self.retired = retired
        self.joined = joined
        self.makeReader = makeReader
    }

    /// The locator for all packs. The first call reads the manifest.
    func locator() throws -> ContentLocator {
        try opened.withLock { opened in
            if let opened { return opened }
            let known = count == 0 ? [] : try manifest.read { try $0.loadPacks() }
            let locator = ContentLocator(
                packs: readers(of: known) + fetched, joined: joined)
            opened = locator
            return locator
        }
    }

    /// Where a pack holds a content or a chunk.
    ///
    /// - Parameter isLocal: Send no request: of many packs only those are searched that the multi-pack index
    ///   has, and those of this run.
    func find(_ content: ContentID, isLocal: Bool) async throws -> ContentLocator.Place? {
        guard isLocal, count > Self.fewPacks else {
            return try await locator().find(content, isLocal: isLocal)
        }
        let known = try joined.packs(mayHold: content)
            .compactMap { id in try manifest.read { try $0.pack(id) } }
        let packs = readers(of: known) + fetched
        return try await ContentLocator(packs: packs).find(content, isLocal: true)
    }

    private func readers(of rows: [PackRow]) -> [PackReader] {
        rows.filter { !retired.contains($0.id) }.map { makeReader(PackReference(row: $0)) }
    }
}
