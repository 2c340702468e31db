import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// Folders of which rules ignore everything.
@Suite struct FilledFoldersTests {
    /// Ignores files whose names begin with `x`, and folders whose names end with `.out`.
    private struct Rules: ScanFilter {
        func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool {
            isDirectory
                ? name.suffix(4).elementsEqual(".out".utf8) : name.first == UInt8(ascii: "x")
        }

        func entering(
            _ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?
        ) rethrows -> any ScanFilter { self }
    }

    private func isFilled(_ tree: TreeFixture) throws -> Bool {
        let folder = try TemporaryFolder()
        let root: TreeFixture = ["d": .directory(tree)]
        try root.write(to: folder.path("root"))
        var ignored = IgnoredPaths(
            root: try RootFolder(path: folder.path("root")), filter: Rules())
        return ignored.fill(try RelativePath("d"))
    }

    @Test(
        "files and symlinks are told from folders",
        arguments: [
            ([:], false), (["e": .directory()], false), (["x1": .file("1")], true),
            (["x1": .file("1"), "y": .file("1")], false),
            (["s": .directory(["x1": .file("1")]), "e": .directory()], true),
            (["b.out": .directory(["y": .file("1")])], true), (["b.out": .file("1")], false),
            // A symlink is no folder, wherever it leads.
            (["b.out": .symlink(".")], false), (["x1": .symlink("..")], true),
            (["x1": .directory(["y": .file("1")])], false),
        ] as [(TreeFixture, Bool)])
    func kinds(_ tree: TreeFixture, _ isFilled: Bool) throws {
        #expect(try self.isFilled(tree) == isFilled)
    }

    @Test(
        "a folder with more than a thousand names is not looked through",
        arguments: [1_000, 1_001])
    func bound(_ count: Int) throws {
        var tree = TreeFixture()
        for number in 1..<count { tree[.init(Array("x\(number)".utf8))] = .file("") }
        tree["s"] = .directory()
        #expect(try isFilled(tree) == (count == 1_000))
    }
}
