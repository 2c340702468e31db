import FilesinkiCommands
import Testing

@Suite("merge -o")
struct MergeOutputTests {
    private static func world() throws -> World {
        let world = try World()
        for (name, text) in [("b", "1\n"), ("h", "2\n"), ("t", "3\n"), ("old", "old\n")] {
            try world.write(text, to: name)
        }
        return world
    }

    @Test("a conflict exits with 1 and writes nothing, a missing file with 2")
    func conflict() async throws {
        try await Self.world().follow(
            #"""
            $ merge b h t -o new
            ! auto: line 1: Both sides changed it.
            = 1
            $ show new
            (none)
            $ merge b h t -o old
            ! auto: line 1: Both sides changed it.
            = 1
            $ show old
            old
            $ merge b h t -o new --markers
            ! auto: line 1: Both sides changed it.
            = 1
            $ show new
            <<<<<<< here
            2
            =======
            3
            >>>>>>> there
            $ merge b h gone -o old
            ! filesinki: WORLD/gone: File not found. Give three files: BASE HERE THERE. An empty BASE means no common base.
            = 2
            $ show old
            old
            """#)
    }
}
