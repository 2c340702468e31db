import Foundation
import Testing

/// `Docs/Reliability.md` is complete, and the tests that it names exist.
@Suite struct ReliabilityPageTests {
    private static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func page() throws -> String {
        try String(contentsOf: package.appending(path: "Docs/Reliability.md"), encoding: .utf8)
    }

    @Test func `each promise and each attack has one row, with a test`() throws {
        let rows = try Self.page().split(separator: "\n").filter {
            $0.contains(/^\| [PT][0-9]+ \|/)
        }
        let ids = rows.map { $0.split(separator: "|")[0].trimmingCharacters(in: .whitespaces) }
        #expect(ids == (1...16).map { "P\($0)" } + (1...27).map { "T\($0)" })
        for row in rows { #expect(row.contains(/Tests`/), "\(row.prefix(60))") }
    }

    @Test func `each file that it names is there, and has tests`() throws {
        let names = Set(try Self.page().matches(of: /`([A-Za-z0-9\/]+Tests)`/).map(\.1))
        #expect(names.count > 80, "the page is not read as it is")
        for name in names {
            let file = Self.package.appending(path: "Tests/\(name).swift")
            let text = try? String(contentsOf: file, encoding: .utf8)
            #expect(text?.contains("@Test") == true, "\(name)")
        }
    }
}
