import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

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
        var inline: [ContentID: UInt64] = [:]
        for row in try manifest.loadInline() { inline[row.content] = row.sequence }
        for (content, sequence) in view.inline { inline[content] = sequence }
        return ContentSource(
            locator: ContentLocator(
                packs: packs.map { pack in
                    PackReader(
                        remote: connection.remote, reference: pack,
                        cache: IndexFolder(path: state.indexes))
                },
                joined: MultiPackIndex(folder: state.joinedIndexes)),
            log: connection.log, inline: inline, carried: view.carried,
            pending: observation.inline)
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
