import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// What happens at a store while it is moved.
@Suite("While a store is moved")
struct StoreMigrationTests {
    private let world: World
    private let (a, b): (Machine, Machine)
    private let other = MemoryRemote(address: "other")

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["f": .file("base")])
    }

    private func migrate(_ machine: Machine, to remote: any Remote) async throws {
        try await machine.with {
            try await $0.migrate(to: "other", .none, connect: { _ in remote })
        }
    }

    @Test("a device whose move is overtaken by that of another one gives it up, and makes no store")
    func overtaken() async throws {
        let format = try #require(try await StoreFormat.read(from: world.store))
        let note = StoreMove(store: format.id, address: "third", device: "b")
        let (store, remote) = (world.store, other)
        let rival = NotifyingRemote(wrapped: remote) { _ in _ = try await note.leave(at: store) }
        let failure = await #expect(throws: Failure.self) { try await migrate(a, to: rival) }
        #expect(failure?.code == .exists)
        #expect(failure?.message.contains("The store was moved to third by b.") == true)
        #expect(failure?.remedy.contains("filesinki remote set third.") == true)
        #expect(try await StoreFormat.read(from: remote) == nil)
        #expect(try await StoreMove.read(at: store, of: format.id) == note)
        #expect(try await a.with { await $0.remoteAddress } == "memory")
    }

    @Test("a folder with other files is refused before anything is copied")
    func amongFiles() async throws {
        let place = CrowdedRemote(wrapped: other)
        let failure = await #expect(throws: Failure.self) {
            try await a.with {
                try await $0.migrate(to: "other", .none, connect: { _ in place })
            }
        }
        #expect(failure?.code == .usage)
        #expect(
            failure?.description
                == "other: There are other files in this folder: nothing was copied. Give an empty folder, or a new one, "
                + "which may be in it.")
        var count = 0
        try await other.listPages(prefix: "") { count += $0.count }
        #expect(count == 0)
        #expect(try await a.with { await $0.remoteAddress } == "memory")
        let format = try #require(try await StoreFormat.read(from: world.store))
        #expect(try await StoreMove.read(at: world.store, of: format.id) == nil)
    }

    @Test("what others publish before they see the note is copied, too")
    func late() async throws {
        let (late, store) = (b, world.store)
        let source = NotifyingRemote(wrapped: store) { slot in
            guard slot.description == "moved/c" else { return }
            try await late.save("late", at: "f")
        }
        var machine = a
        machine.options.connect = { _ in source }
        try await migrate(machine, to: other)
        let count = try await world.commits().count
        #expect(count == 2)
        let format = try #require(try await StoreFormat.read(from: other))
        let log = try CommitLog(remote: other, zone: "files", store: format)
        #expect(try await log.read(UInt64(count)) != nil)
    }
}

/// A folder in which files of other programs are.
private struct CrowdedRemote: RemoteWrapper, PlacedRemote {
    let wrapped: any Remote

    func misplacement() async throws -> MisplacedStore? { nil }
    func holdsOtherFiles() async throws -> Bool { true }
}

/// Does something before a slot is filled.
private struct NotifyingRemote: RemoteWrapper {
    let wrapped: any Remote
    let willFill: @Sendable (ObjectKey) async throws -> Void

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await willFill(slot)
        return try await wrapped.publish(bytes, to: slot)
    }
}
