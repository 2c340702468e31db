import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Testing

@Suite("Tokens and scopes of events")
struct EventTokenTests {
    private static let hash = String(repeating: "0a", count: 32)

    @Test(
        "a token makes the round trip and has plain characters only",
        arguments: ["0.all", "12.all", "12.3", "18446744073709551615.4294967295"])
    func roundTrip(_ position: String) throws {
        let text = "fsk1.files.00ff00ff00ff00ff.7.\(position).\(Self.hash)"
        let token = try EventToken(parsing: text)
        #expect(token.description == text)
    }

    @Test(
        "an invalid token is a usage failure",
        arguments: [
            "", "0", "fsk1", "fsk2.files.00ff00ff00ff00ff.7.1.all.\(hash)",
            "fsk1.files.00ff.7.1.all.\(hash)", "fsk1.files.00ff00ff00ff00ff.-7.1.all.\(hash)",
            "fsk1.files.00ff00ff00ff00ff.7.x.all.\(hash)",
            "fsk1.files.00ff00ff00ff00ff.7.1.some.\(hash)",
            "fsk1.files.00ff00ff00ff00ff.7.0.1.\(hash)",
            "fsk1.files.00ff00ff00ff00ff.7.1.all.\(hash)0",
            "fsk1.files.00ff00ff00ff00ff.7.1.all.\(hash) ",
            "fsk1..00ff00ff00ff00ff.7.1.all.\(hash)",
        ])
    func refused(_ text: String) {
        let failure = #expect(throws: Failure.self) { try EventToken(parsing: text) }
        #expect(failure?.code == .usage)
    }

    /// A scope's parts, with a slash behind a folder, and whether they include a path.
    private static let scopes: [(scope: [String], path: [UInt8], isTold: Bool)] = [
        ([], Array("a".utf8), true),
        ([], [0xFF, 0x2F, 0xFE], true),
        (["a/"], Array("a/x".utf8), true),
        (["a/"], Array("a/x/y".utf8), true),
        (["a/"], Array("a".utf8), false),
        (["a/"], Array("ba/x".utf8), false),
        (["a/"], Array("ab/x".utf8), false),
        (["a/"], Array("b/a/x".utf8), false),
        (["ba/"], Array("a/x".utf8), false),
        (["a"], Array("a".utf8), true),
        (["a"], Array("a/x".utf8), false),
        (["a"], Array("ab".utf8), false),
        (["a/b/"], Array("a/b/c".utf8), true),
        (["a/b/"], Array("a/bc".utf8), false),
        (["a/"], Array("A/x".utf8), false),
        (["a/"], Array("a/".utf8) + [0xFF, 0x0A], true),
        (["a", "b/"], Array("b/x".utf8), true),
        (["a", "b/"], Array("b".utf8), false),
    ]

    @Test(
        "FS-13: a trailing slash selects everything inside the folder, and 'a/' never 'ba/'",
        arguments: scopes)
    func scope(_ parts: [String], _ path: [UInt8], _ isTold: Bool) throws {
        let scope = try EventScope(
            parts.map { part in
                part.hasSuffix("/")
                    ? .inside(try RelativePath(String(part.dropLast())))
                    : .exactly(try RelativePath(part))
            })
        #expect(scope.contains(RelativePath(unchecked: path)) == isTold)
    }

    @Test("FS-13: a folder whose name is not UTF-8 is compared by its bytes")
    func bytes() throws {
        let scope = EventScope([.inside(try RelativePath([0xE9]))])
        #expect(scope.contains(try RelativePath([0xE9, 0x2F, 0x61])))
        #expect(!scope.contains(try RelativePath([0xC3, 0xA9, 0x2F, 0x61])))
        #expect(!scope.contains(try RelativePath([0xE8, 0x2F, 0x61])))
    }
}
