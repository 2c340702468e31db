import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// What `check --read-data` finds: damage in any object of the store.
@Suite("Verification of a store")
struct StoreVerificationTests {
    let world: World
    let a: Machine

    /// Versions in packs and in commits, deleted and superseded ones; a checkpoint; acknowledgements.
    init() async throws {
        world = try World()
        let b: Machine
        (a, b) = try await world.pair(["small": .file("one")])
        var random = SeededRandom(seed: 5)
        for number in 0..<3 {
            try a.write([
                "large": .bytes(random.bytes(700_000), mode: 0o644, modified: nil),
                "middle": .bytes(random.bytes(300_000), mode: 0o644, modified: nil),
                "text": .file(String(repeating: "line \(number) of some text\n", count: 20_000)),
            ])
            try await a.sync()
        }
        a.remove("middle")
        try await a.sync()
        try await a.save("two", at: "small")
        try b.write(["small": .file("b's")])
        try await b.sync()
        try await a.sync()
        let format = try #require(try await StoreFormat.read(from: world.store))
        let last = try #require(try await world.commits().last)
        try await CheckpointStore(remote: world.store, zone: "files", store: format).save(
            Checkpoint(token: last.token, entries: [], packs: [], inline: []))
    }

    private func check(_ data: CheckedData) async throws -> CheckReport {
        try await a.with { try await $0.check(data, progress: nil) }
    }

    @Test("E7.12 a sound store has no problems, and all of its objects are read")
    func sound() async throws {
        let all = try await check(.all)
        #expect(all.failures.map(\.description) == [])
        #expect(all.objects == world.store.objects.count)
        let current = try await check(.current)
        #expect(current.failures.map(\.description) == [])
        #expect(current.objects == 0)
        #expect(all.bytes > 3 * 700_000)
        #expect(current.bytes < all.bytes / 2)
    }

    @Test("E7.12 a flipped bit is found in any object")
    func flipped() async throws {
        let sound = world.store.objects
        var random = SeededRandom(seed: 11)
        var kinds: Set<Substring> = []
        for (key, bytes) in sound.sorted(by: { $0.key < $1.key }) {
            // Past the header of a frame, which holds a bit without a meaning.
            for place in [0, 20, 40, 56, bytes.count / 3, bytes.count / 2, bytes.count - 1] {
                let offset = place < bytes.count ? place : Int(random.next() % UInt64(bytes.count))
                world.store.objects[key]?[offset] ^= 1 << UInt8(random.next() % 8)
                let code = try await failures().first?.code
                #expect(code == .corrupt || code == .newerFormat, "byte \(offset) of \(key)")
                world.store.objects[key] = bytes
            }
            kinds.insert(key.description.prefix { $0 != "/" })
        }
        #expect(kinds == ["devices", "filesinki", "packs", "zones"])
    }

    /// What is wrong with the store, be it that it cannot even be opened.
    private func failures() async throws -> [Failure] {
        do {
            return try await check(.all).failures
        } catch let failure as Failure {
            return [failure]
        }
    }

    @Test(
        "check --read-data=N/M finds the damage of a pack in one of the parts", arguments: [2, 5])
    func parts(_ count: Int) async throws {
        let sound = world.store.objects
        let packs = sound.keys.filter { $0.description.hasPrefix("packs/") }
        try #require(packs.count > 2)
        var read = 0
        for number in 1...count {
            let report = try await check(.part(.number(number, of: count)))
            #expect(report.failures.map(\.description) == [])
            #expect(report.packs == packs.count)
            #expect(report.objects == sound.count - packs.count + report.readPacks)
            read += report.readPacks
        }
        #expect(read == packs.count)
        for key in packs {
            world.store.objects[key]?[20] ^= 1
            var finders = 0
            for number in 1...count {
                let report = try await check(.part(.number(number, of: count)))
                if !report.failures.isEmpty { finders += 1 }
            }
            #expect(finders == 1, "\(key)")
            world.store.objects[key] = sound[key]
        }
    }

    @Test("check --read-data=N% goes on where the last one ended")
    func shares() async throws {
        let packs = world.store.objects.filter { $0.key.description.hasPrefix("packs/") }
        for (key, bytes) in packs {
            world.store.objects[key]?[20] ^= 1
            var finders = 0
            for _ in 0..<4 {
                let report = try await check(.part(.share(250_000)))
                #expect(report.failures.allSatisfy { $0.code == .corrupt })
                if !report.failures.isEmpty { finders += 1 }
            }
            #expect(finders == 1, "\(key)")
            world.store.objects[key] = bytes
        }
        let all = try await check(.part(.share(1_000_000)))
        #expect(all.readPacks == packs.count && all.objects == world.store.objects.count)
    }

    @Test("check --read-data=PART finds a shortened or missing pack in every part")
    func shortenedPack() async throws {
        let sound = world.store.objects
        for key in sound.keys where key.description.hasPrefix("packs/") {
            for number in 1...2 {
                world.store.objects[key]?.removeLast()
                let short = try await check(.part(.number(number, of: 2)))
                #expect(!short.failures.isEmpty, "\(key)")
                world.store.objects[key] = nil
                let gone = try await check(.part(.number(number, of: 2)))
                #expect(!gone.failures.isEmpty, "\(key)")
                world.store.objects[key] = sound[key]
            }
        }
    }

