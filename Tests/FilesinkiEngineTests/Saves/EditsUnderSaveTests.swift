import FilesinkiEngine
import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

/// An edit that comes while a save keeps the one before it.
@Suite("Edits under a save")
struct EditsUnderSaveTests {
    @Test func `an edit that comes while the one before it is kept is kept, too`() async throws {
        let world = try World()
        let remote = PublishingRemote(world.store)
        let machine = Machine(
            root: world.folder.path("a"), remote: remote,
            systemContext: world.clock.systemContext, clock: world.clock)
        _ = try await Replica.initialize(machine.options, address: "memory", deviceName: "a")
        try machine.write(["f": .file("base")])
        try await machine.sync()
        try machine.write(["f": .file("edit")])
        remote.onPublish { try? machine.write(["f": .file("later")]) }
        try await machine.save("saved", at: "f")
        #expect(machine.text("f") == "saved")
        for text in ["edit", "later"] {
            let content = ContentHasher.hash(Array(text.utf8))
            #expect(try await machine.with { try await $0.shown(content) } == text)
        }
    }
}

/// A remote that does something before its next publication.
private final class PublishingRemote: RemoteWrapper {
    let wrapped: any Remote
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ wrapped: any Remote) { self.wrapped = wrapped }

    func onPublish(_ action: @escaping @Sendable () -> Void) {
        self.action.withLock { $0 = action }
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        let next = action.withLock { action in
            defer { action = nil }
            return action
        }
        next?()
        return try await wrapped.publish(bytes, to: slot)
    }
}
