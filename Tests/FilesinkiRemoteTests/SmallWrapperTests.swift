import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@Suite struct SmallWrapperTests {
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

    @Test func `a read-only remote reads, and refuses every change`() async throws {
        let memory = MemoryRemote()
        let key = try ObjectKey("a/1")
        memory.objects = [key: [1]]
        let remote = ReadOnlyRemote(memory)
        #expect(try await remote.get(key, range: nil) == [1])
        #expect(try await remote.list(prefix: "", after: nil, limit: 9).count == 1)
        let changes: [() async throws -> Void] = [
            { try await remote.put([2], to: key) }, { try await remote.delete(key) },
            { _ = try await remote.publish([2], to: ObjectKey("log/1/c")) },
        ]
        for change in changes {
            let failure = await #expect(throws: Failure.self) { try await change() }
            #expect(failure?.code == .notAllowed)
        }
        #expect(memory.objects == [key: [1]])
    }

    @Test(
        "a key is names of the alphabet, none of which begins with a dot",
        arguments: [
            ("a", true), ("a/b-c_d.e/0", true), ("", false), ("/a", false), ("a/", false),
            ("a//b", false), (".", false), ("a/../b", false), ("a/.t", false), ("A", false),
            ("a b", false), ("ä", false), ("a\\b", false), ("a\0", false),
        ])
    func keys(_ text: String, isKey: Bool) {
        #expect(((try? ObjectKey(text)) != nil) == isKey)
    }
}
