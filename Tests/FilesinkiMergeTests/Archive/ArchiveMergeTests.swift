import Testing

@testable import FilesinkiMerge

@Suite("Archives merged part by part")
struct ArchiveMergeTests {
    private static let list = "b/book.opf"
    private static let (first, second) = ("b/t/a.xhtml", "b/t/b.xhtml")

    /// A book with a picture, which is no part that is merged.
    private static func book(picture: String?, _ chapters: String = "AB") -> SampleArchive {
        let book = EPUBMergeTests.book(zip(["a", "b"], chapters).map { ($0, String($1)) })
        guard let picture else { return book }
        return book.edited(list, "</manifest>", "<item id=\"p\" href=\"p.png\"/></manifest>")
            .with([("b/p.png", picture)])
    }

    /// The pictures of the versions, and what becomes of them; nil for none.
    @Test(
        "a part that is not merged",
        arguments: [
            (nil, "x", nil, "x"), ("x", "y", "x", "y"), ("x", nil, "x", nil), ("x", "y", "y", "y"),
            ("x", nil, nil, nil), (nil, "x", "x", "x"),
        ] as [(String?, String?, String?, String?)])
    func copied(_ base: String?, _ ours: String?, _ theirs: String?, _ merged: String?) throws {
        let outcome = try SampleArchive.merged(
            .epub, Self.book(picture: base), Self.book(picture: ours, "1B"),
            Self.book(picture: theirs, "A2"))
        #expect(try outcome.part("b/p.png") == merged, "\(outcome.reasons)")
        #expect(try outcome.part(Self.first)?.contains("1") == true)
        #expect(try outcome.part(Self.second)?.contains("2") == true)
    }

    @Test(
        "a part that both changed, and that is not merged, is declined",
        arguments: [("x", "y", "z"), (nil, "y", "z"), ("x", nil, "z")]
            as [(String?, String?, String?)])
    func declined(_ base: String?, _ ours: String?, _ theirs: String?) throws {
        let outcome = try SampleArchive.merged(
            .epub, Self.book(picture: base), Self.book(picture: ours), Self.book(picture: theirs))
        #expect(try outcome.names() == ["declined", "b/p.png"], "\(outcome.reasons)")
    }

    @Test("a part of one side keeps its compressed bytes, its time and its place")
    func bytes() throws {
        var ours = Self.book(picture: "picture picture picture", "1B")
        ours.time = 5
        let outcome = try SampleArchive.merged(
            .epub, Self.book(picture: nil), ours, Self.book(picture: nil, "A2"))
        guard case .merged(let bytes) = outcome else {
            Issue.record("\(outcome.reasons)")
            return
        }
        let (result, side) = (try ZipArchive(bytes), try ZipArchive(try ours.bytes()))
        for name in ["b/p.png", Self.first] {
            let entry = try #require(result.entries.first { $0.name == Array(name.utf8) })
            let own = try #require(side.entries.first { $0.name == Array(name.utf8) })
            #expect(result.bytes[entry.local] == side.bytes[own.local])
            #expect(entry.modified == 0x21_0005)
        }
    }

    @Test("a merged part has the later time of both")
    func times() throws {
        let base = Self.book(picture: nil)
            .with([(Self.first, "<html>\n<h1>1</h1>\n<p>2</p>\n</html>\n")])
        var ours = base.edited(Self.first, ">1<", ">3<")
        var theirs = base.edited(Self.first, ">2<", ">4<")
        (ours.time, theirs.time) = (4, 9)
        for (ours, theirs) in [(ours, theirs), (theirs, ours)] {
            let outcome = try SampleArchive.merged(.epub, base, ours, theirs)
            guard case .merged(let bytes) = outcome else {
                Issue.record("\(outcome.reasons)")
                return
            }
            let result = try ZipArchive(bytes)
            let entry = try #require(result.entries.first { $0.name == Array(Self.first.utf8) })
            #expect(entry.modified == 0x21_0009)
        }
    }

    @Test("where one side has all that the other changed, the result is its archive")
    func same() throws {
        let (ours, theirs) = (Self.book(picture: nil, "1B"), Self.book(picture: nil, "12"))
        let outcome = try SampleArchive.merged(.epub, Self.book(picture: nil), ours, theirs)
        #expect(outcome == .merged(try theirs.bytes()))
    }

    @Test("archives without a common version are not merged")
    func created() throws {
        let input = MergeInput(
            base: nil, ours: try Self.book(picture: nil).bytes(),
            theirs: try Self.book(picture: "x").bytes())
        #expect(
            ArchiveMerge(kind: .epub).merge(input).reasons
                == "Both sides created it, and there is no common version.")
    }

    @Test("an archive of another kind is refused, also where it can be read")
    func otherKind() throws {
        let outcome = try SampleArchive.merged(
            .ooxml, Self.book(picture: nil), Self.book(picture: nil, "1B"),
            Self.book(picture: nil, "A2"))
        #expect(outcome.reasons == "The common version is not of the format ooxml.")
    }
}
