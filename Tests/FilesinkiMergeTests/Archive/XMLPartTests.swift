import Testing

@testable import FilesinkiMerge

@Suite("Parts of archives in XML") struct XMLPartTests {
    @Test(arguments: [
        "", "text", " <a/>", "\u{FEFF}<a/>", "<a>", "<a></b>", "<a/><b/>", "<a x=1/>",
        "<!-- only -->",
    ])
    func `is no document`(_ text: String) {
        #expect(XMLPart(Array(text.utf8)) == nil)
    }

    @Test(arguments: [(100, true), (101, false)])
    func `elements are at most 100 deep`(_ depth: Int, _ isRead: Bool) {
        let text = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        #expect((XMLPart(Array(text.utf8)) != nil) == isRead)
    }

    private static let text =
        "<?xml version=\"1.0\"?><r xmlns=\"u\" xmlns:p='v'><a x=\"1\" y='2'>t<b/></a> <!-- c --><a/>\n<d><a z=\"&lt;\"/></d></r>\n"

    @Test func `elements have their places`() throws {
        let part = try #require(XMLPart(Array(Self.text.utf8)))
        func shown(_ slice: ArraySlice<UInt8>) -> String { String(decoding: slice, as: UTF8.self) }
        #expect(
            part.elements.indices.map { shown(part.name($0)) } == ["r", "a", "b", "a", "d", "a"])
        #expect(part.elements.map(\.parent) == [nil, 0, 1, 0, 0, 4])
        #expect(part.elements.map(\.children) == [[1, 3, 4], [2], [], [], [5], []])
        #expect(part.elements.map(\.end) == [6, 3, 3, 4, 6, 6])
        #expect(shown(part.text(1)) == "<a x=\"1\" y='2'>t<b/></a>")
        #expect(shown(part.slice(part.elements[1].content)) == "t<b/>")
        #expect(part.elements[3].content.isEmpty)
        #expect(shown(part.slice(part.elements[3].range)) == "<a/>")
    }

    @Test func `elements are found by their names, if there is one`() throws {
        let part = try #require(XMLPart(Array(Self.text.utf8)))
        #expect(part.child("d", of: 0) == 4)
        #expect(part.child("a", of: 0) == nil)
        #expect(part.child("b", of: 0) == nil)
        #expect(part.element(["r"]) == 0)
        #expect(part.element(["r", "d", "a"]) == 5)
        #expect(part.element(["r", "a"]) == nil)
        #expect(part.element(["d"]) == nil)
        #expect(part.element([]) == nil)
    }

    @Test func `attributes have their values as they are written`() throws {
        let part = try #require(XMLPart(Array(Self.text.utf8)))
        func value(_ name: String, _ element: Int) -> String? {
            part.attribute(name, of: element).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(value("x", 1) == "1")
        #expect(value("y", 1) == "2")
        #expect(value("z", 1) == nil)
        #expect(value("z", 5) == "&lt;")
        #expect(value("x", 2) == nil)
        #expect(
            part.namespaces == [
                Array("xmlns".utf8): Array("u".utf8), Array("xmlns:p".utf8): Array("v".utf8),
            ])
    }

    @Test(arguments: [
        ("<r/>", true), ("<r></r>", true), ("<r> \n</r>", true), ("<r><a/> <b/>\n</r>", true),
        ("<r>x<a/></r>", false),
        ("<r><a/>x</r>", false), ("<r><a/>x<b/></r>", false), ("<r><a>x</a></r>", true),
        ("<r><!-- c --></r>", false),
    ])
    func `a container has nothing but white space between its children`(
        _ text: String, _ isContainer: Bool
    ) throws {
        let part = try #require(XMLPart(Array(text.utf8)))
        #expect(part.isContainer(0) == isContainer)
    }

    @Test func `a copy can leave out elements and attributes`() throws {
        let part = try #require(
            XMLPart(Array("<r><a x=\"1\" y=\"2\"><b x=\"3\"/>t</a><c/></r>".utf8)))
        func copy(_ element: Int, without name: String, _ edit: XMLPart.AttributeEdit) -> String {
            let bytes = part.text(element, without: { part.isNamed($0, name) }) { _, attribute in
                attribute.isNamed("x") ? edit : .keep
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(copy(0, without: "", .keep) == "<r><a x=\"1\" y=\"2\"><b x=\"3\"/>t</a><c/></r>")
        #expect(copy(0, without: "", .remove) == "<r><a y=\"2\"><b/>t</a><c/></r>")
        #expect(copy(0, without: "b", .replace([0x39])) == "<r><a x=\"9\" y=\"2\">t</a><c/></r>")
        #expect(copy(0, without: "a", .remove) == "<r><c/></r>")
        #expect(copy(1, without: "c", .remove) == "<a y=\"2\"><b/>t</a>")
    }

    @Test func `a copy has only the tags of what is emptied`() throws {
        let part = try #require(
            XMLPart(Array("<r><a x=\"1\">t<b y=\"2\"/></a>u<b/><b>v</b></r>".utf8)))
        func copy(_ emptied: String, _ edit: XMLPart.AttributeEdit) -> String {
            let bytes = part.text(
                0, edit: { $1.isNamed("x") ? edit : .keep },
                isEmptied: { part.isNamed($0, emptied) })
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(copy("a", .keep) == "<r><a x=\"1\"></a>u<b/><b>v</b></r>")
        #expect(copy("a", .remove) == "<r><a></a>u<b/><b>v</b></r>")
        #expect(copy("b", .keep) == "<r><a x=\"1\">t<b y=\"2\"/></a>u<b/><b></b></r>")
    }

    @Test func `white space before and behind children`() throws {
        let part = try #require(XMLPart(Array("<r>\n <a/>\t<b/> </r>".utf8)))
        #expect(Array(part.gap(before: 1)) == Array("\n ".utf8))
        #expect(Array(part.gap(before: 2)) == Array("\t".utf8))
        #expect(Array(part.lastGap(0)) == Array(" ".utf8))
    }

    /// Marks of a start and an end, and those that have no counterpart.
    @Test(arguments: [
        ("", []), ("<s n='1'/><e n='1'/>", []), ("<s n='1'/>", ["s 1"]), ("<e n='1'/>", ["s 1"]),
        ("<s n='1'/><e n='2'/>", ["s 1", "s 2"]), ("<s/><e n='1'/><s n='1'/>", []),
        ("<e m='1'/>", []),
    ])
    func `marks without a counterpart`(_ marks: String, _ unpaired: [String]) throws {
        let part = try #require(XMLPart(Array("<r>\(marks)</r>".utf8)))
        let found = PairedMarks.unpaired([PairedMarks(start: "s", end: "e", attribute: "n")], part)
        #expect(Set(found.map { String(decoding: $0, as: UTF8.self) }) == Set(unpaired))
    }

    @Test func `attributes that are there twice`() throws {
        let part = try #require(
            XMLPart(Array("<r><a n='1'/><a n='1'/><b n='1'/><a n='2'/><a m='1'/></r>".utf8)))
        var repeated = RepeatedAttributes()
        for element in part.elements.indices {
            let name = String(decoding: part.name(element), as: UTF8.self)
            for attribute in part.attributes(element) { repeated.add(name, attribute) }
        }
        #expect(repeated.repeated == [Array("a n=1 (2 times)".utf8)])
    }
}
