import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

/// A store behind a login, which takes time: the root is scanned meanwhile.
@Suite("Login at the store")
struct LoginTests {
    let world: World
    let remote: LoginRemote
    let (here, there): (Machine, Machine)

    init() async throws {
        world = try World()
        let remote = LoginRemote(world.store)
        self.remote = remote
        let machines = ["here", "there"].map { [world] name in
            Machine(
                root: world.folder.path(name), remote: remote,
                systemContext: world.clock.systemContext, clock: world.clock)
        }
        (here, there) = (machines[0], machines[1])
        for (name, machine) in ["here": here, "there": there] {
            _ = try await Replica.initialize(
                machine.options, address: "memory", deviceName: name)
        }
        try here.write(["f": .file("base")])
        for machine in [here, there] { try await machine.sync() }
        remote.forget()
    }

    @Test func `a run begins the login before its first request`() async throws {
        try await here.sync()
        #expect(remote.log == ["login", "read"])
    }

    @Test func `the root has been scanned when the store replies`() async throws {
        remote.onRead { [here] in try? here.write(["late": .file("late")]) }
        try here.write(["early": .file("early")])
        try await here.sync()
        #expect(try await paths() == ["early", "f"])
        try await here.sync()
        #expect(try await paths() == ["early", "f", "late"])
    }

    @Test func `an edit while the store replies is not overwritten`() async throws {
        try there.write(["f": .file("there")])
        try await there.sync()
        remote.onRead { [here] in try? here.write(["f": .file("here")]) }
        try await here.sync()
        let texts = try here.names.compactMap(here.text)
        #expect(Set(texts) == ["here", "there"])
    }

    private func paths() async throws -> [String] {
        let machine = Machine(
            root: world.folder.path("third\(remote.log.count)"), remote: world.store,
            systemContext: world.clock.systemContext, clock: world.clock)
        _ = try await Replica.initialize(machine.options, address: "memory", deviceName: "third")
        try await machine.sync()
        return try machine.names
    }
}

/// A remote that notes logins and reads.
final class LoginRemote: RemoteWrapper, ConnectingRemote {
    let wrapped: any Remote
    private let state = Mutex((log: [String](), action: (@Sendable () -> Void)?.none))

    init(_ wrapped: any Remote) { self.wrapped = wrapped }

    /// What was asked for: `login` and `read`, in this order.
    var log: [String] { state.withLock { $0.log } }

    func forget() { state.withLock { $0.log = [] } }

    /// Does something at the next read, before its reply.
    func onRead(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.action = action }
    }

    func connect() { state.withLock { $0.log.append("login") } }

    func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        let action = state.withLock { state in
            state.log.append("read")
            defer { state.action = nil }
            return state.action
        }
        action?()
        return try await wrapped.read(requests)
    }
}
