import FilesinkiXML
import Testing

@Suite("The places of tags and comments")
struct XMLTokensTests {
    private func tokens(_ text: String, depth: Int = 10, count: Int = 10) -> [String]? {
        let bytes = Array(text.utf8)
        let tokens = XMLTokens.read(bytes, maximumDepth: depth, maximumTokens: count)
        return tokens?.map { "\($0.kind) \(String(decoding: bytes[$0.range], as: UTF8.self))" }
    }

    @Test("each has its bytes, and the end of an empty element has none")
    func places() {
        #expect(
            tokens("<?xml version='1.0'?><!-- ä --><a b='>'>x<c/>&amp;<![CDATA[<d>]]><?e f?></a >")
                == [
                    "comment <!-- ä -->", "startTag <a b='>'>", "startTag <c/>", "endTag ",
                    "instruction <?e f?>", "endTag </a >",
                ])
    }

    @Test("limits")
    func limits() {
        #expect(tokens("<a><b/></a>", depth: 2, count: 4) != nil)
        #expect(tokens("<a><b/></a>", depth: 1) == nil)
        #expect(tokens("<a><b/></a>", count: 3) == nil)
    }

    @Test(
        "what is rejected",
        arguments: [
            "<a>", "<a:b/>", "<!DOCTYPE a [ ]><a/>", "<a>&b;</a>", "<a b='1' b='2'/>",
            "<?xml version='1.0' encoding='UTF-16'?><a/>",
            "<?xml version='1.0' encoding='latin1'?><a/>",
        ])
    func rejected(_ text: String) {
        #expect(tokens(text) == nil)
    }
}
