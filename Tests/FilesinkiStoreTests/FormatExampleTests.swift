import FilesinkiHashing
import FilesinkiModel
import Foundation
import Testing

@testable import FilesinkiStore

/// The example in Docs/Format.md is read from there, so that it can never become wrong.
@Suite("The example in Docs/Format.md")
struct FormatExampleTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs/Format.md")

    /// The bytes of the example: of each line what stands before two spaces.
    private static func example() throws -> [UInt8] {
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "### An example\n").last)
        let block = section.components(separatedBy: "```")[1]
        let digits = block.split(separator: "\n").map { line in
            line.trimmingCharacters(in: .whitespaces).components(separatedBy: "  ")[0]
                .filter { $0 != " " }
        }
        return try #require(bytes(hexadecimal: digits.joined()))
    }

    private var draft: CommitDraft {
        get throws {
            let content = StoreFixture.content("hi\n")
            let time = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
            return CommitDraft(
                device: StoreFixture.device, time: time,
                changes: [
                    try StoreFixture.change(
                        "hi.txt", .file(content.id, size: 3, mode: 0o644, modified: time))
                ],
                inline: [content], operation: "save")
        }
    }

    @Test("it is read as described")
    func read() throws {
        let stored = try Self.example()
        let commit = try StoreFixture().coder.decode(stored, sequence: 1, key: "k")
        let draft = try draft
        #expect(commit.changes == draft.changes)
        #expect(commit.inline == draft.inline)
        #expect(commit.device == draft.device)
        #expect(commit.time == draft.time)
        #expect(commit.operation == draft.operation)
        #expect(commit.refused.isEmpty)
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(text.contains("`\(commit.token.hash)`"))
    }

    @Test("this program writes it")
    func write() throws {
        let fixture = try StoreFixture()
        let stored = try fixture.coder.encode(
            draft, after: fixture.log.genesis, id: StoreFixture.commitID(0xAA))
        let expected = try Envelope.open(Self.example(), as: .commit, key: "k")
        #expect(try Envelope.open(stored, as: .commit, key: "k") == expected)
    }
}
