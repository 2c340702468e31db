import FilesinkiModel
import FilesinkiProtocol
import FilesinkiTesting
import Testing

@Suite struct StreamHeadTests {
    static let heads: [(String, StreamHead)] = [
        ("200\n", StreamHead("200")),
        ("GET /v1/list?prefix=a\n", StreamHead("GET /v1/list?prefix=a")),
        (
            "PUT /v1/objects/a\nContent-Length: 3\nUpload-Id: x: y\n",
            StreamHead(
                "PUT /v1/objects/a", [.init("Content-Length", "3"), .init("Upload-Id", "x: y")])
        ),
        ("200\nFound: \n", StreamHead("200", [.init("Found", "")])),
    ]

    @Test("a head is these lines, and these lines are the head", arguments: heads)
    func head(_ text: String, _ head: StreamHead) throws {
        #expect(try StreamHead.decode(Array(text.utf8)) == head)
        #expect(head.encoded == Array(text.utf8))
        #expect(head.isValid)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "\n", "200", "\nA: b\n", "200\n\n", "200\nA\n", "200\nA:b\n", "200\n: b\n",
            "200\nA b: c\n", "200\r\n", "200\nA: \u{7F}\n", "200\nA: \u{E9}\n", "200\nA: \0\n",
            "200\n" + String(repeating: "A: b\n", count: 101),
            "200\nA: " + String(repeating: "b", count: 16 << 10) + "\n",
        ])
    func refused(_ text: String) {
        let failure = #expect(throws: Failure.self) { try StreamHead.decode(Array(text.utf8)) }
        #expect(failure?.code == .corrupt)
    }

    @Test(
        "what would be another head is no value",
        arguments: ["a\nB: c", "a\r", "\u{0}", "\u{E9}"])
    func invalid(_ value: String) {
        #expect(!StreamHead("200", [.init("A", value)]).isValid)
        #expect(!StreamHead("GET " + value).isValid)
    }

    @Test func `names of fields are in any case`() {
        let head = StreamHead("200", [.init("content-length", "3"), .init("Content-Length", "4")])
        #expect(head["Content-Length"] == "3")
        #expect(head["Found"] == nil)
    }

    @Test func `mutated heads are read as they are, or refused`() {
        let counts = Fuzz(Self.heads.map { Array($0.0.utf8) }, count: 3_000).run { text in
            guard let head = try? StreamHead.decode(text) else { return false }
            #expect(head.encoded == text, "\(text)")
            return true
        }
        #expect(counts.isMixed, "\(counts)")
    }
}
