import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import FilesinkiText
import Glibc
import Testing

@testable import FilesinkiStoreIndex

/// What pages are told of a store.
@Suite("The index of a store") struct StoreIndexTests {
    private let folder: TemporaryFolder
    private let remote = MemoryRemote()

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    private var index: StoreIndex { StoreIndex(remote, folder: folder.path("page")) }

    private func answer(_ index: StoreIndex, _ name: String, _ body: String = "") async throws
        -> [String]
    {
        let lines = try await index.answer(name, CallArguments(Array(body.utf8)))
        return try #require(lines).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The values of one member in each line, as they are written.
    private func values(
        _ member: String, _ index: StoreIndex, _ name: String, _ body: String = ""
    ) async throws -> [String] {
        try await answer(index, name, body).map { line in
            let tree = try JSONTree(Array(line.utf8))
            let found = tree.children.first { $0.name.elementsEqual(member.utf8) }
            return found.map { String(decoding: $0.text, as: UTF8.self) } ?? "-"
        }
    }

    /// A folder with two files, of which one was edited, one renamed, and one is gone.
    private func history() async throws -> LogFixture {
        var store = try await LogFixture(at: remote)
        try await store.commit(
            [.folder("d"), .file("d/one", "one"), .file("two", "2"), .file("old", "moved")],
            inline: LogFixture.inline("one", "2", "moved"), on: 10)
        try await store.commit(
            [.file("d/one", "one more", basedOn: 1)], inline: LogFixture.inline("one more"),
            by: LogFixture.device("desktop", 0xD2), on: 10)
        try await store.commit(
            [
                .deletion("two", basedOn: 1), .deletion("old", basedOn: 1),
                .file("d/new", "moved", basedOn: 0, from: "old"),
            ], on: 12, operation: "watch")
        return store
    }

    // MARK: What is shown

    @Test func `the timeline has the newest commit first, and its pages meet`() async throws {
        _ = try await history()
        #expect(try await values("sequence", index, "log") == ["3", "2", "1"])
        #expect(try await values("sequence", index, "log", #"{"limit":2}"#) == ["3", "2"])
        #expect(try await values("sequence", index, "log", #"{"limit":2,"before":2}"#) == ["1"])
        let line = try await answer(index, "log", #"{"limit":1}"#)[0]
        #expect(
            line == """
                {"type":"commit","sequence":3,"time":"1970-01-13T01:00:00.000000000Z",\
                "device":"laptop","device_id":"\(String(repeating: "d1", count: 16))",\
                "operation":"watch","added":0,"modified":0,"deleted":1,"renamed":1,"superseded":0,\
                "paths":["d/new","two"]}
                """)
    }

    @Test func `a commit lists its changes by path`() async throws {
        _ = try await history()
        let body = #"{"version":3}"#
        #expect(try await values("path", index, "changes", body) == ["d/new", "old", "two"])
        #expect(
            try await values("kind", index, "changes", body) == ["file", "tombstone", "tombstone"])
        #expect(try await values("moved_from", index, "changes", body) == ["old", "-", "-"])
        let next = #"{"version":3,"limit":1,"after":"d/new"}"#
        #expect(try await values("path", index, "changes", next) == ["old"])
        #expect(try await values("path", index, "changes", #"{"version":9}"#) == [])
    }

    @Test func `the edit of a file that was renamed before is no rename`() async throws {
        var store = try await LogFixture(at: remote)
        try await store.commit([.file("a", "one")])
        try await store.commit([.file("b", "one", from: "a"), .deletion("a", basedOn: 1)])
        try await store.commit([.file("b", "one more", basedOn: 2, from: "a")])
        let body = #"{"path":"b"}"#
        #expect(try await values("moved_from", index, "versions", body) == ["-", "a"])
        #expect(try await values("modified", index, "log") == ["1", "0", "0"])
    }

