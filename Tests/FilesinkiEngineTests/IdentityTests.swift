import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiTesting
import Glibc
import Testing

/// A replica that was copied, or restored from a backup, and devices of one name.
@Suite("Device identity")
struct IdentityTests {
    /// A copy of a replica as `cp -a` makes it.
    private func copy(_ machine: Machine, to name: String, _ world: World) -> Machine {
        let root = world.folder.path(name)
        #expect(system("cp -a '\(machine.root)' '\(root)'") == 0)
        return Machine(
            root: root, remote: world.remote, systemContext: world.clock.systemContext,
            clock: world.clock)
    }

    private func id(_ machine: Machine) async throws -> Device {
        try await machine.with { await $0.device }
    }

    @Test("E4.2 a copied replica takes a new id when it reads a commit by the other one")
    func copied() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base"), "g": .file("g")])
        let twin = copy(a, to: "twin", world)
        let before = try await id(a)
        try a.write(["f": .file("a's")])
        #expect(try await a.sync().notices.isEmpty)
        try twin.write(["new": .file("the twin's")])
        let report = try await twin.sync()
        #expect(report.notices.count == 1)
        #expect(report.notices.first?.failure.message.contains("device id") == true)
        #expect(report.copies == [])
        #expect(twin.text("f") == "a's")
        let after = try await id(twin)
        #expect(after.id != before.id)
        #expect(after.name.hasPrefix("a-"))
        #expect(try await twin.sync().notices.isEmpty)
        #expect(try await a.sync().notices.isEmpty)
        #expect(try await id(a) == before)
        for machine in [b, a, twin] { try await machine.sync() }
        let tree: TreeFixture = [
            "f": .file("a's"), "g": .file("g"), "new": .file("the twin's"),
        ]
        for machine in [a, b, twin] { #expect(try machine.tree() == tree) }
        #expect(Set(try await world.commits().map(\.device.id)).count == 2)
    }

