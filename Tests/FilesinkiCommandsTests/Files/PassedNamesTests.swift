import FilesinkiCommands
import Testing

/// A file is renamed twice before another device syncs, which has never had the name in between.
@Suite("ls --deleted, and names that a file had in between")
struct PassedNamesTests {
    @Test(
        "such a name is not listed, also where both devices rename the file",
        arguments: [false, true])
    func listed(bothRename: Bool) async throws {
        let world = try await ReplicaTests.pair()
        for (old, new) in [("one", "uno"), ("uno", "eins")] {
            world.rename("a/\(old)", to: "a/\(new)")
            try await world.expect("sync a")
        }
        if bothRename { world.rename("b/one", to: "b/un") }
        for root in ["b", "a"] { try await world.expect("sync \(root)") }
        for root in ["a", "b"] {
            let names = world.names(in: root)
            #expect(names.contains("eins") && names.contains("un") == bothRename, "\(names)")
            try await world.expect("ls --deleted --root \(root)", .negative)
        }
        let explained = try await world.expect("explain uno --root b").text
        #expect(explained.hasPrefix("uno: renamed to eins with version 3, by a.\n"), "\(explained)")
    }

    @Test("nor is the name that both devices gave up, where one of them has edited the file, too")
    func edited() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("a/one", to: "a/uno")
        world.rename("b/one", to: "b/un")
        try world.write("quite another text\n", to: "b/un")
        for root in ["a", "b", "a", "b"] { try await world.expect("sync \(root)") }
        for root in ["a", "b"] {
            #expect(world.names(in: root).contains("uno") && world.readText("\(root)/un") != nil)
            try await world.expect("ls --deleted --root \(root)", .negative)
        }
    }

    @Test("nor is the old name of which a run for some paths has learned")
    func somePaths() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("a/one", to: "a/uno")
        try await world.expect("sync a")
        try await world.expect("sync b/one")
        try await world.expect("sync b")
        try await world.expect("ls --deleted --root b", .negative)
    }

    @Test("one that another file has had since, and that was deleted, is")
    func deleted() async throws {
        let world = try await ReplicaTests.pair()
        for (old, new) in [("one", "uno"), ("uno", "eins")] {
            world.rename("a/\(old)", to: "a/\(new)")
            try await world.expect("sync a")
        }
        try world.write("another\n", to: "a/uno")
        try await world.expect("sync a")
        world.remove("a/uno")
        for root in ["a", "b"] { try await world.expect("sync \(root)") }
        for root in ["a", "b"] {
            #expect(try await world.expect("ls --deleted --root \(root)").lines == ["uno"])
        }
    }
}
