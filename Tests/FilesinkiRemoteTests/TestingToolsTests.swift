import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

/// The tools of the tests, which all other tests believe.
@Suite struct TestingToolsTests {
    @Test func `a tree makes the round trip`() throws {
        let folder = try TemporaryFolder()
        let old = Timestamp(seconds: 12, nanoseconds: 345)
        var tree: TreeFixture = [
            "a": .file("text", modified: old), "empty": .file(""),
            "d": .directory(["b": .file("y", mode: 0o755), "e": .directory([:], mode: 0o700)]),
            "l": .symlink("no/where"), "\u{E9}": .file("NFC"), "e\u{301}": .file("NFD"),
            "fifo": .special,
        ]
        tree[.init([0x66, 0xFF])] = .file("not UTF-8")
        try tree.write(to: folder.path("tree"))
        var found = try TreeFixture.read(folder.path("tree"), times: true)
        #expect(found["a"] == .file("text", modified: old))
        found = try TreeFixture.read(folder.path("tree"))
        tree["a"] = .file("text")
        #expect(found == tree)
        tree["a"] = .file("Text")
        #expect(found != tree)
    }

    @Test func `writing replaces an existing file and keeps the others`() throws {
        let folder = try TemporaryFolder()
        let first: TreeFixture = [
            "a": .directory(["x": .file("1")]), "b": .file("2"), "c": .symlink("b"),
        ]
        let second: TreeFixture = ["a": .file("3"), "c": .directory(["y": .file("4")])]
        try first.write(to: folder.path)
        try second.write(to: folder.path)
        let wanted: TreeFixture = [
            "a": .file("3"), "b": .file("2"), "c": .directory(["y": .file("4")]),
        ]
        #expect(try TreeFixture.read(folder.path) == wanted)
    }

    @Test func `a temporary folder is removed with its last reference`() throws {
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = folder?.path ?? ""
        let tree: TreeFixture = ["d": .directory(["x": .file("1", mode: 0)], mode: 0o500)]
        try tree.write(to: path)
        folder = nil
        #expect(throws: FixtureError.self) { try TreeFixture.read(path) }
    }

    @Test func `the generator is SplitMix64`() {
        // The first numbers of seed 1234567, as published with the reference implementation.
        var random = SeededRandom(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        #expect(random.bytes(5).count == 5)
    }

    @Test func `a manual clock advances by what is slept`() async throws {
        let clock = ManualClock(now: Timestamp(seconds: 10, nanoseconds: 0))
        try await clock.systemContext.sleep(.milliseconds(1500))
        clock.advance(by: .nanoseconds(1))
        #expect(clock.systemContext.now() == Timestamp(seconds: 11, nanoseconds: 500_000_001))
        #expect(clock.slept == [.milliseconds(1500)])
        #expect(clock.systemContext.randomBytes(16) != clock.systemContext.randomBytes(16))
    }

    @Test func `counts requests by verb, and bytes`() async throws {
        let remote = CountingRemote(MemoryRemote())
        let key = try ObjectKey("a/1")
        try await remote.put([1, 2, 3], to: key)
        _ = try await remote.publish([1, 2], to: ObjectKey("log/1/c"))
        _ = try await remote.get(key, range: 0..<2)
        _ = try await remote.get(ObjectKey("a/2"), range: nil)
        _ = try await remote.list(prefix: "", after: nil, limit: 1)
        try await remote.delete(key)
        try await remote.wait(prefix: "", timeout: .zero)
        var wanted = RequestCounts()
        (wanted.puts, wanted.publications, wanted.gets) = (1, 1, 2)
        (wanted.lists, wanted.deletions, wanted.waits) = (1, 1, 1)
        (wanted.bytesRead, wanted.bytesWritten) = (2, 5)
        #expect(remote.counts == wanted)
        #expect(remote.counts.requests == 6)
        #expect(remote.counts.writes == 3)
        remote.reset()
        #expect(remote.counts == RequestCounts())
    }
}
