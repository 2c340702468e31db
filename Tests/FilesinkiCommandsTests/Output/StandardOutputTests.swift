import FilesinkiCommands
import Testing

@Suite("-o -")
struct StandardOutputTests {
    /// A replica `a` with two versions of a file, and three files to merge.
    private static func world() async throws -> World {
        let world = try await ReplicaTests.pair()
        for (name, text) in [("b", "1\n2\n3\n"), ("h", "0\n2\n3\n"), ("t", "1\n2\n4\n")] {
            try world.write(text, to: "m/" + name)
        }
        return world
    }

    @Test("a content is printed, and no file of that name is made")
    func content() async throws {
        let world = try await Self.world()
        try await world.follow(
            #"""
            $ load one -o - --root a
            one
            $ show one@1 -o - --root a
            one
            $ merge m/b m/h m/t -o -
            0
            2
            4
            $ kv set k=v --root a
            $ kv export -o - --root a
            {"values":[
            {"key":"k","merge":"newest","value":"v"}
            ]}
            $ compress -o m/one.xz < one\n
            $ decompress m/one.xz -o -
            one
            $ names m
            b h one.xz t
            """#)
        #expect(!world.names().contains("-"))
    }

    @Test("the bytes of an asset are printed")
    func asset() async throws {
        let world = try await Self.world()
        try await world.follow(
            #"""
            $ write photo bytes
            $ rec save Note n --set 'photo:asset=@WORLD/photo' --root a
            $ rec get n --asset photo -o - --root a
            bytes¬
            """#)
        #expect(!world.names().contains("-"))
    }

    @Test("save --final prints what a rule made of the content")
    func final() async throws {
        let world = try await Self.world()
        try await world.follow(
            #"""
            $ save one --root b < larger\n
            $ save one --root a --strategy larger --final - < s\n
            larger
            ! one: saved; a conflict rule changed the content.
            $ save one --root a --strategy larger --final - --json < s\n
            {"type":"failure","code":"usage","message":"With --json, the content cannot be written to standard output.","remedy":"Give a file with -o."}
            ! filesinki: With --json, the content cannot be written to standard output. Give a file with -o.
            = 2
            """#)
        #expect(!world.names().contains("-"))
    }

    @Test("with --explain, the explanation goes to standard error, for the content has the output")
    func explained() async throws {
        try await Self.world().follow(
            #"""
            $ merge m/b m/h m/t --explain -o -
            0
            2
            4
            ! Format: text, by the content.
            ! line 1  here   edited
            ! line 3  there  edited
            """#)
    }

    @Test(
        "with --json, which prints an object, it is refused as no -o is",
        arguments: [
            "load one --root a", "show one@1 --root a", "merge m/b m/h m/t", "kv export --root a",
            "compress m/b",
        ])
    func json(_ command: String) async throws {
        try await Self.world().follow(
            """
            $ \(command) --json -o -
            {"type":"failure","code":"usage","message":"With --json, the content cannot be written to standard output.","remedy":"Give a file with -o."}
            ! filesinki: With --json, the content cannot be written to standard output. Give a file with -o.
            = 2
            """)
    }

    @Test("restore writes a tree, and so refuses it")
    func tree() async throws {
        let world = try await Self.world()
        try await world.follow(
            #"""
            $ restore --commit 1 -o - one --root a
            ! filesinki: -: A tree cannot be written to standard output. Give a folder with -o, or print one file with filesinki show --root WORLD/a PATH@VERSION.
            = 2
            """#)
        #expect(!world.names().contains("-"))
    }

    @Test("a file of that name is written with its folder")
    func named() async throws {
        let world = try await Self.world()
        try await world.done("load", "one", "-o", "./-", "--root", "a")
        #expect(world.readText("-") == "one\n")
    }
}
