import FilesinkiEngine
import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Glibc
import Testing

/// Stores that are damaged, cut or forged: the right content or a refusal, and nothing is lost.
@Suite("Hostile stores")
struct HostileStoreTests {
    /// Two replicas with some of everything at the store: commits, and a pack.
    private func world() async throws -> (World, Machine, Machine, TreeFixture) {
        let world = try World()
        var random = SeededRandom(seed: 3)
        let tree: TreeFixture = [
            "f": .file("small"), "d": .directory(["g": .file("inside")]), "l": .symlink("f"),
            "large": .bytes(random.bytes(600_000), mode: 0o644, modified: nil),
        ]
        let (a, b) = try await world.pair(tree)
        try a.write(["f": .file("second")])
        try await a.sync()
        return (world, a, b, try a.tree())
    }

    private func isHonest(_ failure: Failure) -> Bool {
        let codes: [Failure.Code] = [.corrupt, .newerFormat, .wrongStore, .notFound, .badPath]
        return codes.contains(failure.code) && !failure.path.isEmpty && !failure.remedy.isEmpty
    }

    /// Every file that a replica has is one that somebody wrote.
    private func expectNothingWrong(_ machine: Machine, _ right: TreeFixture, _ where: String)
        throws
    {
        for (name, node) in try machine.tree().nodes {
            if case .folder(let inside, _) = node {
                #expect(inside.nodes.allSatisfy { $0.value == .file("inside") }, "\(`where`)")
            } else {
                #expect(node == right[name] || node == .file("small"), "\(`where`): \(name)")
            }
        }
    }

    @Test("a flipped bit in any object: the right content, or a failure that names the object")
    func flipped() async throws {
        let (world, _, b, right) = try await world()
        let sound = world.store.objects
        for (key, bytes) in sound.sorted(by: { $0.key < $1.key }) {
            for part in 0..<8 {
                var damaged = bytes
                let place = bytes.count * part / 8
                damaged[place] ^= 1 << UInt8(part)
                world.store.objects = sound
                world.store.objects[key] = damaged
                let fresh = try await tryClone(world, "c-\(part)-\(key.description.hashValue)")
                if let fresh { try expectNothingWrong(fresh, right, "\(key) at \(place)") }
            }
        }
        world.store.objects = sound
        try await b.sync()
        #expect(try b.tree() == right)
    }

    @Test("a truncated or missing object: the right content, or a failure; then nothing is lost")
    func cut() async throws {
        let (world, _, b, right) = try await world()
        let sound = world.store.objects
        try b.write(["own": .file("small")])
        for (key, bytes) in sound.sorted(by: { $0.key < $1.key }) {
            for length in [-1, 0, 1, bytes.count / 2, bytes.count - 1] {
                world.store.objects = sound
                world.store.objects[key] = length < 0 ? nil : Array(bytes[..<length])
                let fresh = try await tryClone(world, "c-\(length)-\(key.description.hashValue)")
                if let fresh { try expectNothingWrong(fresh, right, "\(key) cut to \(length)") }
                if key.description == "filesinki" || key.description.contains("/log/") {
                    do { try await b.sync { $0.isDryRun = true } } catch let failure as Failure {
                        #expect(isHonest(failure), "\(key) cut to \(length): \(failure)")
                    }
                }
                #expect(b.text("own") == "small")
                #expect(b.text("f") != nil)
            }
        }
        world.store.objects = sound
        try await b.sync()
        var wanted = right
        wanted["own"] = .file("small")
        #expect(try b.tree() == wanted)
    }

    /// Makes a replica of the store; nil when it was refused.
    private func tryClone(_ world: World, _ name: String) async throws -> Machine? {
        let machine = Machine(
            root: world.folder.path(name), remote: world.remote,
            systemContext: world.clock.systemContext, clock: world.clock)
        do {
            _ = try await Replica.initialize(
                machine.options, address: "memory", deviceName: name)
            let report = try await machine.sync()
            for problem in report.problems { #expect(isHonest(problem.failure), "\(problem)") }
        } catch let failure as Failure {
            #expect(isHonest(failure), "\(failure)")
        }
        return access(machine.root, F_OK) == 0 ? machine : nil
    }

    @Test("a damaged pack fails its own files; the others are synced")
    func damagedPack() async throws {
        let (world, _, _, _) = try await world()
        let sound = world.store.objects
        // A large file that is read again takes small ones with it into a second pack.
        let packs = sound.filter { $0.key.description.hasPrefix("packs/") }
        let pack = try #require(packs.max { $0.value.count < $1.value.count }?.key)
        world.store.objects[pack] = sound[pack].map {
            Array($0.dropLast(200_000)) + [UInt8](repeating: 0, count: 200_000)
        }
        let c = try await world.replica("c")
        let report = try await c.sync()
        #expect(!report.problems.isEmpty)
        #expect(report.problems.allSatisfy { $0.failure.code == .corrupt })
        #expect(c.text("f") == "second")
        #expect(c.text("d/g") == nil || c.text("d/g") == "inside")
        world.store.objects = sound
        try await world.converge()
        #expect(c.text("d/g") == "inside")
    }

    @Test("loading a content that is damaged in the store reports damage, not absence")
    func damagedLoad() async throws {
        let (world, a, b, _) = try await world()
        let before = Set(world.store.objects.keys)
        var random = SeededRandom(seed: 4)
        try a.write(["new": .bytes(random.bytes(600_000), mode: 0o644, modified: nil)])
        try await a.sync()
        for key in world.store.objects.keys
        where !before.contains(key) && key.description.hasPrefix("packs/") {
            world.store.objects[key]?.withUnsafeMutableBytes { $0[$0.count / 2] ^= 1 }
        }
        let path = try RelativePath("new")
        let failure = await #expect(throws: Failure.self) {
            try await b.with { try await $0.load(path, isOffline: false, SyncOptions()) { _ in } }
        }
        #expect(failure?.code == .corrupt)
    }