    @Test("E4.2 an observer of a copied replica reports the other one's changes")
    func observed() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("base")])
        let twin = copy(a, to: "twin", world)
        let observer = Observer(twin.options, ObserverOptions())
        guard case .position? = try await observer.next(.none) else {
            return #expect(Bool(false), "no position first")
        }
        // The twin's own changes are not reported, including those of another process.
        try await twin.save("own", at: "own")
        try await a.save("a's", at: "f")
        var told: [RelativePath] = []
        for _ in 0..<3 {
            if case .events(let events, _)? = try await observer.next(.none) {
                told += events.map(\.path)
            }
        }
        #expect(told == [try RelativePath("f")])
        #expect(twin.text("f") == "a's")
    }

    @Test("E4.2 a replica that is restored from a backup loses and resurrects nothing")
    func restored() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "f": .file("base"), "deleted": .file("to go"), "kept": .file("k"),
        ])
        let backup = copy(a, to: "backup", world)
        try a.write(["f": .file("newer"), "new": .file("n")])
        a.remove("deleted")
        try await a.sync()
        // The disk of `a` is gone; what goes on is the backup.
        try backup.write(["mine": .file("made after the restore")])
        let report = try await backup.sync()
        #expect(report.copies == [])
        #expect(report.notices.count == 1)
        try await b.sync()
        let tree: TreeFixture = [
            "f": .file("newer"), "new": .file("n"), "kept": .file("k"),
            "mine": .file("made after the restore"),
        ]
        #expect(try backup.tree() == tree)
        #expect(try b.tree() == tree)
    }

    @Test("E4.2 keys: a copied replica detected by its keys takes a new id, once")
    func renewed() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        let before = try await id(a)
        let device = try await Replica.renewDevice(a.options, insteadOf: before.id)
        #expect(device.id != before.id)
        #expect(try await id(a) == device)
        #expect(try await Replica.renewDevice(a.options, insteadOf: before.id) == device)
        try a.write(["f": .file("a's")])
        #expect(try await a.sync().notices.isEmpty)
        try await b.sync()
        #expect(b.text("f") == "a's")
        #expect(try await world.commits().map(\.device.id) == [before.id, device.id])
    }

    @Test("E4.2 a run killed while it takes a new id leaves a replica that can be opened")
    func killed() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("base")])
        let twin = copy(a, to: "twin", world)
        try await a.save("a's", at: "f")
        let marker = try #require(twin.text(".filesinki/root"))
        try await twin.sync()
        // As if the marker had not been written any more.
        let file = try #require(fopen(twin.at(".filesinki/root"), "w"))
        fputs(marker, file)
        fclose(file)
        #expect(try await twin.sync().notices.isEmpty)
        #expect(twin.text("f") == "a's")
    }

    @Test("E4.2 own commits that a killed run did not record are not another's")
    func ownCommits() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("base"), "g": .file("g")])
        let dying = DyingRemote(remote: world.remote)
        var machine = a
        machine.options.connect = { _ in dying }
        let before = try await id(a)
        for text in ["one", "two"] {
            try a.write(["f": .file("a " + text)])
            dying.willDie(afterPublishing: 1)
            await #expect(throws: Failure.self) { try await machine.sync() }
        }
        dying.willDie(afterPublishing: 1)
        await #expect(throws: Failure.self) {
            try await machine.save("upon", at: "g", ifVersion: 1)
        }
        #expect(try await a.sync().notices.isEmpty)
        #expect(a.text("g") == "upon")
        #expect(try await id(a) == before)
    }

    @Test("E4.6 a device whose name is taken chooses a distinct one, and reports it once")
    func sameName() async throws {
        let world = try World()
        let a = try await world.replica("laptop")
        try a.write(["f": .file("base")])
        try await a.sync()
        let b = Machine(
            root: world.folder.path("b"), remote: world.remote,
            systemContext: world.clock.systemContext, clock: world.clock)
        let made = try await Replica.initialize(b.options, address: "memory", deviceName: "laptop")
        let report = try await b.sync()
        let name = made.device.distinctName
        #expect(name == "laptop-" + hexadecimal(made.device.id).prefix(4))
        #expect(report.notices.count == 1)
        #expect(report.notices.first?.failure.remedy.contains(name) == true)
        // Wherever it is pasted, no other folder becomes a replica.
        #expect(report.notices.first?.failure.remedy.contains("init \(b.root) --device") == true)
        #expect(try await b.sync().notices.isEmpty)
        #expect(try await id(b).name == name)
        // The names of conflict copies distinguish the two.
        try a.write(["f": .file("a's")])
        try await a.sync()
        try b.write(["f": .file("b's!")])
        let copies = try await b.sync().copies
        #expect(copies.map(\.description).allSatisfy { $0.contains("(conflict \(name) ") })
        #expect(copies.count == 1)
        #expect(try await a.sync().notices.isEmpty)
        #expect(try await id(a).name == "laptop")
        let devices = try await a.with { try await $0.devices() }
        #expect(devices.map(\.device.name) == ["laptop", name])
        // To name it so again, as a script does with each `init`, changes nothing.
        _ = try await Replica.initialize(
            b.options, address: nil, deviceName: "laptop", isRenaming: true)
        #expect(try await id(b).name == name)
    }

    @Test("E4.6 init renames a replica only where a name is given")
    func rename() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        let before = try await id(a)
        _ = try await Replica.initialize(a.options, address: "memory", deviceName: "other")
        #expect(try await id(a) == before)
        let report = try await Replica.initialize(
            a.options, address: "memory", deviceName: "other", isRenaming: true)
        #expect(report.device == Device(id: before.id, name: "other"))
        try await a.save("a's", at: "f")
        try await b.sync()
        #expect(try await world.commits().last?.device.name == "other")
        #expect(
            try await a.with { try await $0.devices() }.map(\.device.name) == ["b", "other"])
    }

    @Test("E4.6 two devices of one name are listed under distinct names")
    func names() {
        let devices = [
            Device(id: [0xA6, 0xF5] + [UInt8](repeating: 0, count: 14), name: "laptop"),
            Device(id: [0x03, 0xBC] + [UInt8](repeating: 0, count: 14), name: "laptop"),
            Device(id: [0x03, 0xBD] + [UInt8](repeating: 0, count: 14), name: "desktop"),
        ]
        let names = Device.names(of: devices)
        #expect(devices.map { names[$0.id] } == ["laptop-a6f5", "laptop-03bc", "desktop"])
    }
}
