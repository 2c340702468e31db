import Foundation
import Testing

/// `Docs/Rows.md` is correct: each of its rows has a test with its id, or a reason for none.
@Suite struct RowsTests {
    /// One line of the table.
    private struct Row {
        var ids: [String]
        var text: String

        /// Whether it says that there is no test, and why.
        var isWithoutTest: Bool { text.hasPrefix("None: ") }
    }

    private static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func ids(in text: some StringProtocol) -> [String] {
        String(text).matches(of: /\b[A-Z]{2}-[0-9]{2}\b/).map { String($0.output) }
    }

    private static func page() throws -> String {
        try String(contentsOf: package.appending(path: "Docs/Rows.md"), encoding: .utf8)
    }

    private static func rows() throws -> [Row] {
        try page().split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", maxSplits: 1)
            guard line.hasPrefix("| "), cells.count == 2, !ids(in: cells[0]).isEmpty else {
                return nil
            }
            return Row(
                ids: ids(in: cells[0]),
                text: cells[1].trimmingCharacters(in: CharacterSet(charactersIn: " |")))
        }
    }

    private static let ofAllTests = Result { try tested() }

    /// The ids in the names of all tests and suites, without those in comments.
    private static func tested() throws -> Set<String> {
        let folder = package.appending(path: "Tests")
        var found: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix("Tests.swift") && !path.hasSuffix("RowsTests.swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            // A name is in the line of @Test or @Suite, in one of the two below, or in a func's backticks.
            let lines = text.utf8.split(separator: 10, omittingEmptySubsequences: false)
                .map { Substring($0) }
            for (index, line) in lines.enumerated() {
                let isName = line.holds("@Test") || line.holds("@Suite")
                guard isName || line.holds("func `") else { continue }
                for near in lines[index..<min(index + (isName ? 3 : 1), lines.count)]
                where !near.trimmingCharacters(in: .whitespaces).hasPrefix("//") {
                    found.formUnion(ids(in: near))
                }
            }
        }
        return found
    }

    @Test func `each row that names a test has a test with its id`() throws {
        let tested = try Self.ofAllTests.get()
        let rows = try Self.rows()
        #expect(
            rows.count > 80 && tested.count > 80, "the page or the tests are not read as they are")
        let missing = rows.filter { !$0.isWithoutTest }.flatMap(\.ids).filter {
            !tested.contains($0)
        }
        #expect(missing == [], "rows without a test of that id")
    }

    @Test func `a row without a test is marked so, and no row is listed twice`() throws {
        let tested = try Self.ofAllTests.get()
        let rows = try Self.rows()
        #expect(rows.filter(\.isWithoutTest).flatMap(\.ids).filter(tested.contains) == [])
        let ids = rows.flatMap(\.ids)
        #expect(Set(ids).count == ids.count)
    }

    @Test func `each folder, suite and test that it names is there`() throws {
        let folder = Self.package.appending(path: "Tests")
        let paths = Set(try FileManager.default.subpathsOfDirectory(atPath: folder.path))
        let names = try Self.page().matches(
            of: /`(?:Tests\/)?([A-Za-z0-9]+Tests)(?:\/([A-Za-z0-9]+))?`/)
        #expect(names.count > 10, "the page is not read as it is")
        for name in names {
            let (all, suite, test) = name.output
            if test == nil, paths.contains(String(suite)) { continue }
            guard let path = paths.first(where: { $0.hasSuffix("/\(suite).swift") }) else {
                Issue.record("\(all) is no folder and no suite")
                continue
            }
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            #expect(text.contains("@Test"), "\(all)")
            if let test { #expect(text.contains("func \(test)("), "\(all)") }
        }
    }

    @Test func `each row of its parts is listed`() throws {
        let ids = Set(try Self.rows().flatMap(\.ids))
        for (part, last) in [
            ("FB", 24), ("FI", 20), ("FS", 20), ("KV", 16), ("CS", 7), ("ZE", 6), ("FL", 5),
            ("CK", 29), ("SE", 9),
        ] {
            for number in 1...last {
                let id = part + (number < 10 ? "-0\(number)" : "-\(number)")
                #expect(ids.contains(id), "\(id)")
            }
        }
    }
}
