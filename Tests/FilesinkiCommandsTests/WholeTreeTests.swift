import FilesinkiModel
import Testing

@testable import FilesinkiCommands

@Suite("init and clone of a whole tree")
struct WholeTreeTests {
    @Test(
        "the root of the file system is made no replica",
        arguments: [
            (["init", "/"], "Give the folder to sync: filesinki init DIR."),
            (["clone", "store", "/"], "Give the folder to create: filesinki clone URL DIR."),
        ])
    func fileSystem(arguments: [String], remedy: String) async throws {
        let outcome = try await World().run(bytes: arguments.map { Array($0.utf8) })
        #expect(outcome.code == .usage)
        #expect(
            outcome.talk == "filesinki: /: This is the root of the file system. \(remedy)\n")
    }

    @Test("the home folder is said to be one, and asked for at a terminal")
    func home() async throws {
        let world = try World()
        let home = world.folder + "/home"
        let said =
            "\(home) is your home folder: all of it is synced, with keys and caches, but for what its "
            + ".filesinkiignore lists."
        try world.makeFolder("home")
        world.currentFolder = home
        world.terminals = Console.Terminals(input: true, talk: true, columns: { 1000 })
        let asked = try await world.run(bytes: [Array("init".utf8)], input: Array("n\n".utf8))
        #expect(asked.code == .negative)
        #expect(asked.talk.contains(said + " Go on? [y/N]"), "\(asked)")
        #expect(asked.talk.hasSuffix("Nothing was changed.\n"), "\(asked)")
        #expect(world.names(in: "home") == [])
        world.terminals = Console.Terminals()
        let made = try await world.run("init")
        #expect(made.code == .done && made.talk.hasPrefix(said + "\n"), "\(made)")
        #expect(try await !world.run("init").talk.contains("home folder"))
    }

    @Test("a home folder with files is not sent by a clone before somebody was asked")
    func cloneOfHome() async throws {
        let world = try await ReplicaTests.pair()
        let home = world.folder + "/home"
        try world.write("secret", to: "home/key")
        let script = try await world.run("clone", "store", "home")
        #expect(script.code == .usage, "\(script)")
        #expect(
            script.talk.hasPrefix(
                "filesinki: \(home): This is your home folder: all of it would be sent"),
            "\(script.talk)")
        world.terminals = Console.Terminals(input: true, talk: true, columns: { 1000 })
        let words = ["clone", "store", "home"].map { Array($0.utf8) }
        let declined = try await world.run(bytes: words, input: Array("n\n".utf8))
        #expect(
            declined.code == .negative && !world.names(in: "home").contains(".filesinki"),
            "\(declined)")
        #expect(declined.talk.contains("\(home) is your home folder: all of it is synced"))
        let agreed = try await world.run(bytes: words, input: Array("y\n".utf8))
        #expect(agreed.code == .done && world.names(in: "home").contains("one"), "\(agreed)")
    }
}
