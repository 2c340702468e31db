import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Testing

/// What `init` says of the replica and of the store.
@Suite struct InitializationTests {
    private let world: World
    private let options: ReplicaOptions

    init() async throws {
        world = try World()
        options =
            Machine(
                root: world.folder.path("a"), remote: world.remote,
                systemContext: world.clock.systemContext, clock: world.clock
            ).options
    }

    private func initialize(
        _ name: String, address: String? = "memory", makesStore: Bool = true
    ) async throws -> InitReport {
        var options = options
        options.root = world.folder.path(name)
        return try await Replica.initialize(
            options, address: address, deviceName: name, makesStore: makesStore)
    }

    @Test func `the first replica creates the store, the next one finds it`() async throws {
        let first = try await initialize("a")
        #expect(first.createdStore && !first.existed && first.away == nil)
        let second = try await initialize("b")
        #expect(!second.createdStore && !second.existed)
        #expect(first.store == second.store && first.store.count == 32)
        let again = try await initialize("a")
        #expect(!again.createdStore && again.existed)
        #expect(again.device.id == first.device.id)
    }

    @Test func `a replica without a remote creates no store`() async throws {
        let report = try await initialize("a", address: nil)
        #expect(!report.createdStore && report.remote == nil && report.store.isEmpty)
        #expect(world.store.objects.isEmpty)
    }

    @Test func `a remote that is away is connected by the first sync`() async throws {
        world.remote.isAway = true
        let report = try await initialize("a")
        #expect(report.away?.code == .away && !report.createdStore)
    }

    @Test func `nothing is made where a store is required and there is none`() async throws {
        let failure = await #expect(throws: Failure.self) {
            try await initialize("a", makesStore: false)
        }
        #expect(failure?.code == .notFound)
        #expect(world.store.objects.isEmpty)
    }
}
