import FilesinkiCommands
import Testing

@Suite("Too many arguments")
struct SurplusArgumentTests {
    @Test("all are named, and what may have been meant is said as for one")
    func named() async throws {
        try await World().follow(
            #"""
            $ load one two
            ! filesinki: Unexpected argument 'two'
            ! To name the replica, add --root DIR.
            ! Usage: filesinki load [<options>] <path>
            !   See 'filesinki load --help' for more information.
            = 2
            $ load one two three
            ! filesinki: 2 unexpected arguments: 'two', 'three'
            ! To name the replica, add --root DIR.
            ! Usage: filesinki load [<options>] <path>
            !   See 'filesinki load --help' for more information.
            = 2
            $ save one two three four five
            ! filesinki: 3 unexpected arguments: 'three', 'four', 'five'
            ! To name the replica, add --root DIR.
            ! Usage: filesinki save [<options>] <path> [<file>]
            !   See 'filesinki save --help' for more information.
            = 2
            $ merge a b c d e
            ! filesinki: 2 unexpected arguments: 'd', 'e'
            ! Usage: filesinki merge [<options>] <base> <here> <there>
            !        filesinki merge --install-git-driver [--global] [--attributes]
            !        filesinki merge --uninstall-git-driver [--global] [--attributes]
            !   See 'filesinki merge --help' for more information.
            = 2
            """#)
    }

    @Test("with --json they are in the object, too")
    func json() async throws {
        try await World().follow(
            #"""
            $ load one two three --json
            {"type":"failure",…"message":"2 unexpected arguments: 'two', 'three'","remedy":"To name the replica, add --root DIR. Usage: …
            ! filesinki: 2 unexpected arguments: 'two', 'three'
            ! To name the replica, add --root DIR.
            ! Usage: filesinki load [<options>] <path>
            !   See 'filesinki load --help' for more information.
            = 2
            """#)
    }
}
