import FilesinkiCommands
import Testing

/// `a` and `b` edit the same line of a file, and one of them renames it, or its folder.
@Suite("A conflict of a renamed file of which each side keeps its own version")
struct LeftRenameTests {
    enum Rename: String, CaseIterable, CustomTestStringConvertible {
        case there = "the file, by the other device"
        case folderThere = "the folder, by the other device"
        case folderHere = "the folder, by the device that finds the conflict"

        var testDescription: String { rawValue }
        var isFolder: Bool { self == .folderThere || self == .folderHere }
        var device: String { self == .there || self == .folderThere ? "a" : "b" }
        var newName: String { isFolder ? "new/f" : "g" }
        var oldName: String { isFolder ? "old/f" : "f" }

        /// The name that a device has its version under while the conflict is open.
        func name(on name: String) -> String { name == device ? newName : oldName }
    }

    private static func text(_ line: String) -> String {
        (1...9).map { $0 == 5 ? line + "\n" : "\($0)\n" }.joined()
    }

    /// `b` has found the conflict.
    private static func conflict(_ rename: Rename) async throws -> World {
        let world = try await World.withStore()
        try world.write(text("5"), to: "a/\(rename.oldName)")
        if rename.isFolder {
            for name in 1...3 { try world.write("\(name)\n", to: "a/old/\(name)") }
        }
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b", "--device", "b")
        let (old, new) = rename.isFolder ? ("old", "new") : ("f", "g")
        world.rename("\(rename.device)/\(old)", to: "\(rename.device)/\(new)")
        // An edit of a renamed file that was not sent is a new file.
        if rename == .there { try await world.done("sync", "a") }
        for name in ["a", "b"] {
            try world.write(text("by \(name)"), to: "\(name)/\(rename.name(on: name))")
        }
        try await world.done("sync", "a")
        _ = try await world.run("sync", "b", "--strategy", "leave")
        return world
    }

    @Test(
        "is one conflict, of the new name, and each side keeps its file", arguments: Rename.allCases
    )
    func found(_ rename: Rename) async throws {
        let world = try await Self.conflict(rename)
        let open = try await world.run("conflicts", "--root", "b", "--json")
        #expect(open.text.ranges(of: "\"type\":\"conflict\"").count == 1, "\(open.text)")
        #expect(open.text.contains("\"path\":\"\(rename.newName)\""), "\(open.text)")
        for name in ["a", "b"] {
            #expect(world.readText("\(name)/\(rename.name(on: name))") == Self.text("by \(name)"))
        }
    }

    @Test(
        "a resolve takes the version of the side that it names, on both devices, under the new name",
        arguments: Rename.allCases, ["here", "there"])
    func resolved(_ rename: Rename, _ side: String) async throws {
        let world = try await Self.conflict(rename)
        let outcome = try await world.run(
            "resolve", "--root", "b", rename.newName, "--take", side)
        #expect(outcome.code == .done, "\(outcome.talk)")
        for name in ["b", "a", "b"] { _ = try await world.run("sync", name) }
        for name in ["a", "b"] {
            let chosen = Self.text(side == "here" ? "by b" : "by a")
            #expect(
                world.readText("\(name)/\(rename.newName)") == chosen, "\(name): \(outcome.talk)")
            #expect(world.readText("\(name)/\(rename.oldName)") == nil, "\(name): \(outcome.talk)")
            #expect(try await world.run("conflicts", "--root", name).text.isEmpty)
        }
    }

    @Test("a later conflict of the file is of its new name alone")
    func again() async throws {
        let world = try await Self.conflict(.there)
        try await world.done("resolve", "--root", "b", "g", "--take", "here")
        for name in ["a", "b"] { _ = try await world.run("sync", name) }
        for name in ["a", "b"] { try world.write(Self.text("again by \(name)"), to: "\(name)/g") }
        try await world.done("sync", "a")
        _ = try await world.run("sync", "b", "--strategy", "leave")
        let open = try await world.run("conflicts", "--root", "b")
        #expect(open.text.contains("both sides keep their own version"), "\(open.text)")
        #expect(!open.text.contains("the one from"), "\(open.text)")
        let here = try await world.run("show", "--root", "b", "g", "--conflict", "here")
        #expect(here.text == Self.text("again by b"), "\(here.talk)")
        try await world.done("resolve", "--root", "b", "g", "--take", "here")
        _ = try await world.run("sync", "a")
        #expect(world.readText("a/g") == Self.text("again by b"))
    }

    /// Runs a command in the folder of `b`.
    private static func run(
        _ world: World, _ arguments: String...
    ) async throws -> World.Outcome {
        world.currentFolder = "\(world.folder)/b"
        return try await world.run(bytes: arguments.map { Array($0.utf8) })
    }

    @Test("the list says which side has the old name", arguments: Rename.allCases)
    func listed(_ rename: Rename) async throws {
        let world = try await Self.conflict(rename)
        let open = try await Self.run(world, "conflicts")
        let side = rename.device == "a" ? "here" : "there"
        let told = "both sides keep their own version, the one from \(side) is  \(rename.oldName)"
        #expect(open.text.contains(told), "\(open.text)")
    }

    @Test("a sync of one of the names decides about both", arguments: Rename.allCases)
    func named(_ rename: Rename) async throws {
        for name in [rename.oldName, rename.newName] {
            let world = try await Self.conflict(rename)
            _ = try await Self.run(world, "sync", name, "--strategy", "leave")
            #expect(try await Self.run(world, "conflicts", "-0").text == rename.newName + "\0")
            let names = [rename.oldName, rename.newName].filter { world.readText("b/" + $0) != nil }
            #expect(names == [rename.name(on: "b")], "\(name)")
            let taken = try await Self.run(world, "sync", name, "--strategy", "here")
            #expect(taken.code == .done, "\(name): \(taken.talk)")
            #expect(world.readText("b/\(rename.newName)") == Self.text("by b"), "\(name)")
            #expect(world.readText("b/\(rename.oldName)") == nil, "\(name)")
        }
    }

    @Test("a resolve takes the old name, too, and says that the version from here is sent")
    func resolvedByOldName() async throws {
        let world = try await Self.conflict(.there)
        let outcome = try await Self.run(world, "resolve", "f", "--take", "here")
        let told = """
              sent      resolved   g  both sides changed it; the strategy 'here' decided
            Sent 1 file (21 B).
            Resolved g: took here. No conflict is open.

            """
        #expect(outcome.text + outcome.talk == told, "\(outcome)")
        #expect(world.readText("b/g") == Self.text("by b"))
        #expect(world.readText("b/f") == nil)
    }
}
