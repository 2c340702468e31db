import FilesinkiModel
import Testing

@testable import FilesinkiEngine

/// Which paths a run for some paths syncs.
@Suite struct PathSelectionTests {
    private func paths(_ names: [String]) throws -> [RelativePath] {
        try names.map { try RelativePath($0) }
    }

    @Test(
        "a run for a path syncs it, what is below it, and the folders above it",
        arguments: [
            ("d/x.txt", true), ("d", true), ("d/x.txt/below", true), ("d/y", false), ("e", true),
            ("d/x.txtt", false), ("e/f/g", true), ("e/f", true), ("e/f/g/h/i", true),
            ("e/f/h", false),
        ])
    func contains(_ path: String, _ isSelected: Bool) throws {
        let named = try paths(["d/x.txt", "e/f/g"])
        let path = try RelativePath(path)
        #expect(PathSelection(paths: named).contains(path) == isSelected)
        #expect(PathSelection(only: Set(named)).contains(path) == isSelected)
        #expect(PathSelection(paths: []).contains(path))
        #expect(!PathSelection(only: []).contains(path))
    }

    @Test func `only the paths themselves are named`() throws {
        let selection = PathSelection(paths: try paths(["d/x"]))
        #expect(try selection.isNamed(RelativePath("d/x")))
        #expect(try !selection.isNamed(RelativePath("d")))
        #expect(try !selection.isNamed(RelativePath("d/x/y")))
    }

    @Test func `the copies that a run makes are added once`() throws {
        var selection = PathSelection(paths: try paths(["d/x"]))
        let copies = try paths(["e/copy", "e/copy", "d/x"])
        #expect(!selection.contains(copies[0]))
        selection.add(copies)
        #expect(selection.paths.map(\.description) == ["d/x", "e/copy"])
        #expect(try selection.contains(copies[0]) && selection.contains(RelativePath("e")))
        var everything = PathSelection.everything
        everything.add(copies)
        #expect(everything.paths.isEmpty && everything.isEverything)
    }
}
