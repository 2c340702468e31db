import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import FilesinkiText
import Testing

@testable import FilesinkiStoreIndex

/// The lines of pages, and how many there may be.
@Suite("Pages of the index") struct StoreIndexPageTests {
    private let folder: TemporaryFolder
    private let remote = MemoryRemote()

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    private var index: StoreIndex { StoreIndex(remote, folder: folder.path("page")) }

    private func lines(_ name: String, _ body: String) async throws -> [String] {
        let lines = try await index.answer(name, CallArguments(Array(body.utf8)))
        return try #require(lines).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "an answer has at least one line and at most 200, whatever is asked for",
        arguments: [
            ("", 200), (#","limit":0"#, 1), (#","limit":1"#, 1), (#","limit":199"#, 199),
            (#","limit":200"#, 200), (#","limit":201"#, 200),
        ])
    func limits(_ limit: String, _ count: Int) async throws {
        var store = try await LogFixture(at: remote)
        let files = try (0..<205).map { try LogFixture.file("f\($0)", "x") }
        try await store.commit(files, inline: LogFixture.inline("x"))
        #expect(try await lines("changes", #"{"version":1\#(limit)}"#).count == count)
    }

    @Test func `a version of a file has its content, what it is based on and its device`()
        async throws
    {
        var store = try await LogFixture(at: remote)
        try await store.commit([.file("a", "one")], inline: LogFixture.inline("one"), on: 9)
        try await store.commit(
            [.file("b", "one more", basedOn: 1, from: "a"), .deletion("a", basedOn: 1)],
            inline: LogFixture.inline("one more"), by: LogFixture.device("desktop", 0xD2), on: 10)
        let line = try #require(try await lines("versions", #"{"path":"b"}"#).first)
        let hash = ContentHasher.hash(Array("one more".utf8))
        #expect(
            line.hasPrefix(
                """
                {"type":"version","path":"b","version":2,"time":"1970-01-11T01:00:00.000000000Z",\
                "device":"desktop","superseded":false,"kind":"file",\
                "modified":"1970-01-02T01:00:00.000000000Z","size":8,"content":"\(hash)",\
                "based_on":1,"moved_from":"a"
                """), "\(line)")
        let deleted = try #require(try await lines("versions", #"{"path":"a","limit":1}"#).first)
        #expect(deleted.contains(#""kind":"tombstone","based_on":1"#), "\(deleted)")
    }

    @Test func `a link has its target, a folder its time alone`() async throws {
        var store = try await LogFixture(at: remote)
        let link = Change(
            path: try RelativePath("link"),
            entry: .symlink(to: Array("d/one".utf8), modified: LogFixture.day(1)), basedOn: 0)
        try await store.commit([.folder("d"), link])
        let modified = #""modified":"1970-01-02T01:00:00.000000000Z","#
        let found = try await lines("changes", #"{"version":1}"#)
        #expect(found.count == 2)
        #expect(found[0].contains(#""kind":"directory",\#(modified)"based_on":0"#), "\(found[0])")
        #expect(
            found[1].contains(#""kind":"symlink",\#(modified)"target":"d/one","based_on":0"#),
            "\(found[1])")
    }

    @Test func `of a version and one that lost against it the version is the content`() async throws
    {
        var store = try await LogFixture(at: remote)
        try await store.commit([.file("a", "base")], inline: LogFixture.inline("base"))
        try await store.commit(
            [.file("a", "won", basedOn: 1)], inline: LogFixture.inline("won", "lost"),
            superseded: [.file("a", "lost", basedOn: 1)])
        // Where nothing else is of that path, the one that lost is.
        try await store.commit(
            [.file("b", "other")], inline: LogFixture.inline("other", "left"),
            superseded: [.file("a", "left", basedOn: 2)])
        let index = index
        for (version, text) in [(1, "base"), (2, "won"), (3, "left")] as [(UInt64, String)] {
            let content = try await index.content(of: RelativePath("a"), version: version)
            #expect(content.size == Int64(text.utf8.count))
            #expect(try await content.next() == Array(text.utf8))
            // The end stays the end.
            #expect(try await content.next() == nil)
            #expect(try await content.next() == nil)
        }
    }
}

extension Change {
    fileprivate static func file(
        _ path: String, _ text: String, basedOn: UInt64 = 0, from origin: String? = nil
    ) throws -> Change { try LogFixture.file(path, text, basedOn: basedOn, from: origin) }

    fileprivate static func folder(_ path: String) throws -> Change { try LogFixture.folder(path) }

    fileprivate static func deletion(_ path: String, basedOn: UInt64) throws -> Change {
        try LogFixture.deletion(path, basedOn: basedOn)
    }
}
