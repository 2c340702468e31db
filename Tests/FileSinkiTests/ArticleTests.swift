import Foundation
import Testing

/// The articles show code that compiles.
@Suite("Articles of the documentation")
struct ArticleTests {
    private static let project = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let articles = project.appending(path: "Sources/FileSinki/FileSinki.docc")

    static let names =
        (try? FileManager.default.contentsOfDirectory(atPath: articles.path))?
        .filter { $0.hasSuffix(".md") }.sorted() ?? []

    /// Without what only sets it out, for lines are broken elsewhere where they are indented.
    private static func bare(_ text: some StringProtocol) -> String {
        String(text.filter { !$0.isWhitespace })
    }

    private static func snippets(_ article: String) throws -> [String] {
        let text = try String(contentsOf: articles.appending(path: article), encoding: .utf8)
        return text.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
    }

    @Test func `there are articles`() throws {
        #expect(Self.names.count == 6)
        #expect(try Self.names.allSatisfy { try !Self.snippets($0).isEmpty })
    }

    @Test("the code in the articles is the code of the compiled examples", arguments: names)
    func compiled(_ article: String) throws {
        let compiled = try ["FileSinkiTests", "FileSinkiRecordsTests"].map { target in
            let source = Self.project.appending(path: "Tests/\(target)/ArticleSnippets.swift")
            return Self.bare(try String(contentsOf: source, encoding: .utf8))
        }.joined()
        for snippet in try Self.snippets(article) {
            #expect(compiled.contains(Self.bare(snippet)), "\(snippet)")
        }
    }
}
