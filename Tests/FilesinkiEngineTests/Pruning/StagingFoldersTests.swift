import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

@Suite("Where unfinished uploads may be")
struct StagingFoldersTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["k": .file("keep")])
    }

    @Test("each object of a store is staged in one of the folders that a prune looks into")
    func folders() async throws {
        try await publishVersions(1...3)
        try await acknowledge()
        try await prune(a)
        let folders = Set(try await StoreListing.stagingFolders(at: world.store))
        let keys = world.store.objects.keys
        #expect(Set(keys.compactMap { $0.description.split(separator: "/").first }).count >= 4)
        for key in keys {
            var names = key.description.split(separator: "/").dropLast()
            if key.isSlot { names = names.dropLast() }
            #expect(folders.contains(names.map { $0 + "/" }.joined()), "\(key)")
        }
        #expect(folders.count < 300)
    }
}