    @Test("a store of a newer format is refused before anything is changed")
    func newer() async throws {
        let (world, a, _, right) = try await world()
        a.loseManifest()
        let sound = world.store.objects
        let key = try #require(sound.keys.first { $0.description.hasPrefix("filesinki") })
        let text = String(decoding: sound[key] ?? [], as: UTF8.self)
        let lines = text.replacing("format = 1", with: "format = 3").split(separator: "\n")
            .dropLast()
        let body = Array((lines.joined(separator: "\n") + "\n").utf8)
        world.store.objects[key] = body + Array("sha256 = \(ContentHasher.hash(body))\n".utf8)
        try a.write(["f": .file("third")])
        let before = world.store.objects
        let failure = await #expect(throws: Failure.self) { try await a.sync() }
        #expect(failure?.code == .newerFormat)
        #expect(failure?.remedy.contains("Update") == true)
        #expect(world.store.objects == before)
        #expect(a.text("f") == "third")
        #expect(try a.tree()["d"] == right["d"])
    }

    @Test(
        "a commit with an invalid path: reported, refused, the rest is applied",
        arguments: [
            "../x", "../../x", "/etc/x", "d/../../x", ".filesinki/x", ".filesinki/replica",
            ".FILESINKI/x", "a//b", "./y",
        ])
    func forgedPath(_ path: String) async throws {
        let (world, a, b, _) = try await world()
        try TreeFixture(["canary": .file("safe")]).write(to: world.folder.path("outside"))
        try await forge(
            world,
            [
                (path, .file(content("evil"), 4)), ("honest", .file(content("good"), 4)),
            ])
        let before = TreeFixture.Name(Array("x".utf8))
        for machine in [a, b, try await world.replica("c")] {
            let report = try await machine.sync()
            #expect(report.problems.contains { $0.failure.code == .badPath }, "\(report.problems)")
            #expect(machine.text("honest") == "good")
            #expect(machine.text(".filesinki/x") == nil)
            #expect(machine.text(".filesinki/replica")?.contains("evil") != true)
        }
        let all = try TreeFixture.read(world.folder.path)
        #expect(all[before] == nil)
        #expect(all.nodes.count == 4)
        #expect(access("/etc/x", F_OK) != 0)
        #expect(try TreeFixture.read(world.folder.path("outside")) == ["canary": .file("safe")])
        try await world.converge()
    }

    @Test("a commit that writes through a symlink, its own or the user's, changes nothing outside")
    func throughSymlink() async throws {
        let (world, a, b, _) = try await world()
        let outside = world.folder.path("outside")
        try TreeFixture(["canary": .file("safe")]).write(to: outside)
        try b.write(["mine": .symlink(outside)])
        let link = Entry.symlink(to: Array(outside.utf8), modified: Timestamp(nanoseconds: 0))
        try await forge(
            world,
            [
                ("s", .entry(link)), ("s/canary", .file(content("evil"), 4)),
                ("s/new", .file(content("evil"), 4)), ("mine/canary", .file(content("evil"), 4)),
                ("mine/new", .file(content("evil"), 4)), ("honest", .file(content("good"), 4)),
            ])
        for machine in [a, b, try await world.replica("c"), a, b] {
            _ = try? await machine.sync()
            #expect(try TreeFixture.read(outside) == ["canary": .file("safe")])
            #expect(machine.text("honest") == "good")
        }
        #expect(b.text("f") == "second")
    }

