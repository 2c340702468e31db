import Testing

@testable import FilesinkiMerge

@Suite("Names of parts in documents") struct PackagePathTests {
    @Test(arguments: [
        ("a", "a"), ("", ""), ("a&amp;b", "a&b"), ("&lt;&gt;&quot;&apos;", "<>\"'"),
        ("&amp;lt;", "&lt;"),
        ("&#97;", "&#97;"), ("&", "&"), ("a&amp", "a&amp"), ("&AMP;", "&AMP;"),
        ("&amp;&amp;", "&&"),
    ])
    func `entities are read once`(_ value: String, _ text: String) {
        // A slice that does not begin at 0.
        let bytes = Array("--\(value)".utf8)
        #expect(String(decoding: PackagePath.unescaped(bytes[2...]), as: UTF8.self) == text)
    }

    /// A reference, the part in which it is, and the part to which it leads; nil out of the archive.
    private static let references: [(String, String, String?)] = [
        ("b.xml", "a.xml", "b.xml"), ("b.xml", "f/a.xml", "f/b.xml"),
        ("/b.xml", "f/a.xml", "b.xml"),
        ("../b.xml", "f/a.xml", "b.xml"), ("../g/b.xml", "f/a.xml", "g/b.xml"),
        ("../../b.xml", "f/a.xml", nil), ("/../b.xml", "f/a.xml", nil), ("..", "f/g/a.xml", "f"),
        ("./b.xml", "f/a.xml", "f/b.xml"), ("g/./h/../b.xml", "f/a.xml", "f/g/b.xml"),
        ("g//b.xml", "f/a.xml", "f/g/b.xml"), ("b.xml#c", "f/a.xml", "f/b.xml"),
        ("b%20c", "a", "b c"),
        ("b%23c", "a", "b#c"), ("b%2Fc", "a", "b/c"), ("#c", "f/a.xml", "f"),
        ("media/b.png", "", "media/b.png"),
        ("...", "f/a", "f/..."), ("..b", "f/a", "f/..b"),
    ]

    @Test(arguments: references)
    func `a reference leads to a part`(_ reference: String, _ part: String, _ name: String?) {
        let found = PackagePath.resolved(Array(reference.utf8), from: Array(part.utf8))
        #expect(found.map { String(decoding: $0, as: UTF8.self) } == name)
    }

    @Test(arguments: [
        ("", "_rels/.rels"), ("a.xml", "_rels/a.xml.rels"), ("f/a.xml", "f/_rels/a.xml.rels"),
        ("f/g/a", "f/g/_rels/a.rels"),
    ])
    func `a part has a part with its relationships`(_ part: String, _ relationships: String) {
        let name = PackagePath.relationships(of: Array(part.utf8))
        #expect(String(decoding: name, as: UTF8.self) == relationships)
        #expect(PackagePath.source(ofRelationships: name) == Array(part.utf8))
    }

    @Test(arguments: [
        "a.xml", "a.rels", "f/a.xml.rels", "_rels/a.xml", "rels/a.rels", "f/_rels/g/a.rels",
        "x_relsa.rels", "",
    ])
    func `another part has none`(_ name: String) {
        #expect(PackagePath.source(ofRelationships: Array(name.utf8)) == nil)
    }
}
