import FilesinkiText
import Foundation
import Testing

@testable import FilesinkiRules

/// Compares `Docs/Settings.md` with what the reader knows.
@Suite struct SettingsPageTests {
    let page: String

    init() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        page = try String(contentsOfFile: root + "/Docs/Settings.md", encoding: .utf8)
    }

    /// The rows of the table below a heading: the cells, without the names of the columns.
    private func rows(below heading: String) throws -> [[String]] {
        let parts = page.components(separatedBy: "\n## \(heading)\n")
        #expect(parts.count == 2)
        let section = try #require(parts.last?.components(separatedBy: "\n## ").first)
        return section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// A cell that is code.
    private func code(_ cell: String) -> String { cell.trimmingCharacters(in: ["`"]) }

    private var examples: String {
        page.components(separatedBy: "```toml\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }.joined(separator: "\n")
    }

    @Test func `each key for all paths is on the page with its default, and no other`() throws {
        let rows = try rows(below: "For all paths")
        #expect(rows.map { code($0[0]) } == SettingKey.allCases.map(\.rawValue))
        #expect(
            rows.map { code($0[2]) }
                == SettingKey.allCases.map { TOMLWriter.value($0.standard) })
    }

    @Test func `each key of a rule is on the page, and no other`() throws {
        let rows = try rows(below: "For some paths")
        let keys = try rows.map { row in
            let parts = try #require(TOMLReader.key(code(row[0])))
            return try #require(RuleKey(parts), "\(parts)")
        }
        #expect(keys == RuleKey.allCases)
    }

    @Test func `each rule of a prune is on the page, and no other`() throws {
        let rows = try rows(below: "For prune")
        #expect(rows.map { code($0[0]) } == PruneKey.allCases.map(\.rawValue))
    }

    @Test func `the reader accepts the examples, and each key has one`() throws {
        let file = try SettingsDocument(Array(examples.utf8), file: "Settings.md", source: .device)
        #expect(file.mistakes.isEmpty, "\(file.mistakes)")
        let keys = file.entries.map(\.key)
        #expect(Set(keys.compactMap { SettingKey($0) }) == Set(SettingKey.allCases))
        #expect(Set(keys.compactMap { PruneKey($0) }) == Set(PruneKey.allCases))
        let rules = keys.filter { $0.first == SettingsDocument.rule }.map { Array($0.dropFirst(2)) }
        #expect(Set(rules.compactMap { RuleKey($0) }) == Set(RuleKey.allCases))
    }
}
