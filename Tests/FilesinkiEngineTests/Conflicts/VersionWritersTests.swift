import FilesinkiHashing
import FilesinkiModel
import Testing

@testable import FilesinkiEngine

@Suite("Who wrote what is in place of conflicts")
struct VersionWritersTests {
    private static func path(_ name: String) throws -> RelativePath {
        try RelativePath(Array(name.utf8))
    }

    private static func item(
        _ text: String, _ version: UInt64 = 3, isKnown: Bool = true
    ) -> VersionWriters.Item {
        VersionWriters.Item(
            version: version, device: isKnown ? Device(id: [1, 2], name: "Änne B") : nil,
            origin: 2, content: ContentHasher.hash(Array(text.utf8)))
    }

    /// One conflict is open, and one has ended.
    private static func noted() throws -> VersionWriters {
        var before = VersionWriters()
        before.items[try path("ended (x)")] = item("old")
        var noted = VersionWriters()
        noted.items[try path("open")] = item("new")
        noted.copies[try path("open (conflict b 00000000)")] = 4
        noted.keepEnded(of: before)
        return noted
    }

    @Test("the note is read as it was written", arguments: [true, false], [true, false])
    func roundTrip(_ isStale: Bool, _ isKnown: Bool) throws {
        var noted = try Self.noted()
        noted.isStale = isStale
        noted.items[try Self.path("other")] = Self.item("text", isKnown: isKnown)
        #expect(VersionWriters(noted.bytes) == noted)
    }

    @Test("the note tells what a resolve has put in place, also after that has ended")
    func chosen() throws {
        let path = try Self.path("open")
        var (before, noted) = (VersionWriters(), VersionWriters())
        var item = Self.item("chosen")
        item.isChosen = true
        before.items[try Self.path("ended")] = item
        noted.items[path] = item
        noted.items[try Self.path("other")] = VersionWriters.Item(
            version: 4, device: nil, origin: 4, content: nil, isChosen: true)
        noted.keepEnded(of: before)
        let read = VersionWriters(noted.bytes)
        #expect(read == noted)
        #expect(read.isChosen(item.version, at: path) && !read.isChosen(4, at: path))
        let ended = read.item(of: item.content, at: try Self.path("ended"))
        #expect(ended?.isChosen == true)
    }

    @Test(
        "what has ended is known by its content, also in another store", arguments: [true, false])
    func ended(_ isElsewhere: Bool) throws {
        var noted = try Self.noted()
        if isElsewhere { noted.forgetVersions() }
        let found = noted.item(
            of: ContentHasher.hash(Array("old".utf8)), at: try Self.path("ended (x)"))
        #expect(found?.device?.name == "Änne B")
        #expect(found?.origin == (isElsewhere ? 0 : 2))
        #expect(
            noted.item(of: ContentHasher.hash(Array("new".utf8)), at: try Self.path("ended (x)"))
                == nil)
        #expect(noted.item(of: nil, at: try Self.path("ended (x)")) == nil)
    }

    @Test("of a path the last one is kept, and of all paths the newest")
    func kept() throws {
        var noted = VersionWriters()
        for number in 0..<150 {
            var before = noted
            before.items = [
                try Self.path("f\(number)"): Self.item("text"),
                try Self.path("g"): Self.item("\(number)"),
            ]
            noted = VersionWriters()
            noted.keepEnded(of: before)
        }
        #expect(noted.endedPaths.count == 100)
        #expect(noted.endedPaths.contains(try Self.path("f149")))
        #expect(!noted.endedPaths.contains(try Self.path("f0")))
        let last = ContentHasher.hash(Array("149".utf8))
        #expect(noted.item(of: last, at: try Self.path("g")) != nil)
    }

    @Test("what is still in place has not ended, and an unknown writer is not noted")
    func open() throws {
        let path = try Self.path("open")
        var before = VersionWriters()
        before.items = [
            path: Self.item("new"), try Self.path("gone"): Self.item("x", isKnown: false),
        ]
        var noted = VersionWriters()
        noted.items[path] = Self.item("new", 7)
        noted.keepEnded(of: before)
        #expect(noted.endedPaths.isEmpty)
        noted.items[path] = Self.item("later", 8)
        noted.keepEnded(of: before)
        #expect(noted.endedPaths == [path])
    }

    @Test("lines without origin or content are read, and malformed ones are skipped")
    func lines() throws {
        let device = "0102 61"
        let text = """
            66 3 \(device)
            67 4 \(device) 2
            68 x \(device) 2
            ended 69 3 \(device) 2
            6a 5 0102
            copy 66 9

            """
        let noted = VersionWriters(Array(text.utf8))
        #expect(noted.items.keys.sorted() == [try Self.path("f"), try Self.path("g")])
        #expect(noted.origin(of: 3, at: try Self.path("f")) == 3)
        #expect(noted.origin(of: 4, at: try Self.path("g")) == 2)
        #expect(noted.writer(of: 4, at: try Self.path("g"))?.name == "a")
        #expect(noted.copies[try Self.path("f")] == 9)
        #expect(noted.endedPaths.isEmpty)
    }
}
