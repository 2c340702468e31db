import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiEngine

/// An upload that is interrupted goes on where it was. Packs have random names and are never removed here, so whatever
/// is sent twice shows as more bytes in the store.
@Suite("Resumed uploads")
struct ResumedUploadTests {
    private static let count = 16
    private static let size = 700_000
    private static let total = count * size

    /// 11 MB that do not shrink: two packs, or many small ones after an interruption.
    private static let tree = TreeFixture(
        Dictionary(
            uniqueKeysWithValues: (0..<count).map { number in
                (
                    TreeFixture.Name(Array("f\(number)".utf8)),
                    UploadTests.noise(size, seed: 500 + UInt64(number))
                )
            }))

    /// Runs until one is not interrupted. Returns the number of runs.
    ///
    /// - Parameter prepare: Called before each run.
    private func syncThroughout(
        _ machine: Machine, _ prepare: (_ run: Int) async throws -> Void
    ) async throws -> Int {
        for run in 1...40 {
            try await prepare(run)
            do {
                if try await machine.sync().away == nil { return run }
            } catch let failure as Failure where failure.code == .interrupted {}
        }
        Issue.record("It never ends.")
        return 0
    }

    @Test(
        "every upload call is interrupted once, and nothing is sent twice",
        arguments: [
            FaultyRemote.Fault.before(.away), .after(.away), .before(.interrupted),
            .after(.interrupted),
        ])
    func everyCall(_ fault: FaultyRemote.Fault) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(Self.tree)
        // After a run that could store nothing, packs are small.
        for _ in 0..<2 {
            world.remote.plan(.init(.before(.away), verb: .put, prefix: "packs/"))
        }
        #expect(try await a.sync().away != nil)
        #expect(world.packCount == 0)
        let runs = try await syncThroughout(a) { _ in
            // One pack is stored, the next call fails.
            world.remote.plan(.init(fault, verb: .put, prefix: "packs/", skip: 1))
        }
        #expect(runs > 3)
        #expect(try await world.repeatedMembers() == 0)
        #expect(world.packedBytes < Self.total * 102 / 100)
        try await b.sync()
        #expect(try b.tree() == a.tree())
        #expect(try await world.commits().flatMap(\.packs).count == world.packCount)
        #expect(a.text(".filesinki/unpublished-packs") == nil)
    }

    @Test("a large file goes on at the chunk that it was interrupted at")
    func largeFile() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(["large": UploadTests.noise(Self.total)])
        let runs = try await syncThroughout(a) { _ in
            world.remote.plan(.init(.before(.interrupted), verb: .put, prefix: "packs/", skip: 1))
        }
        #expect(runs > 2)
        #expect(world.packedBytes < Self.total * 102 / 100)
        try await b.sync()
        #expect(try b.tree() == a.tree())
    }

    @Test("an upload goes on after another device's commits")
    func otherDevice() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(Self.tree)
        _ = try await syncThroughout(a) { run in
            let name = TreeFixture.Name(Array("b\(run)".utf8))
            try b.write(
                TreeFixture([name: UploadTests.noise(300_000, seed: 900 + UInt64(run))]))
            try await b.sync()
            world.remote.plan(.init(.before(.away), verb: .put, prefix: "packs/", skip: 1))
        }
        let others = try b.names.filter { $0.hasPrefix("b") }.count
        #expect(world.packedBytes < (Self.total + others * 300_000) * 102 / 100)
        try await b.sync()
        #expect(try b.tree() == a.tree())
    }

    @Test("what another device stored meanwhile is not sent")
    func sameContents() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(Self.tree)
        try b.write(Self.tree)
        world.remote.plan(.init(.before(.interrupted), verb: .put, prefix: "packs/", skip: 1))
        await #expect(throws: Failure.self) { try await a.sync() }
        try await b.sync()
        let before = world.packedBytes
        try await a.sync()
        #expect(world.packedBytes == before)
        let c = try await world.replica("c")
        try await c.sync()
        #expect(try c.tree() == a.tree())
    }

    @Test("a pack that the store has lost is sent again, and no other")
    func lostPack() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(Self.tree)
        world.remote.plan(.init(.before(.away), verb: .publish))
        try await a.sync()
        let lost = try #require(world.packs.keys.min { "\($0)" < "\($1)" })
        world.store.objects[lost] = nil
        let sent = try await a.sync()
        #expect(sent.away == nil && sent.problems.isEmpty, "\(sent)")
        #expect(world.packedBytes < Self.total * 102 / 100)
        let received = try await b.sync()
        #expect(received.away == nil && received.problems.isEmpty, "\(received)")
        #expect(try b.tree() == a.tree())
    }

    @Test("a lost pack with chunks of a file is sent again, also if another one has its recipe")
    func lostChunks() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(["large": UploadTests.noise(Self.total)])
        world.remote.plan(.init(.before(.away), verb: .publish))
        try await a.sync()
        // The first pack is full of chunks; the last one ends with the recipe.
        let lost = try #require(world.packs.max { $0.value.count < $1.value.count }?.key)
        world.store.objects[lost] = nil
        // Something to read, so that the packs that are left are known before the large file is looked up.
        try a.write(["new": UploadTests.noise(300_000, seed: 2)])
        try await a.sync()
        #expect(world.packedBytes < (Self.total + 300_000) * 102 / 100)
        let received = try await b.sync()
        #expect(received.problems.isEmpty, "\(received)")
        #expect(try b.tree() == a.tree())
    }

    @Test("packs of a replaced store count for nothing in the other one")
    func replacedStore() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("1")])
        try a.write(Self.tree)
        world.remote.plan(.init(.before(.away), verb: .publish))
        try await a.sync()
        let other = try World()
        _ = try await other.pair(["h": .file("z")])
        world.store.objects = other.store.objects
        let refusal = await #expect(throws: Failure.self) { try await a.sync() }
        let words = try #require(refusal).remedy.split { " .".contains($0) }
        let flag = try #require(words.firstIndex(of: "--approve"))
        try await a.sync { $0.approved = String(words[words.index(after: flag)]) }
        let c = try await world.replica("c")
        try await c.sync()
        #expect(try c.tree() == a.tree())
    }

    @Test("a file that was edited between the runs is sent as it is now")
    func edited() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(Self.tree)
        world.remote.plan(.init(.before(.away), verb: .publish))
        try await a.sync()
        try a.write(["f3": UploadTests.noise(Self.size, seed: 77)])
        try await a.sync()
        #expect(world.packedBytes < (Self.total + Self.size) * 102 / 100)
        try await b.sync()
        #expect(try b.tree() == a.tree())
    }

    @Test("a run that was not interrupted makes no small packs")
    func oneContent() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("1")])
        try a.write(["photo": UploadTests.noise(3_000_000)])
        try await a.sync()
        #expect(world.packCount == 1)
        #expect(a.text(".filesinki/unpublished-packs") == nil)
    }

    // MARK: The record

    private func pack(_ number: UInt8) -> PackReference {
        PackReference(
            id: [UInt8](repeating: number, count: PackReference.idLength), size: 1_000_000,
            indexHash: .none)
    }

    @Test("a record that a power cut has torn keeps its whole lines, and takes further ones")
    func torn() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = UnpublishedPacksFile(path: folder.path("packs"), store: [1])
        file.add(pack(1), isStored: true)
        file.add(pack(2), isStored: false)
        var status = stat()
        try #require(stat(file.path, &status) == 0)
        #expect(truncate(file.path, status.st_size - 20) == 0)
        let later = UnpublishedPacksFile(path: folder.path("packs"), store: [1])
        later.add(pack(3), isStored: true)
        #expect(try later.load().map(\.pack) == [pack(1), pack(3)])
        #expect(try later.load().map(\.isStored) == [true, true])
    }

    @Test("a record says which packs are complete, and of which store")
    func stores() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let one = UnpublishedPacksFile(path: folder.path("packs"), store: [1])
        let two = UnpublishedPacksFile(path: folder.path("packs"), store: [2])
        one.add(pack(1), isStored: false)
        two.add(pack(2), isStored: true)
        #expect(try one.load().map(\.isStored) == [false])
        try one.update(removing: [], confirming: [pack(1).id, pack(2).id])
        #expect(try one.load().map(\.isStored) == [true])
        one.add(pack(3), isStored: true)
        try one.update(removing: [pack(1).id, pack(2).id, pack(3).id])
        #expect(try one.load().isEmpty)
        #expect(try two.load().map(\.pack) == [pack(2)])
        try two.update(removing: [pack(2).id])
        #expect(access(two.path, F_OK) != 0)
    }
}

extension World {
    fileprivate var packs: [ObjectKey: [UInt8]] {
        store.objects.filter { $0.key.description.hasPrefix("packs/") }
    }

    fileprivate var packCount: Int { packs.count }

    /// How many contents, chunks and recipes are in more than one pack.
    fileprivate func repeatedMembers() async throws -> Int {
        var seen: Set<ContentID> = []
        var repeated = 0
        for pack in Set(try await commits().flatMap(\.packs)) {
            let index = try await PackReader(remote: store, reference: pack).index()
            index.forEachMember { id, _ in
                if !seen.insert(id).inserted { repeated += 1 }
            }
        }
        return repeated
    }
    fileprivate var packedBytes: Int { packs.values.reduce(0) { $0 + $1.count } }
}