    @Test("check --read-data=PART reads every object that is no pack")
    func otherObjects() async throws {
        let sound = world.store.objects
        for (key, bytes) in sound where !key.description.hasPrefix("packs/") {
            world.store.objects[key]?[bytes.count - 1] ^= 1
            do {
                let report = try await check(.part(.number(1, of: 1000)))
                #expect(!report.failures.isEmpty, "\(key)")
            } catch let failure as Failure {
                #expect(failure.code == .corrupt, "\(key)")
            }
            world.store.objects[key] = bytes
        }
    }

    @Test("E7.12 damage of a content names its path")
    func damagedContent() async throws {
        let sound = world.store.objects
        let paths = Set(["large", "middle", "text"])
        for (key, bytes) in sound where key.description.hasPrefix("packs/") {
            world.store.objects[key]?[bytes.count / 4] ^= 1
            // A damaged chunk is listed, and the path of the content that it is a part of.
            let named = try await failures().map { String($0.message.prefix { $0 != ":" }) }
            #expect(named.contains(where: paths.contains), "\(named)")
            world.store.objects[key] = bytes
        }
    }

    @Test("E7.12 a damaged part of a checkpoint is found, also one that no checkpoint names")
    func checkpointParts() async throws {
        let format = try #require(try await StoreFormat.read(from: world.store))
        let last = try #require(try await world.commits().last)
        let entries = try (0..<20).map { number in
            CheckpointRow(
                path: try RelativePath("path \(100 + number)"),
                entry: VersionedEntry(
                    .directory(mode: 0o755, modified: Timestamp(nanoseconds: 0)), version: 1))
        }
        // The slot has a checkpoint already, which stays.
        try await CheckpointStore(
            remote: world.store, zone: "files", store: format, partLength: 100
        ).save(CheckpointSource(CheckpointRows(entries: entries)), at: last.token)
        #expect(try await failures().map(\.description) == [])
        let parts = world.store.objects.filter { $0.key.description.contains("/parts/") }
        #expect(parts.count > 1)
        for (key, bytes) in parts {
            world.store.objects[key]?[bytes.count - 1] ^= 1
            #expect(try await failures().map(\.path) == [Array(key.description.utf8)])
            world.store.objects[key] = bytes
        }
    }

    @Test("E7.12 objects of other programs are counted and not read")
    func foreignObjects() async throws {
        let own = world.store.objects.count
        for key in ["zones/files/log/readme", "packs/note.txt"] {
            try await world.store.put([1, 2, 3], to: ObjectKey(key))
        }
        let report = try await check(.all)
        #expect(report.failures.map(\.description) == [])
        #expect(report.foreignObjects == 2)
        #expect(report.objects == own)
    }

    @Test("E7.12 a missing object is found")
    func missing() async throws {
        let sound = world.store.objects
        for key in sound.keys where !key.description.hasPrefix("zones/files/checkpoints") {
            // An acknowledgement has no copy, and nothing refers to it.
            if key.description.hasPrefix("devices/") { continue }
            world.store.objects[key] = nil
            #expect(try await !failures().isEmpty, "\(key)")
            world.store.objects[key] = sound[key]
        }
    }

    @Test(
        "E7.12 each gap in the log is named, and what is behind it is checked",
        arguments: [CheckedData.none, .all])
    func gaps(_ data: CheckedData) async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("0")])
        for number in 1...6 {
            try a.write(["f": .file("\(number)")])
            try await a.sync()
        }
        let last = try #require(try await world.commits().last).sequence
        let whole = try await a.with { try await $0.check(data, progress: nil) }
        for number in [2, 3, last - 1] {
            let digits = String(number)
            let name = String(repeating: "0", count: 20 - digits.count) + digits
            world.store.objects[try ObjectKey("zones/files/log/\(name)/c")] = nil
        }
        let report = try await a.with { try await $0.check(data, progress: nil) }
        #expect(
            report.failures.map(\.message) == [
                "The commits 2 to 3 are gone while later ones are there: the store lost them.",
                "The commit is gone while later ones are there: the store lost it.",
            ])
        #expect(report.failures.first?.code == .wrongStore)
        #expect(report.commits == whole.commits - 3)
        #expect(report.tip == whole.tip)
        let repair = try await a.with { try await $0.repair(nil) }
        #expect(repair.remaining.count == 2 && repair.removed.isEmpty)
    }

    @Test("E7.12 damage of the last commit is reported as damage, not as a rollback")
    func lastCommit() async throws {
        let key = try #require(
            world.store.objects.keys.filter { $0.description.contains("/log/") }.max())
        let sound = world.store.objects
        for offset in 0..<48 {
            world.store.objects[key]?[offset] ^= 1
            for data in [CheckedData.none, .all] {
                let found = try await check(data).failures
                #expect(!found.isEmpty, "byte \(offset)")
                #expect(found.allSatisfy { $0.code != .wrongStore }, "byte \(offset): \(found)")
            }
            world.store.objects = sound
        }
    }

    @Test("E7.12 the last commit's bytes are compared with the known ones")
    func storedBytes() async throws {
        let key = try #require(
            world.store.objects.keys.filter { $0.description.contains("/log/") }.max())
        // The fifth bit of a frame's descriptor has no meaning: what is decoded stays the same.
        let bytes = try #require(world.store.objects[key])
        try #require(Array(bytes[48..<52]) == [0x28, 0xB5, 0x2F, 0xFD])
        world.store.objects[key]?[52] ^= 0x10
        let found = try await check(.none).failures
        #expect(found.map(\.code) == [.corrupt], "\(found)")
    }
}