    @Test func `a path has its versions, newest first, the superseded ones too`() async throws {
        var store = try await history()
        try await store.commit(
            [.file("two", "back", basedOn: 0)], superseded: [.file("two", "lost", basedOn: 1)])
        let body = #"{"path":"two"}"#
        #expect(try await values("version", index, "versions", body) == ["4", "4", "3", "1"])
        #expect(
            try await values("superseded", index, "versions", body)
                == ["false", "true", "false", "false"])
        #expect(
            try await values("version", index, "versions", #"{"path":"two","before":4}"#)
                == ["3", "1"])
        #expect(try await values("version", index, "versions", #"{"path":"d"}"#) == ["1"])
    }

    @Test func `a folder has its entries, and the sums of what is below`() async throws {
        _ = try await history()
        #expect(try await values("path", index, "files") == ["d"])
        #expect(try await values("bytes", index, "files") == ["13"])
        #expect(try await values("files", index, "files") == ["2"])
        #expect(
            try await values("path", index, "files", #"{"path":"d"}"#) == ["d/new", "d/one"])
        #expect(try await values("size", index, "files", #"{"path":"d"}"#) == ["5", "8"])
        #expect(
            try await values("path", index, "files", #"{"path":"d","after":"d/new"}"#) == ["d/one"])
        #expect(try await values("path", index, "usage", #"{"path":"d"}"#) == ["d/one", "d/new"])
        #expect(try await values("bytes", index, "usage") == ["13"])
    }

    @Test func `a deleted file is listed until it is there again; a renamed one is not`()
        async throws
    {
        var store = try await history()
        #expect(try await values("path", index, "deleted") == ["two"])
        #expect(try await values("version", index, "deleted") == ["1"])
        try await store.commit([
            .deletion("d/one", basedOn: 2), .deletion("d/new", basedOn: 3),
        ])
        #expect(try await values("path", index, "deleted") == ["d/one", "d/new", "two"])
        let next = #"{"limit":2,"before":4,"path":"d/one"}"#
        #expect(try await values("path", index, "deleted", next) == ["d/new", "two"])
        try await store.commit([.file("two", "2", basedOn: 3)])
        #expect(try await values("path", index, "deleted") == ["d/one", "d/new"])
        // Nothing is left below the folder, and of its files nothing is counted.
        #expect(try await values("files", index, "files") == ["0", "-"])
    }

    @Test func `devices that have one name are told apart`() async throws {
        var store = try await history()
        try await store.commit(
            [.file("x", "x")], inline: LogFixture.inline("x"),
            by: LogFixture.device("laptop", 0xD3))
        let names = try await values("device", index, "devices")
        #expect(names == ["laptop-d3d3", "laptop-d1d1", "desktop"])
        #expect(try await values("commits", index, "devices") == ["1", "2", "1"])
        #expect(try await values("stored_bytes", index, "devices") == ["1", "9", "8"])
    }

    @Test func `growth counts by day what commits added and prunes freed`() async throws {
        var store = try await history()
        let pack = PackReference(
            id: Array(repeating: 7, count: 16), size: 1000, indexHash: ContentHasher.hash([1]))
        // The second commit names the pack again.
        for _ in 0..<2 { try await store.commit([], packs: [pack], on: 13) }
        try await store.commit(
            [], on: 14, operation: "prune",
            pruning: Pruning(retired: [pack.id], kept: KeptVersions(), ended: 3))
        let days = [
            #"{"day":"1970-01-11","commits":2,"stored_bytes":17,"freed_bytes":0}"#,
            #"{"day":"1970-01-13","commits":1,"stored_bytes":0,"freed_bytes":0}"#,
            #"{"day":"1970-01-14","commits":2,"stored_bytes":1000,"freed_bytes":0}"#,
            #"{"day":"1970-01-15","commits":1,"stored_bytes":0,"freed_bytes":1000}"#,
        ]
        let list = days.joined(separator: ",")
        #expect(
            try await answer(index, "growth") == [
                #"{"type":"growth","stored_bytes":17,"days":[\#(list)]}"#
            ])
        // The prune has ended the deletions: no version of what they deleted is kept.
        #expect(try await values("path", index, "deleted") == [])
        let store6 = [#""commits":6,"files":2,"bytes":13,"versions":5,"stored_bytes":17"#]
        #expect(try await answer(index, "store") == store6.map { #"{"type":"store",\#($0)}"# })
    }

    @Test(
        "invalid arguments are refused",
        arguments: [
            ("versions", "{}"), ("changes", "{}"), ("log", #"{"before":"x"}"#),
            ("deleted", #"{"before":1}"#),
            ("files", #"{"after":7}"#), ("log", "[]"),
        ])
    func invalid(_ name: String, _ body: String) async throws {
        _ = try await history()
        let failure = await #expect(throws: Failure.self) {
            _ = try await answer(index, name, body)
        }
        #expect(failure?.code == .usage)
        #expect(try await index.answer("nosuch", CallArguments([])) == nil)
    }

    // MARK: Contents

    @Test func `a version's content is read, and a missing one is named`() async throws {
        _ = try await history()
        let index = index
        for (path, version, text) in [
            ("d/one", 1, "one"), ("d/one", 2, "one more"), ("two", 1, "2"),
        ] {
            let content = try await index.content(of: RelativePath(path), version: UInt64(version))
            #expect(content.size == Int64(text.utf8.count))
            #expect(try await content.next() == Array(text.utf8))
            #expect(try await content.next() == nil)
        }
        for (path, version) in [("d/one", 3), ("two", 3), ("d", 1), ("none", 1)] {
            let failure = await #expect(throws: Failure.self) {
                _ = try await index.content(of: RelativePath(path), version: UInt64(version))
            }
            #expect(failure?.code == .notFound, "\(path)@\(version)")
        }
    }

    @Test func `what no pack and no commit holds is gone, and what differs is damage`() async throws
    {
        var store = try await LogFixture(at: remote)
        var longer = try LogFixture.file("longer", "text")
        longer.entry.size = 9
        try await store.commit(
            [try .file("gone", "gone"), longer], inline: LogFixture.inline("text"))
        let gone = await #expect(throws: Failure.self) {
            _ = try await index.content(of: RelativePath("gone"), version: 1)
        }
        #expect(gone?.code == .notFound)
        let content = try await index.content(of: RelativePath("longer"), version: 1)
        _ = try await content.next()
        let damage = await #expect(throws: Failure.self) { _ = try await content.next() }
        #expect(damage?.code == .corrupt)
    }

    // MARK: The index itself

    @Test func `a second call reads what is new, and nothing else of the log`() async throws {
        var store = try await history()
        let counting = CountingRemote(remote)
        let index = StoreIndex(counting, folder: folder.path("page"))
        #expect(try await values("sequence", index, "log").count == 3)
        for number in 4...40 {
            try await store.commit([.file("two", "\(number)", basedOn: 1)])
        }
        _ = try await answer(index, "log")
        let before = counting.counts.requests
        #expect(try await values("sequence", index, "log", #"{"limit":1}"#) == ["40"])
        // The description of the store, and the end of the log.
        #expect(counting.counts.requests - before <= 3)
        // Another process goes on where this one was.
        let other = StoreIndex(counting, folder: folder.path("page"))
        let middle = counting.counts.requests
        #expect(try await values("sequence", other, "log", #"{"limit":1}"#) == ["40"])
        #expect(counting.counts.requests - middle <= 3)
    }

    @Test func `two indexes of one folder count each commit once`() async throws {
        var store = try await history()
        let (one, two) = (index, index)
        _ = try await answer(one, "log")
        _ = try await answer(two, "log")
        try await store.commit([.file("x", "x")], inline: LogFixture.inline("x"))
        async let first = answer(one, "store")
        async let second = answer(two, "store")
        #expect(try await first == second)
        #expect(try await values("stored_bytes", one, "store") == ["18"])
    }

    @Test func `another store in the same place is read from its start`() async throws {
        _ = try await history()
        let index = index
        #expect(try await values("files", index, "store") == ["2"])
        for object in try await remote.list(prefix: "", after: nil, limit: 1000) {
            try await remote.delete(object.key)
        }
        var other = try await LogFixture(at: remote, seed: 2)
        try await other.commit([.file("alone", "1")])
        #expect(try await values("path", index, "files") == ["alone"])
        #expect(try await values("commits", index, "store") == ["1"])
        // The same store again, but its history is another one since it was restored.
        for object in try await remote.list(prefix: "zones/", after: nil, limit: 1000) {
            try await remote.delete(object.key)
        }
        var restored = try await LogFixture(at: remote, seed: 3)
        try await restored.commit([.file("restored", "1")])
        #expect(try await values("path", index, "files") == ["restored"])
    }

    @Test func `a damaged file is made again`() async throws {
        _ = try await history()
        #expect(try await values("sequence", index, "log").count == 3)
        let file = folder.path("page/files.sqlite")
        for end in ["-wal", "-shm"] { unlink(file + end) }
        let handle = open(file, O_WRONLY | O_TRUNC)
        let noise = Array("This is no database. ".utf8)
        _ = noise.withUnsafeBytes { write(handle, $0.baseAddress, $0.count) }
        close(handle)
        #expect(try await values("sequence", index, "log").count == 3)
    }

    @Test func `of an encrypted store nothing is shown, and without a store that is said`()
        async throws
    {
        let missing = await #expect(throws: Failure.self) { _ = try await answer(index, "log") }
        #expect(missing?.code == .notFound)
        _ = try await StoreFormat.create(
            at: remote, systemContext: ManualClock().systemContext,
            keyFingerprint: String(repeating: "ab", count: 16))
        for call in StoreCall.allCases {
            #expect(try await answer(index, call.rawValue) == [#"{"type":"encrypted"}"#])
        }
        let content = await #expect(throws: Failure.self) {
            _ = try await index.content(of: RelativePath("a"), version: 1)
        }
        #expect(content?.code == .notFound)
    }

    @Test func `a hostile commit breaks no sum and no answer`() async throws {
        var store = try await LogFixture(at: remote)
        var huge = try LogFixture.file("d/huge", "x")
        huge.entry.size = .max
        let name: [UInt8] = [0x64, 0x2F, 0xFF, 0x22, 0x5C]
        for number in 0..<3 {
            try await store.commit(
                [
                    try .file("d/huge\(number)", "x"), huge, try .file(name, "<script>"),
                    try .deletion("none", basedOn: 0),
                ],
                packs: [
                    PackReference(
                        id: Array(repeating: UInt8(number), count: 16), size: .max,
                        indexHash: ContentHasher.hash([1]))
                ],
                by: LogFixture.device("\u{0}\u{202E}\"<b>"), on: -100_000)
        }
        let index = index
        for (call, body) in [
            ("store", ""), ("log", ""), ("changes", #"{"version":1}"#), ("files", #"{"path":"d"}"#),
            ("usage", #"{"path":"d"}"#), ("devices", ""), ("growth", ""), ("deleted", ""),
            ("versions", #"{"path_bytes":"642fff225c"}"#),
        ] {
            for line in try await answer(index, call, body) {
                #expect(throws: Never.self) { try JSONTree(Array(line.utf8)) }
            }
        }
        #expect(
            try await values("path_bytes", index, "versions", #"{"path_bytes":"642fff225c"}"#)
                == ["642fff225c", "642fff225c", "642fff225c"])
        #expect(try await values("path", index, "deleted") == [])
    }
}

extension Change {
    fileprivate static func folder(_ path: String) throws -> Change { try LogFixture.folder(path) }

    fileprivate static func file(
        _ path: String, _ text: String, basedOn: UInt64 = 0, from origin: String? = nil
    ) throws -> Change {
        try LogFixture.file(path, text, basedOn: basedOn, from: origin)
    }

    fileprivate static func file(_ path: [UInt8], _ text: String) throws -> Change {
        try LogFixture.file(path, text)
    }

    fileprivate static func deletion(_ path: String, basedOn: UInt64) throws -> Change {
        try LogFixture.deletion(path, basedOn: basedOn)
    }
}
