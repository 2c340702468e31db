import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// Which paths the rules ignore, also paths that are not in the root.
@Suite struct IgnoredPathsTests {
    /// Ignores names, and below a folder with a file `rules` the name in that.
    private struct Names: ScanFilter {
        var names: Set<String>

        func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool {
            let name = String(decoding: name, as: UTF8.self)
            return names.contains(isDirectory ? name + "/" : name)
        }

        func entering(
            _ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?
        ) rethrows -> any ScanFilter {
            guard let bytes = try read("rules") else { return self }
            return Names(names: names.union([String(decoding: bytes, as: UTF8.self)]))
        }
    }

    @Test(
        "a path is ignored if it or a folder above it is",
        arguments: [
            ("gone", false, true), ("gone", true, false), ("d", false, false),
            ("build", true, true), ("build", false, false), ("build/x/y", false, true),
            ("d/build/x", false, true), ("none/at/all", false, false), ("none/gone", false, true),
            // The rules of the folder itself.
            ("d/own", false, true), ("own", false, false), ("d/s/own", false, true),
            ("e/own", false, false),
            // Nothing is read through a symlink, nor from a file or a folder of rules.
            ("link/own", false, false), ("link/s/own", false, false), ("file/own", false, false),
            ("e/rules", true, false),
        ] as [(String, Bool, Bool)])
    func table(_ path: String, _ isDirectory: Bool, _ isIgnored: Bool) throws {
        let folder = try TemporaryFolder()
        let tree: TreeFixture = [
            "d": .directory(["rules": .file("own"), "s": .directory()]),
            "e": .directory(["rules": .directory()]), "link": .symlink("d"), "file": .file("x"),
        ]
        try tree.write(to: folder.path("root"))
        var ignored = IgnoredPaths(
            root: try RootFolder(path: folder.path("root")),
            filter: Names(names: ["gone", "build/"]))
        let path = try RelativePath(path)
        for _ in 0..<2 {
            #expect(ignored.contains(path, isDirectory: isDirectory) == isIgnored)
        }
    }

    @Test(
        "a path is ignored as what is there, and as no folder where nothing is",
        arguments: [
            ("build", true), ("build/x", true), ("d/build", false), ("link/build", false),
            ("none/build", false), ("none/gone", true), ("d", false),
        ] as [(String, Bool)])
    func present(_ path: String, _ isIgnored: Bool) throws {
        let folder = try TemporaryFolder()
        let tree: TreeFixture = [
            "build": .directory(["x": .file("x")]), "d": .directory(["build": .file("x")]),
            "link": .symlink("d"),
        ]
        try tree.write(to: folder.path("root"))
        var ignored = IgnoredPaths(
            root: try RootFolder(path: folder.path("root")),
            filter: Names(names: ["gone", "build/"]))
        let path = try RelativePath(path)
        #expect(ignored.contains(path) == isIgnored)
    }
}
