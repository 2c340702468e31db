import FilesinkiCommands
import Testing

@Suite("Paths of clone --only")
struct ChosenPathTests {
    @Test("a path in another replica of the store is named as the store has it")
    func pathOfMachine() async throws {
        let world = try await ReplicaTests.pair()
        try await world.makeStore("new")
        try await world.done("init", "o", "--remote", "new", "--device", "o")
        try await world.follow(
            #"""
            $ clone store c --only WORLD/a/sub
            ! filesinki: WORLD/a/sub: This is a path of this machine, in the replica WORLD/a; --only takes paths of the store. Write --only sub.
            = 2
            $ clone store c --only WORLD/a
            ! filesinki: WORLD/a: This is a path of this machine, in the replica WORLD/a; --only takes paths of the store. To hold everything, leave out --only.
            = 2
            $ clone store c --only WORLD/o/sub
            ! filesinki: WORLD/o/sub: This is a path of this machine, in the replica WORLD/o; --only takes paths of the store. Write it as the store has it, such as --only notes/a.txt.
            = 2
            $ clone store c --only WORLD/sub
            ! filesinki: WORLD/sub: This is a path of this machine; --only takes paths of the store. Write it as the store has it, such as --only notes/a.txt.
            = 2
            $ clone store c --only WORLD/c
            ! filesinki: WORLD/c: The path is the root itself. Give paths below it, or leave out --only.
            = 2
            """#)
        #expect(!world.names().contains("c"))
        try await world.done("clone", "store", "c", "--only", world.folder + "/c/sub")
        #expect(world.names(in: "c") == [".filesinki", "sub"])
    }
}
