import Testing

@testable import FilesinkiCommands

@Suite("The difference of contents that are not compared line by line")
struct LongDiffTests {
    private static func differ(_ old: [UInt8], _ new: [UInt8]) -> [String] {
        UnifiedDiff(old, new).lines("old", "new", TerminalStyle(isEnabled: false))
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("of a text with too many lines, it says so")
    func long() {
        let text = Array(String(repeating: "line\n", count: 20_001).utf8)
        #expect(
            Self.differ(text, Array("line\n".utf8))
                == ["old and new differ: more than 20000 lines are not compared line by line"])
    }

    @Test("of a binary content, it says only that it differs")
    func binary() {
        #expect(Self.differ([0], [1]) == ["old and new differ"])
    }
}
