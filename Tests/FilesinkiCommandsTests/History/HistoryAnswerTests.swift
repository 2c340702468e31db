import FilesinkiCommands
import Testing

@Suite("What log, show, diff and load answer where something is missing")
struct HistoryAnswerTests {
    @Test("log names a path or commit that is not there, and takes no version")
    func log() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ log --root a nope
            ! filesinki: nope: No version of this path was found. Check the path; a new file has a version after filesinki sync --root WORLD/a.
            = 1
            $ log --root a nope --json
            {"type":"failure","path":"nope","code":"not-found","message":"No version of this path was found.","remedy":"Check the path; a new file has a version after filesinki sync."}
            ! filesinki: nope: No version of this path was found. Check the path; a new file has a version after filesinki sync --root WORLD/a.
            = 1
            $ log --root a --commit 9
            ! filesinki: Commit 9 was not found. filesinki log --root WORLD/a lists them.
            = 1
            $ log --root a --commit 0
            ! filesinki: Commit 0 was not found. filesinki log --root WORLD/a lists them.
            = 1
            $ log --root a one@1
            ! filesinki: one@1: No version of this path was found. No version is taken here: give one alone. filesinki show --root WORLD/a prints that version.
            = 1
            $ log --root a --since yesterday-ish
            ! filesinki: yesterday-ish: Invalid date or time. Write it as 2024-05-01, '…', yesterday, '…' or '2 hours ago'.
            = 2
            $ log --root a -n 0
            ! filesinki: --limit must be 1 or more.
            ! Usage: filesinki log [<options>] [<path>]
            !   See 'filesinki log --help' for more information.
            = 2
            $ log --root a one two
            ! filesinki: Unexpected argument 'two'
            ! To see the versions of one path: filesinki log PATH. To name the replica, add --root DIR.
            ! Usage: filesinki log [<options>] [<path>]
            !   See 'filesinki log --help' for more information.
            = 2
            """#)
    }

    @Test("show says which part of PATH@VERSION is missing")
    func show() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ show --root a one
            ! filesinki: one: The version is missing. Write PATH@VERSION, such as notes/a@12; filesinki log --root WORLD/a PATH lists them.
            = 2
            $ show --root a one@9
            ! filesinki: one: Version 9 was not found: the last commit is 1. List its versions with filesinki log --root WORLD/a one.
            = 1
            $ show --root a one@0
            ! filesinki: one: Version 0 was not found. List its versions with filesinki log --root WORLD/a one.
            = 1
            $ show --root a sub@1
            ! filesinki: sub: A folder has no content. Name a file in it, or write what was in it into another folder with filesinki restore --root WORLD/a sub --commit 1 -o DIR.
            = 1
            $ show --root a sub --commit 1 -o old
            ! filesinki: sub: A folder has no content. Name a file in it, or write what was in it into another folder with filesinki restore --root WORLD/a sub --commit 1 -o DIR.
            = 1
            $ load --root a sub --commit 1
            ! filesinki: sub: A folder has no content. Name a file in it, or write what was in it into another folder with filesinki restore --root WORLD/a sub --commit 1 -o DIR.
            = 1
            $ show --root a nope@1
            ! filesinki: nope: The history has no such path. Check the path; filesinki ls --root WORLD/a lists those that are there, filesinki ls --root WORLD/a --deleted those that were deleted.
            = 1
            $ show --root a nope@1 --json
            {"type":"failure","code":"usage","message":"With --json, the content cannot be written to standard output.","remedy":"Give a file with -o."}
            ! filesinki: With --json, the content cannot be written to standard output. Give a file with -o.
            = 2
            $ show --root a one@x
            ! filesinki: one@x: The version is missing. Write PATH@VERSION, such as notes/a@12; filesinki log --root WORLD/a PATH lists them.
            = 2
            $ show --root a --content 00ff
            ! filesinki: 00ff: Invalid content ID. It has 64 hexadecimal digits; filesinki log --root WORLD/a --json shows them.
            = 2
            $ show --root a --content 0000000000000000000000000000000000000000000000000000000000000000
            ! filesinki: …: The store holds no such content. filesinki log --root WORLD/a --json PATH lists the contents of a path.
            = 1
            $ show --root a one@1 --content 00
            ! filesinki: Give either PATH@VERSION or --content ID.
            ! Usage: filesinki show [<options>] [<path@version>]
            !   See 'filesinki show --help' for more information.
            = 2
            $ show --root a
            ! filesinki: Give either PATH@VERSION or --content ID.
            ! Usage: filesinki show [<options>] [<path@version>]
            !   See 'filesinki show --help' for more information.
            = 2
            $ show --root a one --commit 1
            one
            $ show --root a one --commit 2
            ! filesinki: Commit 2 was not found. The last commit is 1.
            = 1
            $ show --root a one@1 --json
            {"type":"failure","code":"usage","message":"With --json, the content cannot be written to standard output.","remedy":"Give a file with -o."}
            ! filesinki: With --json, the content cannot be written to standard output. Give a file with -o.
            = 2
            $ show --root a one@1 --conflict here
            ! filesinki: one@1: No open conflict was found. See the open ones with filesinki conflicts --root WORLD/a.
            = 1
            $ show --root a one@1 --conflict
            ! filesinki: Missing value for '--conflict <side>'
            ! Help:  --conflict <side>  A version of an open conflict: base, here, there, merge, proposal, or the device that wrote it.
            ! Usage: filesinki show [<options>] [<path@version>]
            !   See 'filesinki show --help' for more information.
            = 2
            """#)
    }

    @Test("load names what it does not find, and prints older versions")
    func load() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ load nope --root a
            ! filesinki: nope: No such file or folder. List the files with filesinki ls --root WORLD/a.
            = 1
            $ load sub --root a
            ! filesinki: sub: Not a regular file. See what is in a folder with filesinki ls --root WORLD/a.
            = 1
            $ load one --version 1 --root a
            one
            $ load one --version 7 --root a
            ! filesinki: one: Version 7 was not found: the last commit is 1. List its versions with filesinki log --root WORLD/a one.
            = 1
            $ load one --version 0 --root a
            ! filesinki: one: Version 0 was not found. List its versions with filesinki log --root WORLD/a one.
            = 1
            $ load one --commit 1 --root a
            one
            $ load one --commit 2 --root a
            ! filesinki: Commit 2 was not found. The last commit is 1.
            = 1
            $ load one --at @5 --root a
            ! filesinki: The store has no commit of this time or before. The oldest commit, 1, is of ….
            = 1
            $ load one@1 --root a
            ! filesinki: one@1: No such file or folder. To print a version of a path: filesinki show --root WORLD/a PATH@VERSION.
            = 1
            $ load one --offline --version 1 --root a
            ! filesinki: --version cannot be combined with --offline or --wait-newer.
            ! Usage: filesinki load [<options>] <path>
            !   See 'filesinki load --help' for more information.
            = 2
            $ load one --version 1 --commit 1 --root a
            ! filesinki: --at and --commit cannot be combined with --version, --offline or --wait-newer.
            ! Usage: filesinki load [<options>] <path>
            !   See 'filesinki load --help' for more information.
            = 2
            $ load one --offline --wait-newer 1 --root a
            ! filesinki: --offline cannot be combined with --wait-newer.
            ! Usage: filesinki load [<options>] <path>
            !   See 'filesinki load --help' for more information.
            = 2
            $ load nope --offline --root a
            ! filesinki: nope: No such file or folder. List the files with filesinki ls --root WORLD/a.
            = 1
            $ load nope --root a -o WORLD/out
            ! filesinki: nope: No such file or folder. List the files with filesinki ls --root WORLD/a.
            = 1
            $ names a
            .filesinki one sub
            $ show out
            (none)
            """#)
    }

    @Test("load prints what is here where the store is away, and says so")
    func offline() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ move store gone
            $ load one --root a
            one
            ! Printed the local version. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ load nope --root a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ load one --offline --root a
            one
            $ load one --wait-newer 1 --timeout 1s --root a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            """#)
    }

    @Test("diff exits with 1 for a difference, with 0 without one")
    func diff() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ diff one --root a
            $ write a/one uno\n
            $ diff one --root a
            --- one@1
            +++ one
            @@ -1 +1 @@
            -one
            +uno
            = 1
            $ diff one --stat --root a
            one  +1  -1
            = 1
            $ diff one --json --root a
            {"type":"difference","path":"one","old":"one@1","new":"one","added":1,"removed":1,"diff":"--- one@1\n+++ one\n@@ -1 +1 @@\n-one\n+uno\n"}
            = 1
            $ save one --root a < eins\n
            $ diff one 1 2 --root a
            --- one@1
            +++ one@2
            @@ -1 +1 @@
            -one
            +uno
            = 1
            $ diff one 2 1 --root a
            --- one@2
            +++ one@1
            @@ -1 +1 @@
            -uno
            +one
            = 1
            $ diff one 1 1 --root a
            $ diff --commit 1 --root a
            --- /dev/null
            +++ one@1
            @@ -0,0 +1 @@
            +one
            --- /dev/null
            +++ sub/two@1
            @@ -0,0 +1 @@
            +two
            = 1
            $ diff --commit 1 --stat --root a
            one@1      +1  -0
            sub/two@1  +1  -0
            = 1
            $ diff sub/two --root a
            $ diff sub --root a
            ! filesinki: sub: A folder has no content. Name a file in it. To list what changed in it, use filesinki log --root WORLD/a sub, and for what is not synced yet filesinki sync --root WORLD/a --dry-run sub.
            = 1
            $ diff nope --root a
            ! filesinki: nope: No version was found. List current files with filesinki ls --root WORLD/a, and the versions of this path with filesinki log --root WORLD/a nope.
            = 1
            $ diff one 1 9 --root a
            ! filesinki: one: Version 9 was not found: the last commit is 3. List its versions with filesinki log --root WORLD/a one.
            = 1
            $ diff --commit 7 --root a
            ! filesinki: Commit 7 was not found. The last commit is 3.
            = 1
            $ diff --conflict one --root a
            ! filesinki: one: No open conflict was found. See the open ones with filesinki conflicts --root WORLD/a.
            = 1
            $ diff --root a
            ! filesinki: Missing expected argument '<path>'
            ! diff compares the versions of one path, and with --commit N shows what a commit changed; to see all changes that are not synced yet: filesinki sync --dry-run.
            ! Usage: filesinki diff [<options>] [<path>] [<first>] [<second>]
            !   See 'filesinki diff --help' for more information.
            = 2
            """#)
    }

    @Test("restore brings a version back once, and names what is not there")
    func restore() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ save one --root a < uno\n
            $ restore one@1 --root a
            ! Restored 1 file.
            $ restore one@1 --root a
            ! one is already as it was then: nothing was changed.
            $ restore one@9 --root a
            ! filesinki: one: Version 9 was not found: the last commit is 3. List its versions with filesinki log --root WORLD/a one.
            = 1
            $ restore nope@1 --root a
            ! filesinki: nope: The history has no such path. Check the path; filesinki ls --root WORLD/a lists those that are there, filesinki ls --root WORLD/a --deleted those that were deleted.
            = 1
            $ restore one --root a
            ! filesinki: one: The version is missing. Write PATH@VERSION, such as notes/a@12; filesinki log --root WORLD/a PATH lists them. What was deleted comes back with filesinki undelete --root WORLD/a PATH.
            = 2
            $ restore --root a
            ! filesinki: Give PATH@VERSION, or --at or --commit with PATH or -o DIR.
            ! Usage: filesinki restore [<options>] [<path@version> ...]
            !   See 'filesinki restore --help' for more information.
            = 2
            $ restore one@1 -o old --root a
            ! filesinki: With -o DIR, give --at TIME or --commit NUMBER. To write one version of a file into a file, use filesinki show one@1 -o old; of a folder, into another folder, filesinki restore one --commit 1 -o old.
            ! Usage: filesinki restore [<options>] [<path@version> ...]
            !   See 'filesinki restore --help' for more information.
            = 2
            $ restore sub --commit 1 -o old --root a
            ! Restored 1 file.
            $ names old/sub
            two
            $ restore one -o old --root a
            ! filesinki: With -o DIR, give --at TIME or --commit NUMBER.
            ! Usage: filesinki restore [<options>] [<path@version> ...]
            !   See 'filesinki restore --help' for more information.
            = 2
            $ restore one@1 -n --root a
            ! one is already as it was then: nothing would be changed.
            $ restore one@2 -n --root a
              restore  one
            ! Would restore 1 file.
            ! Nothing was changed.
            $ restore one@2 -n --json --root a
            {"type":"restored","path":"one","dry_run":true}
            ! Would restore 1 file.
            ! Nothing was changed.
            $ restore one@2 --json --root a
            {"type":"restored","path":"one"}
            ! Restored 1 file.
            $ restore sub@1 --root a
            ! sub is already as it was then: nothing was changed.
            $ remove a/sub/two
            $ restore sub --commit 1 --root a
            ! Restored 1 file.
            $ names a/sub
            two
            """#)
    }

    @Test("a time before the first commit has no tree")
    func times() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ ls --at @5 --root a
            ! filesinki: The store has no commit of this time or before. The oldest commit, 1, is of ….
            = 1
            $ restore one --at @5 --root a
            ! filesinki: The store has no commit of this time or before. The oldest commit, 1, is of ….
            = 1
            $ restore --at @5 -o out --root a
            ! filesinki: The store has no commit of this time or before. The oldest commit, 1, is of ….
            = 1
            $ names a
            .filesinki one sub
            $ ls --at never --root a
            ! filesinki: never: Invalid date or time. Write it as 2024-05-01, '…', yesterday, '…' or '2 hours ago'.
            = 2
            $ ls --commit 1 --root a
            one
            sub/
            sub/two
            $ ls --commit 8 --root a
            ! filesinki: Commit 8 was not found. The last commit is 1.
            = 1
            $ ls --commit 1 --at @5 --root a
            ! filesinki: --at cannot be combined with --commit.
            ! Usage: filesinki ls [<options>] [<paths> ...]
            !   See 'filesinki ls --help' for more information.
            = 2
            """#)
    }

    @Test("explain tells versions, and exits with 1 for what is not synced")
    func explain() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ explain one --root a
            one: synced, version 1, a file.

            Versions:
            @1  …  a  4 B
            $ explain sub --root a
            sub: synced, version 1, a folder.
            To list what changed in it, use filesinki log --root WORLD/a sub.

            Versions:
            @1  …  a    folder
            $ write a/new x
            $ explain new --root a
            new: not synced.
            = 1
            $ explain nope --root a
            nope: no such path here or in the store.
            = 1
            $ explain one --json --root a
            {"type":"state","path":"one","pending":false,"version":1,"kind":"file","mode":"…","modified":"…","size":4,"content":"…"}
            {"type":"version","path":"one","version":1,"time":"…","device":"a","device_id":"…","based_on":0,"superseded":false,"pruned":false,"kind":"file","mode":"…","modified":"…","size":4,"content":"…"}
            $ explain --root a
            ! filesinki: Missing expected argument '<path>'
            ! Help:  <path>  The path to explain.
            ! Usage: filesinki explain <path> [--root <dir>] [--state <dir>]
            !          [--lock-wait <time>] [--timeout <time>] [--json] [--quiet] [--verbose]
            !          [--color <when>] [--progress <when>]
            !   See 'filesinki explain --help' for more information.
            = 2
            """#)
    }
}
