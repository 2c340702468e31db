import FilesinkiEncryption
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

/// What is in the store when keys are added, replaced and removed.
@Suite("Keys of a store")
struct StoreKeysTests {
    let world: World
    let a: Machine

    init() async throws {
        world = try World()
        a = Machine(
            root: world.folder.path("a"), remote: world.remote,
            systemContext: world.clock.systemContext, clock: world.clock)
        _ = try await Replica.initialize(
            a.options, address: "memory", deviceName: "a",
            keys: KeyOptions(isEncrypting: true, expectsEncryption: true) { _ in try secret(1) })
    }

    /// The names of the key objects.
    private var objects: Set<String> {
        Set(world.store.objects.keys.map(\.description).filter { $0.hasPrefix("keys/") })
    }

    @Test("a key that is removed is gone from the store; the last one stays")
    func removed() async throws {
        let first = try #require(objects.first)
        let id = try await a.with { try await $0.addKey(secret(2)) }
        #expect(objects == [first, "keys/" + id])
        let gone = try await a.with { try await $0.removeKey(String(id.prefix(12))) }
        #expect(gone.id == id)
        #expect(objects == [first])
        #expect(try await a.with { try await $0.keys() }.map { "keys/" + $0.id } == [first])
        let refused = await #expect(throws: Failure.self) {
            try await a.with { try await $0.removeKey(String(first.dropFirst(5))) }
        }
        #expect(refused?.code == .usage)
        #expect(
            refused?.message
                == "This is the store's only key; without it, the store cannot be read.")
        #expect(refused?.remedy == "Add another one first, with filesinki key add.")
        #expect(objects == [first])
    }

    @Test("a key that is replaced is gone when the new one is there")
    func replaced() async throws {
        let first = try #require(objects.first)
        let ids = try await a.with { try await $0.replaceKey("", by: secret(2)) }
        #expect("keys/" + ids.old == first)
        #expect(objects == ["keys/" + ids.new])
    }

    @Test("a removal that does not reach the store is a failure, and the key is still there")
    func away() async throws {
        let id = try await a.with { try await $0.addKey(secret(2)) }
        let before = objects
        world.remote.plan(.init(.before(.away), verb: .delete, prefix: "keys/"))
        let failure = await #expect(throws: Failure.self) {
            try await a.with { try await $0.removeKey(id) }
        }
        #expect(failure?.code == .away)
        #expect(objects == before)
    }
}

private func secret(_ number: UInt8) throws -> KeySecret {
    try KeySecret(.keyFile, [UInt8](repeating: number, count: 32))
}
