import FilesinkiModel
import FilesinkiXML
import Testing

@Suite struct XMLReaderTests {
    @Test(
        "reads what servers send",
        arguments: [
            ("<a/>", XMLNode("a")),
            ("<?xml version=\"1.0\"?>\n<a>x</a>\n", XMLNode("a", text: "x")),
            ("<a b=\"c\"> x <!-- y --> z </a>", XMLNode("a", text: " x  z ")),
            ("<a>1<b>2</b>3</a>", XMLNode("a", text: "13", children: [XMLNode("b", text: "2")])),
            ("<a>&lt;&amp;&#65;&#x42;<![CDATA[<&]]></a>", XMLNode("a", text: "<&AB<&")),
            ("<a>æøå</a>", XMLNode("a", text: "æøå")), ("\u{FEFF}<a/>", XMLNode("a")),
            ("<D:a xmlns:D=\"DAV:\"/>", XMLNode("a", namespace: "DAV:")),
            (
                "<a xmlns=\"u\"><x:b xmlns:x=\"v\"/><c/><d xmlns=\"\"/></a>",
                XMLNode(
                    "a", namespace: "u",
                    children: [
                        XMLNode("b", namespace: "v"), XMLNode("c", namespace: "u"), XMLNode("d"),
                    ])
            ),
        ])
    func documents(_ text: String, node: XMLNode) throws {
        #expect(try XMLReader.parse(Array(text.utf8), maximumElements: 10) == node)
    }

    @Test func `reads other encodings that a document names`() throws {
        let latin = Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>".utf8) + [0xE6]
        let node = try XMLReader.parse(latin + Array("</a>".utf8), maximumElements: 1)
        #expect(node == XMLNode("a", text: "æ"))
    }

    @Test func `finds children by name`() throws {
        let text = """
            <m xmlns="DAV:" xmlns:o="other"><o:r>0</o:r><r><h>1</h></r><r><h>2</h><h>3</h></r></m>
            """
        let node = try XMLReader.parse(Array(text.utf8), maximumElements: 10)
        #expect(node.first("r")?.text == "0")
        #expect(node.first("r", namespace: "DAV:")?.text(of: "h") == "1")
        #expect(node.all("r").count == 3)
        #expect(
            node.all("r", namespace: "DAV:").map { $0.all("h").map(\.text) } == [
                ["1"], ["2", "3"],
            ])
        #expect(node.first("h") == nil)
        #expect(node.text(of: "nothing") == nil)
        #expect(node.all("nothing").isEmpty)
    }

    @Test(
        "rejects incomplete and malformed documents",
        arguments: [
            "", " ", "x", "<", "<a", "<a>", "<a></b>", "<a/><b/>", "<a/>x", "<a b=c/>", "</a>",
            "<a>&nbsp;</a>", "<a>&#0;</a>", "<x:a/>", "<a\u{0}/>", "{\"a\": 1}",
            "<?xml version=\"1.0\" encoding=\"klingon\"?><a/>", "<a><![CDATA[x</a>",
            "<a xmlns=\"u&#10;v\"/>", "<html><body><br><p>Log in</body></html>",
        ])
    func malformed(_ text: String) {
        refused(Array(text.utf8), because: "")
    }

    @Test(
        "refuses document types and entities",
        arguments: [
            "<!DOCTYPE html><html/>", "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
            "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>",
            "<!DOCTYPE a [<!ENTITY % b SYSTEM \"http://localhost/\"> %b;]><a/>",
        ])
    func documentTypes(_ text: String) {
        refused(Array(text.utf8), because: "document type")
    }

    @Test func `refuses a billion laughs before the first`() {
        let entities = (1...30).map { number in
            "<!ENTITY l\(number) \"\(String(repeating: "&l\(number - 1);", count: 10))\">"
        }
        let bomb = "<!DOCTYPE a [<!ENTITY l0 \"ha\">\(entities.joined())]><a>&l30;</a>"
        refused(Array(bomb.utf8), because: "document type")
    }

    @Test func `accepts as many elements as allowed, and not one more`() throws {
        let text = Array("<a><b/><b/><b/></a>".utf8)
        #expect(try XMLReader.parse(text, maximumElements: 4).children.count == 3)
        refused(text, because: "elements", maximumElements: 3)
    }

    @Test func `accepts a depth up to its limit`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            let text =
                [String](repeating: "<a>", count: depth) + [String](repeating: "</a>", count: depth)
            return Array(text.joined().utf8)
        }
        _ = try XMLReader.parse(nested(XMLReader.maximumDepth), maximumElements: 100)
        refused(nested(XMLReader.maximumDepth + 1), because: "deep")
        refused(nested(200_000), because: "deep", maximumElements: .max)
        refused(Array(String(repeating: "<a>", count: 200_000).utf8), because: "deep")
    }

    @Test func `accepts names up to their limit`() throws {
        let name = String(repeating: "n", count: XMLReader.maximumNameLength)
        #expect(try XMLReader.parse(Array("<\(name)/>".utf8), maximumElements: 1).name == name)
        refused(Array("<\(name)n/>".utf8), because: "name")
        refused(Array("<a xmlns=\"\(name)\"/>".utf8), because: "name")
    }

    @Test func `refuses every truncation of a document`() {
        let text = Array("<?xml version=\"1.0\"?><m xmlns=\"DAV:\"><r>&amp;æ</r><r/></m>".utf8)
        for length in text.indices { refused(Array(text[..<length]), because: "") }
    }

    private func refused(
        _ bytes: [UInt8], because word: String, maximumElements: Int = 1000,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let failure = #expect(throws: Failure.self, sourceLocation: location) {
            try XMLReader.parse(bytes, maximumElements: maximumElements)
        }
        #expect(failure?.code == .corrupt, sourceLocation: location)
        #expect(
            failure?.message.contains(word) == true, "\(String(describing: failure))",
            sourceLocation: location)
    }
}
