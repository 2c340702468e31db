import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem
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
        var packs = try manifest.loadPacks().map(PackReference.init(row:))
        packs += view.packs.map(\.pack)
        packs += observation.packs
        return ContentSource(
            locator: ContentLocator(
                packs: packs.map { pack in
                    PackReader(
                        remote: connection.remote, reference: pack,
                        cache: IndexFolder(path: state.indexes))
                },
                joined: MultiPackIndex(folder: state.joinedIndexes)),
            log: connection.log,
            inline: InlineIndex(
                view.inline, manifest: try manifest.inlineCount() > 0 ? state.manifest : nil),
            carried: view.carried, pending: observation.inline)
    }
}

/// Keeps copies of pack indexes in the state folder. A copy is verified by its reader, so a damaged
/// one is no worse than none.
struct IndexFolder: IndexCache {
    let path: String

    func load(_ id: [UInt8]) -> [UInt8]? {
        (try? StateFile.read(file(id))) ?? nil
    }

    func store(_ id: [UInt8], _ bytes: [UInt8]) {
        // A cache that cannot be written costs time later and nothing else.
        try? StateFile.makeFolder(path)
        try? StateFile.replace(file(id), with: bytes, durable: false)
    }

    private func file(_ id: [UInt8]) -> String { path + "/" + hexadecimal(id) }
}

/// Finds the commits that contents travel in.
///
/// What this run has fetched is in memory; the rest is looked up in the manifest by id, so that neither
/// memory nor time grows with the history. May be called from any thread, so the manifest is read through a
/// connection of its own, which is opened at the first look-up.
final class InlineIndex: Sendable {
    private let fetched: [ContentID: UInt64]
    private let manifest: String?
    private let reader = Mutex<ManifestDatabase?>(nil)

    /// - Parameters:
    ///   - fetched: Later ones take the place of earlier ones.
    ///   - manifest: The path of the manifest; nil if it holds no such content.
    init(_ fetched: [(content: ContentID, sequence: UInt64)], manifest: String?) {
        self.fetched = Dictionary(fetched.map { ($0.content, $0.sequence) }) { $1 }
        self.manifest = manifest
    }

    /// The number of a commit that the content travels in; nil if there is none.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the manifest is damaged.
    func commit(of content: ContentID) throws(Failure) -> UInt64? {
        if let sequence = fetched[content] { return sequence }
        guard let manifest else { return nil }
        return try reader.withLock { reader throws(Failure) in
            if reader == nil { reader = try ManifestDatabase.openReadOnly(at: manifest) }
            return try reader?.inlineSequence(of: content)
        }
    }
}
