import FilesinkiCommands
import Glibc
import Testing

@Suite("What clone says to do next")
struct CloneHintTests {
    /// A store with a file, and the replica `a` of it.
    private static func world() async throws -> World {
        try await ReplicaTests.pair()
    }

    @Test("of an address without a store: who gives a passphrase makes an encrypted one")
    func noStore() async throws {
        let world = try await Self.world()
        try world.makeFolder("empty")
        try world.write("secret secret\n", to: "pw")
        #expect(chmod(world.folder + "/pw", 0o600) == 0)
        try await world.follow(
            #"""
            $ clone empty c
            ! filesinki: WORLD/empty: No store was found there. Check the address, or make a store there with filesinki init WORLD/c --remote WORLD/empty.
            = 1
            $ clone empty c --passphrase-file pw
            ! filesinki: WORLD/empty: No store was found there. Check the address, or make a store there with filesinki init WORLD/c --remote WORLD/empty --encrypt.
            = 1
            """#)
        #expect(!world.names().contains("c"))
        #expect(world.names(in: "empty").isEmpty)
    }

    @Test("of an empty store: that nothing was received")
    func emptyStore() async throws {
        try await Self.world().follow(
            #"""
            $ store new
            $ clone new c --device c
            ! WORLD/c is a replica now.
            ! Connected to the store at WORLD/new.
            ! The store is empty: nothing to receive.
            $ clone new d --device d -q
            """#)
    }

    @Test("a device with the name of another: the command that renames it names its state")
    func device() async throws {
        try await Self.world().follow(
            #"""
            $ clone store c --device a
              received  new        sub      folder
              received  new        one      4 B
              received  new        sub/two  4 B
            ! WORLD/c is a replica now.
            ! Connected to the store at WORLD/store.
            ! WORLD/c: Another device of the store is also named a. This one is a-… now; filesinki init WORLD/c --device NAME renames it.
            ! Received 2 files (8 B).
            $ clone store d --device a --state e -q
            $ init d --state e --device d
            ! WORLD/d is a replica already.
            ! Its device was a-… and is d now. Others see that after the next change that is synced here.
            ! Its store is at WORLD/store.
            $ clone store f --device a --state g
              received  new        sub      folder
              received  new        one      4 B
              received  new        sub/two  4 B
            ! WORLD/f is a replica now.
            ! Connected to the store at WORLD/store.
            ! WORLD/f: Another device of the store is also named a. This one is a-… now; filesinki init WORLD/f --state WORLD/g --device NAME renames it.
            ! Received 2 files (8 B).
            """#)
    }

    @Test("the state's own ignore file is named where --state puts it")
    func excluded() async throws {
        try await Self.world().follow(
            #"""
            $ clone store c --device c --exclude one --exclude sub
            ! WORLD/c is a replica now.
            ! Connected to the store at WORLD/store.
            ! --exclude held for this run: the next sync receives what it left out. To leave that out for good, list it in .filesinki/ignore, or hold only some paths: filesinki only set --root WORLD/c PATH.
            $ clone store d --device d --state e --exclude one --exclude sub
            ! WORLD/d is a replica now.
            ! Connected to the store at WORLD/store.
            ! --exclude held for this run: the next sync receives what it left out. To leave that out for good, list it in WORLD/e/ignore, or hold only some paths: filesinki only set --root WORLD/d --state WORLD/e PATH.
            // As it says.
            $ write e/ignore one\nsub\n
            $ sync --root d --state e
            $ names d
            .filesinki
            """#)
    }

    @Test("into the current folder, the commands name it all the same")
    func here() async throws {
        let world = try await Self.world()
        try world.makeFolder("c")
        try await world.follow(
            #"""
            $ enter c
            $ clone ../store . --device c --only nope
            ! WORLD/c is a replica now.
            ! Connected to the store at WORLD/store.
            ! filesinki: nope: The store has no such path. The replica was made, and holds the path once the store has it. To choose other paths: filesinki only set --root WORLD/c PATH, then filesinki sync --root WORLD/c.
            = 1
            """#)
    }
}