    @Test("a commit that names a content nobody stored: check names each path")
    func namedContent() async throws {
        let (world, a, _, _) = try await world()
        try await forge(
            world,
            [
                ("lost", .file(content("in no object"), 12)), ("honest", .file(content("good"), 4)),
                ("also", .file(content("nor this"), 8)),
            ])
        let failures = try await a.with { try await $0.check(.current, progress: nil) }.failures
        #expect(failures.map { $0.message.prefix { $0 != ":" } } == ["also", "lost"])
    }

    @Test("setuid, setgid and sticky modes of a commit are removed")
    func modes() async throws {
        let (world, a, _, _) = try await world()
        try await forge(
            world,
            [
                (
                    "tool",
                    .entry(
                        .file(
                            content("evil"), size: 4, mode: 0o6755,
                            modified: Timestamp(nanoseconds: 0)))
                )
            ])
        try await a.sync()
        var status = stat()
        #expect(stat(a.at("tool"), &status) == 0)
        #expect(status.st_mode & 0o7000 == 0)
    }

    @Test("a commit whose content is missing or wrong fails that path only")
    func missingContent() async throws {
        let (world, a, _, _) = try await world()
        try await forge(
            world,
            [
                (
                    "gone",
                    .entry(
                        .file(
                            ContentHasher.hash(Array("never stored".utf8)), size: 12, mode: 0o644,
                            modified: Timestamp(nanoseconds: 0)))
                ),
                ("wrong size", .file(content("good"), 4_000_000_000)),
                ("f", .file(content("good"), 1)), ("honest", .file(content("good"), 4)),
            ])
        let report = try await a.sync()
        #expect(a.text("honest") == "good")
        #expect(a.text("gone") == nil)
        #expect(a.text("wrong size") == nil)
        #expect(a.text("f") == "second")
        #expect(report.problems.map(\.path.description).sorted() == ["f", "gone", "wrong size"])
        for problem in report.problems { #expect(isHonest(problem.failure), "\(problem)") }
    }

    @Test("a 10 GB bomb in the log's next slot is refused with little memory and time")
    func bombs() async throws {
        let (world, a, _, right) = try await world()
        let sound = world.store.objects
        let slot = try #require(sound.keys.filter { $0.description.contains("/log/") }.max())
        let next = try ObjectKey(
            slot.description.replacing("00000002/", with: "00000003/"))
        try #require(next != slot)
        for declared in [UInt64(10) << 30, 65_536, 64 << 20, .max] {
            world.store.objects = sound
            world.store.objects[next] = Self.envelope(declaring: declared) + Self.zeros(10 << 30)
            let failure = await #expect(throws: Failure.self) { try await a.sync() }
            #expect(failure?.code == .corrupt)
            #expect(try a.tree() == right)
        }
    }

    /// An envelope's header for a commit that zstd has compressed.
    private static func envelope(declaring length: UInt64) -> [UInt8] {
        var header = Array("fsk1".utf8) + [1, 1, 0, 0]
        for byte in 0..<8 { header.append(UInt8(truncatingIfNeeded: length >> (8 * UInt64(byte)))) }
        return header + [UInt8](repeating: 7, count: 32)
    }

    /// A zstd frame of that many zeros, as RFC 8878 has it: a window of 128 KiB, and blocks that
    /// repeat one byte.
    private static func zeros(_ count: Int) -> [UInt8] {
        var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 7 << 3]
        let size = 128 << 10
        let blocks = count / size
        for block in 0..<blocks {
            let header = UInt32(size) << 3 | 1 << 1 | (block == blocks - 1 ? 1 : 0)
            frame += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16), 0]
        }
        return frame
    }

    // MARK: Forging

    private enum Forged {
        case file(ContentID, Int64)
        case entry(Entry)

        var entry: Entry {
            switch self {
            case .file(let content, let size):
                .file(content, size: size, mode: 0o644, modified: Timestamp(nanoseconds: 0))
            case .entry(let entry): entry
            }
        }
    }

    private func content(_ text: String) -> ContentID { ContentHasher.hash(Array(text.utf8)) }

    /// Publishes a forged commit; the contents `good` and `evil` travel in it.
    private func forge(_ world: World, _ changes: [(String, Forged)]) async throws {
        let format = try #require(try await StoreFormat.read(from: world.store))
        let log = try CommitLog(remote: world.store, zone: "files", store: format)
        let token = try #require(try await world.commits().last?.token)
        let draft = CommitDraft(
            device: Device(id: [UInt8](repeating: 9, count: 16), name: "evil"),
            time: Timestamp(seconds: 1_700_000_000, nanoseconds: 0),
            changes: changes.map { path, forged in
                Change(
                    path: RelativePath(unchecked: Array(path.utf8)), entry: forged.entry,
                    basedOn: 0)
            },
            inline: ["good", "evil"].map { InlineContent(id: content($0), bytes: Array($0.utf8)) },
            packs: [], superseded: [], operation: "sync")
        try await log.forge(draft, after: token, id: [UInt8](repeating: 8, count: 16))
    }
}
