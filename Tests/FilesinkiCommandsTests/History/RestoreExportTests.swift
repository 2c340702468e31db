import FilesinkiCommands
import Testing

@Suite("restore -o")
struct RestoreExportTests {
    @Test("a path that the history does not have is named, and nothing is made")
    func unknown() async throws {
        let world = try await ReplicaTests.pair()
        try await world.follow(
            #"""
            $ restore --commit 1 -o out nope --root a
            ! filesinki: nope: The history has no such path. Check the path; filesinki ls --root WORLD/a lists those that are there, filesinki ls --root WORLD/a --deleted those that were deleted.
            = 1
            $ restore --commit 1 -o out nope sub/no --root a
            ! filesinki: nope: The history has no such path. …
            ! filesinki: sub/no: The history has no such path. …
            = 1
            $ restore -n --commit 1 -o out nope --root a
            ! filesinki: nope: The history has no such path. …
            = 1
            $ restore --commit 1 -o out nope --root a --json
            {"type":"failure","path":"nope","code":"not-found","message":"The history has no such path.",…
            ! filesinki: nope: The history has no such path. …
            = 1
            """#)
        #expect(!world.names().contains("out"))
    }

    @Test("beside a path that was there, one that was not is named, and the exit code is 5")
    func partial() async throws {
        let world = try await ReplicaTests.pair()
        try await world.follow(
            #"""
            $ restore -n --commit 1 -o out one nope --root a
              restore  one
            ! filesinki: nope: The history has no such path. …
            ! Would restore 1 file.
            ! Nothing was changed.
            = 5
            $ restore --commit 1 -o out one nope --root a
            ! filesinki: nope: The history has no such path. …
            ! Restored 1 file.
            = 5
            $ names out
            one
            """#)
    }

    @Test("a path that was made later, or deleted before, did not exist then")
    func otherTimes() async throws {
        let world = try await ReplicaTests.pair()
        try await world.follow(
            #"""
            $ save late --root a < x
            $ delete one --root a
              sent      deleted    one
            ! Deleted 1 file.
            $ restore --commit 1 -o out late --root a
            ! filesinki: late: This path did not exist then. List its versions with filesinki log --root WORLD/a late.
            = 1
            $ restore --commit 3 -o out one --root a
            ! filesinki: one: This path did not exist then. List its versions with filesinki log --root WORLD/a one.
            = 1
            $ restore --commit 2 -o out one late --root a
            ! Restored 2 files.
            $ names out
            late one
            """#)
    }
}
