import FilesinkiCommands
import FilesinkiModel
import Foundation
import Testing

@Suite("Exit codes")
struct ExitCodeTests {
    /// The table of `Docs/CommandLine.md`, by the failures that lead to each number.
    static let table: [(Failure.Code, Int32)] = [
        (.notFound, 1), (.differs, 1), (.exists, 1),
        (.usage, 2), (.badPath, 2),
        (.io, 4),
        (.changing, 5),
        (.full, 6), (.limit, 6),
        (.notAllowed, 7), (.wrongStore, 7), (.unfitStore, 7),
        (.corrupt, 8), (.newerFormat, 8),
        (.tokenExpired, 9),
        (.away, 75), (.busy, 75),
        (.interrupted, 130),
    ]

    @Test("each failure code has its exit code", arguments: table)
    func codes(_ code: Failure.Code, _ number: Int32) {
        #expect(ExitCode(Failure(code, "No.", remedy: "")).rawValue == number)
    }

    @Test("each code is in a table of the document of the command line")
    func documented() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let document = try String(contentsOfFile: root + "/Docs/CommandLine.md", encoding: .utf8)
        let source = try String(
            contentsOfFile: root + "/Sources/FilesinkiModel/Failure.swift", encoding: .utf8)
        let codes = source.matches(of: /static let \w+ = Code\("([a-z-]+)"\)/)
        #expect(codes.count > 20)
        for code in codes { #expect(document.contains("`\(code.1)`"), "\(code.1)") }
    }

    @Test("any other error counts as local I/O")
    func foreign() {
        #expect(ExitCode(CancellationError()).rawValue == 4)
    }
}
