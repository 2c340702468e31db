import FilesinkiCommands
import Testing

/// `a` and `b` edit one file, and one of them renames it. `c` does neither.
@Suite("The base of a conflict of a file that was renamed")
struct RenamedFileConflictTests {
    enum Rename: String, CaseIterable, CustomTestStringConvertible {
        case beforeEdit = "the file, before the edit"
        case afterEdit = "the file, after the edit"
        case twice = "the file, twice"
        case overAnother = "the file, over another one"
        case folder = "the folder"
        case folderByFinder = "the folder, on the device that finds the conflict"

        var testDescription: String { rawValue }

        /// The path of the conflict.
        var path: String {
            switch self {
            case .beforeEdit, .afterEdit, .twice: "g.txt"
            case .overAnother: "other.txt"
            case .folder, .folderByFinder: "new/f.txt"
            }
        }
    }

    private static let base = text([:])
    private static let devices = ["a", "b", "c"]

    private static func text(_ edits: [Int: String]) -> String {
        (1...30).map { "\(edits[$0] ?? String($0))\n" }.joined()
    }

    private static let edits = [
        "a": text([5: "five a", 30: "thirty a"]), "b": text([5: "five b", 20: "twenty b"]),
    ]

    private static func sync(_ world: World, _ names: String...) async throws {
        for name in names { _ = try await world.run("sync", name) }
    }

    private static func conflict(_ rename: Rename) async throws -> World {
        let world = try await World.withStore()
        let isFolder = rename == .folder || rename == .folderByFinder
        let file = isFolder ? "old/f.txt" : "f.txt"
        try world.write(base, to: "a/\(file)")
        try world.write("other\n", to: "a/other.txt")
        if isFolder { for name in 1...4 { try world.write("\(name)\n", to: "a/old/\(name)") } }
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await sync(world, "a")
        for name in ["b", "c"] { try await world.done("clone", "store", name, "--device", name) }
        let (byA, byB) = (edits["a"] ?? "", edits["b"] ?? "")
        switch rename {
        case .beforeEdit, .overAnother, .twice:
            world.remove("a/\(rename.path)")
            if rename == .twice {
                world.rename("a/f.txt", to: "a/m.txt")
                try await sync(world, "a")
            }
            world.rename(rename == .twice ? "a/m.txt" : "a/f.txt", to: "a/\(rename.path)")
            try await sync(world, "a")
            try world.write(byA, to: "a/\(rename.path)")
        case .afterEdit:
            try world.write(byA, to: "a/f.txt")
            try await sync(world, "a")
            world.rename("a/f.txt", to: "a/g.txt")
        case .folder:
            world.rename("a/old", to: "a/new")
            try world.write(byA, to: "a/new/f.txt")
        case .folderByFinder:
            try world.write(byA, to: "a/old/f.txt")
            world.rename("b/old", to: "b/new")
        }
        try world.write(byB, to: rename == .folderByFinder ? "b/new/f.txt" : "b/\(file)")
        try await sync(world, "a", "b", "a", "c")
        return world
    }

    /// That each device knows the base.
    private static func expectBase(_ world: World, _ rename: Rename) async throws {
        for name in devices {
            let list = try await world.run("conflicts", "--root", name).text
            #expect(list.contains("base 81 B"), "\(name): \(list)")
            let shown = try await world.run(
                "show", "--root", name, "--conflict", "base", rename.path)
            #expect(shown.text == base, "\(name): \(shown)")
            let merge = try await world.run(
                "show", "--root", name, "--conflict", "merge", rename.path
            ).text
            #expect(merge.split(separator: "<<<<<<<").count == 2, "\(name): \(merge)")
            #expect(
                merge.contains("twenty b\n") && merge.contains("thirty a\n"), "\(name): \(merge)")
        }
    }

    @Test(
        "it is known on each device, so that what only one side changed is merged",
        arguments: Rename.allCases)
    func known(_ rename: Rename) async throws {
        try await Self.expectBase(try await Self.conflict(rename), rename)
    }

    @Test(
        "it can be taken, and is known after each undo",
        arguments: [Rename.beforeEdit, .folder, .folderByFinder], devices)
    func undone(_ rename: Rename, on device: String) async throws {
        let world = try await Self.conflict(rename)
        try world.write("merged\n", to: "merged")
        for (choice, text) in [
            (["--with", "merged"], "merged\n"), (["--take", "base"], Self.base),
        ] {
            let arguments = ["resolve", "--root", device, rename.path] + choice
            let taken = try await world.run(bytes: arguments.map { Array($0.utf8) })
            #expect(taken.code == .done, "\(taken.talk)")
            #expect(world.readText("\(device)/\(rename.path)") == text)
            try await Self.sync(world, "a", "b", "c")
            let undo = try await world.run("resolve", "--root", device, "--undo", rename.path)
            #expect(undo.code == .done, "\(undo.talk)")
            try await Self.sync(world, "a", "b", "c")
            try await Self.expectBase(world, rename)
        }
    }
}
