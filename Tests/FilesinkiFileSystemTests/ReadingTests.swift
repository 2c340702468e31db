import FilesinkiModel
import Glibc
import Testing

@testable import FilesinkiFileSystem

@Suite struct ReadingTests {
    let tree: TemporaryTree

    init() throws { tree = try TemporaryTree() }

    @Test("a file is read whole", arguments: ["", "x", String(repeating: "long", count: 10_000)])
    func whole(_ text: String) throws {
        try tree.write(text, to: "a")
        let (bytes, status) = try tree.root.readWhole(RelativePath("a"), limit: 1 << 20)
        #expect(bytes == Array(text.utf8))
        #expect(try status.stamp == tree.stamp("a"))
        var pieces: [UInt8] = []
        let second = try tree.root.readChunks(RelativePath("a"), bufferSize: 7) { piece in
            #expect(piece.count <= 7)
            pieces += piece
        }
        #expect(pieces == bytes && second == status)
    }

    @Test(
        "a path that cannot be read gives the reason",
        arguments: [
            ("none", Failure.Code.notFound), ("folder", .changing), ("fifo", .changing),
            ("link", .badPath), ("large", .limit),
        ])
    func refusals(_ name: String, _ code: Failure.Code) throws {
        try tree.makeFolder("folder")
        #expect(mkfifo(tree.absolute("fifo"), 0o600) == 0)
        try tree.link("large", at: "link")
        try tree.write("12345678901", to: "large")
        let failure = #expect(throws: Failure.self) {
            try tree.root.readWhole(RelativePath(name), limit: 10)
        }
        #expect(failure?.code == code)
        #expect(failure?.path == Array(name.utf8))
    }

    @Test(
        "a file that changes while it is read gives no content",
        arguments: ["in place", "longer"])
    func changing(_ how: String) throws {
        try tree.write("1234567890", to: "a")
        let failure = #expect(throws: Failure.self) {
            try tree.root.readChunks(RelativePath("a"), bufferSize: 4) { _ in
                try tree.write(how == "longer" ? "123456789012345" : "0987654321", to: "a")
            }
        }
        #expect(failure?.code == .changing)
    }

    @Test(
        "a file is read piece by piece, and its end says whether it changed",
        arguments: [nil, "edited12", "longer than before"])
    func pieces(_ edit: String?) throws {
        try tree.write("12345678", to: "a")
        let reader = try tree.root.reader(RelativePath("a"))
        var bytes = try reader.next(3) ?? []
        #expect(bytes == Array("123".utf8))
        if let edit { try tree.write(edit, to: "a") }
        while let piece = try reader.next(5) { bytes += piece }
        guard edit != nil else {
            #expect(bytes == Array("12345678".utf8))
            #expect(try reader.finish().stamp == tree.stamp("a"))
            return
        }
        let failure = #expect(throws: Failure.self) { try reader.finish() }
        #expect(failure?.code == .changing)
    }

    @Test func `a file that was not read to its end is not confirmed`() throws {
        try tree.write("12345678", to: "a")
        let reader = try tree.root.reader(RelativePath("a"))
        _ = try reader.next(3)
        #expect(throws: Failure.self) { try reader.finish() }
    }

    @Test(
        "a file of the limit is read, a longer one is not",
        arguments: [(0, true), (9, true), (10, true), (11, false)])
    func limit(_ size: Int, _ isRead: Bool) throws {
        try tree.write(String(repeating: "x", count: size), to: "a")
        let bytes = try? tree.root.readWhole(RelativePath("a"), limit: 10).bytes
        #expect(bytes?.count == (isRead ? size : nil))
    }

    @Test func `the mode of a file to be replaced is kept, and a folder is refused`() throws {
        try tree.write("x", to: "a", mode: 0o640)
        try tree.link("a", at: "l")
        try tree.makeFolder("d")
        #expect(try tree.root.modeToKeep(at: RelativePath("a")) == 0o640)
        #expect(try tree.root.modeToKeep(at: RelativePath("l")) == nil)
        #expect(try tree.root.modeToKeep(at: RelativePath("none")) == nil)
        let failure = #expect(throws: Failure.self) {
            try tree.root.modeToKeep(at: RelativePath("d"))
        }
        #expect(failure?.code == .exists)
    }

    @Test(
        "names of any bytes make the round trip",
        arguments: [
            Array("a\nb".utf8), [0xFF, 0xFE], Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8),
            Array(repeating: UInt8(ascii: "n"), count: 255), Array("-rf".utf8), Array(" ".utf8),
            Array("\u{1B}[31m".utf8), Array("\\".utf8),
        ])
    func names(_ name: [UInt8]) throws {
        let path = try RelativePath(name)
        let outcome = try tree.writer.install(tree.staged("x"), at: path, expecting: .absent)
        #expect(outcome != .surprised)
        let result = try Scanner(root: tree.root, filter: EverythingFilter()).scan(BaseSnapshot([]))
        #expect(result.candidates.map(\.path) == [path])
        #expect(try tree.root.readWhole(path, limit: 10).bytes == Array("x".utf8))
    }

    @Test func `the two Unicode forms of an accented letter are two files`() throws {
        for (name, text) in [("caf\u{E9}", "one"), ("cafe\u{301}", "two")] {
            let path = try RelativePath(name)
            #expect(
                try tree.writer.install(tree.staged(text), at: path, expecting: .absent)
                    != .surprised)
        }
        #expect(
            try tree.root.readWhole(RelativePath("caf\u{E9}"), limit: 10).bytes == Array("one".utf8)
        )
        #expect(try tree.names().count == 2)
    }

    @Test func `a root with only the state folder is empty`() throws {
        try tree.makeFolder(".filesinki")
        #expect(try tree.root.isEmpty())
        try tree.write("x", to: "a")
        #expect(try !tree.root.isEmpty())
    }
}
