import FilesinkiModel
import Testing

@testable import FilesinkiCommands

@Suite("Choice of the root and the path")
struct RootChoiceTests {
    @Test("--root, then the nearest folder above, then FILESINKI_ROOT, then the default")
    func order() throws {
        let world = try World()
        try world.makeFolder("r/.filesinki")
        try world.makeFolder("r/sub/deep")
        world.currentFolder = world.folder + "/r/sub/deep"
        world.set("FILESINKI_ROOT", to: world.folder + "/other")

        let above = try RootChoice.find(try RootOptions.make(), in: world.console())
        #expect(above == RootChoice(path: world.folder + "/r", origin: .above))
        let given = try RootChoice.find(
            try RootOptions.make(root: "../x"), in: world.console())
        #expect(given == RootChoice(path: world.folder + "/r/sub/x", origin: .given))

        world.currentFolder = world.folder
        let named = try RootChoice.find(try RootOptions.make(), in: world.console())
        #expect(named == RootChoice(path: world.folder + "/other", origin: .environment))

        world.set("FILESINKI_ROOT", to: nil)
        let standard = try RootChoice.find(try RootOptions.make(), in: world.console())
        #expect(standard == RootChoice(path: world.folder + "/data/filesinki", origin: .standard))

        world.set("XDG_DATA_HOME", to: "relative")
        let home = try RootChoice.find(try RootOptions.make(), in: world.console())
        #expect(home.path == world.folder + "/home/.local/share/filesinki")

        world.set("HOME", to: nil)
        #expect(throws: Failure.self) {
            try RootChoice.find(try RootOptions.make(), in: world.console())
        }
    }

    /// The root is `/r`, the current folder `/r/sub`.
    static let paths: [(RootChoice.Origin, String, String?)] = [
        (.above, "a", "sub/a"), (.above, "../a", "a"), (.above, "./a/", "sub/a"),
        (.given, "./-a", "-a"), (.given, "./-a/", "-a"), (.given, "./a/b", "a/b"),
        (.above, "/r/b", "b"), (.above, "../../x", "refused"), (.above, "/rx", "refused"),
        (.above, "..", nil), (.above, "/r", nil),
        (.given, "a", "a"), (.given, "a/", "a"), (.given, "/r/b", "b"), (.given, ".", nil),
        (.standard, "../a", "refused"), (.standard, "/etc/passwd", "refused"),
        (.environment, "notes/a", "notes/a"), (.given, "", "refused"), (.above, "", "refused"),
        (.above, "../.filesinki/x", "refused"),
    ]

    @Test(
        "a path is relative to the current folder inside the root, else to the root",
        arguments: paths)
    func path(_ origin: RootChoice.Origin, _ argument: String, _ expected: String?) {
        do {
            let root = RootChoice(path: "/r", origin: origin)
            let path = try root.path(argument, currentFolder: "/r/sub")
            #expect(path?.description == expected)
        } catch {
            #expect(expected == "refused")
            #expect(error.code == .badPath)
        }
    }
}
