import FilesinkiCommands
import Testing

@Suite("What the commands of files answer where they cannot do it")
struct FileAnswerTests {
    @Test("save names a path that cannot be written, and writes nothing")
    func save() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ save sub --root a < x
            ! filesinki: sub: A folder is there. Choose another path, or delete the folder with filesinki delete --root WORLD/a -r sub.
            = 1
            $ save one/x --root a < x
            ! filesinki: one/x: Cannot open its folder: not a directory. Check the path: a part of it is a file, not a folder.
            = 1
            $ save ../x --root a < x
            ! filesinki: ../x: The path has . or .. in it. Use a path below the root, such as notes/a.txt.
            = 2
            $ save '' --root a < x
            ! filesinki: The path is empty. Use a path below the root, such as notes/a.txt.
            = 2
            $ save . --root a < x
            ! filesinki: .: The path is the root itself. Give a path below it.
            = 2
            $ save .filesinki/x --root a < x
            ! filesinki: .filesinki/x: The path leads into .filesinki, where a replica keeps its own state. Use a path below the root, such as notes/a.txt.
            = 2
            $ save WORLD/x --root a < x
            ! filesinki: WORLD/x: Not below the root WORLD/a. Give a path inside the root, or another root with --root.
            = 2
            $ save new nofile --root a
            ! filesinki: nofile: Cannot open the file: no such file or directory. Check the spelling.
            = 1
            $ save new b --root a
            ! filesinki: b: Cannot read: is a directory. Name a file, not a folder.
            = 4
            $ names a
            .filesinki one sub
            """#)
    }

    @Test("save --if-version is refused with 1 by another version, and changes nothing")
    func compareAndSet() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ save one --if-version 0 --root a < x
            ! filesinki: one: The path is at version 1, not 0. Load it, and save again with version 1.
            = 1
            $ save one --if-version 9 --root a < x
            ! filesinki: one: The path is at version 1, not 9. Load it, and save again with version 1.
            = 1
            $ save one --if-version 9 --root a --json < x
            {"type":"failure","path":"one","code":"differs","message":"The path is at version 1, not 9.","remedy":"Load it, and save again with version 1."}
            ! filesinki: one: The path is at version 1, not 9. Load it, and save again with version 1.
            = 1
            $ show a/one
            one
            $ save one --if-version 1 --root a --json < x\n
            {"type":"saved","exit":0,"path":"one","version":2,"queued":false,"differs":false,"conflict_copies":[],"kind":"file","mode":"…","modified":"…","size":2,"content":"…"}
            $ show a/one
            x
            $ save new --if-version 0 --root a < x\n
            $ save new --if-version 0 --root a < y\n
            ! filesinki: new: The path is at version 3, not 0. Load it, and save again with version 3.
            = 1
            $ save none --if-version 3 --root a < y\n
            ! filesinki: none: The path is at version 0, not 3. Load it, and save again with version 0.
            = 1
            $ move store gone
            $ save one --if-version 2 --root a < y\n
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ show a/one
            x
            """#)
    }

    @Test("delete names what is not there, and deletes nothing then")
    func delete() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ delete nope --root a
            ! filesinki: nope: No such file or folder. List the files with filesinki ls --root WORLD/a.
            = 1
            $ delete one nope --root a
            ! filesinki: nope: No such file or folder. List the files with filesinki ls --root WORLD/a.
            = 1
            $ delete sub --root a
            ! filesinki: sub: Is a folder. To delete it with everything in it, add -r.
            = 2
            $ names a
            .filesinki one sub
            $ delete one -n --root a
              send      deleted    one
            ! Would delete 1 file.
            ! Nothing was changed.
            $ delete . -r --root a
            ! filesinki: .: The path is the root itself. Give a path below it.
            = 2
            $ delete one --root a --json
            {"type":"step","path":"one","action":"publish-deletion","reason":"deleted","text":"deleted"}
            {"type":"result","exit":0,"plan":"…","dry_run":false,"sequence":2,"steps":1,"published_commits":1,"sent_bytes":0,"received_bytes":0,"conflict_copies":0,"conflicts":0,"problems":0,"queued":false,"has_remote":true}
            $ delete one --root a
            ! filesinki: one: No such file or folder. List the files with filesinki ls --root WORLD/a.
            = 1
            $ delete sub -r --root a
              sent      deleted    sub/two
              sent      deleted    sub
            ! Deleted 1 file.
            $ delete --root a
            ! filesinki: Give a path, or --paths-from.
            ! Usage: filesinki delete [<options>] [<paths> ...]
            !   See 'filesinki delete --help' for more information.
            = 2
            $ names a
            .filesinki
            """#)
    }

    @Test("undelete names what is not deleted")
    func undelete() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ undelete nope --root a
            ! filesinki: nope: No deleted file with this name was found. List deleted names with filesinki ls --root WORLD/a --deleted.
            = 1
            $ undelete sub --root a
            ! filesinki: sub: The folder is not deleted. Nothing in it was deleted: see filesinki ls --root WORLD/a --deleted.
            = 1
            $ undelete one --root a
            ! filesinki: one: The path is not deleted. To go back to an older version, use filesinki restore --root WORLD/a one@VERSION.
            = 1
            $ delete one --root a
              sent      deleted    one
            ! Deleted 1 file.
            $ undelete one nope --root a
            ! filesinki: nope: No deleted file with this name was found. List deleted names with filesinki ls --root WORLD/a --deleted.
            ! Restored 1 file.
            = 5
            $ undelete one --root a
            ! filesinki: one: The path is not deleted. To go back to an older version, use filesinki restore --root WORLD/a one@VERSION.
            = 1
            $ delete -r sub --root a
              sent      deleted    sub/two
              sent      deleted    sub
            ! Deleted 1 file.
            $ undelete sub --root a
              restored  sub
              restored  sub/two
            ! Restored 1 file.
            $ undelete sub --root a
            ! filesinki: sub: The folder is not deleted. Nothing in it was deleted: see filesinki ls --root WORLD/a --deleted.
            = 1
            $ names a/sub
            two
            """#)
    }

    @Test("mv never replaces a path")
    func move() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ mv nope x --root a
            ! filesinki: nope: No such file or folder. List the files with filesinki ls --root WORLD/a.
            = 1
            $ mv one sub/two --root a
            ! filesinki: sub/two: This path exists already. Choose another name, or delete it first with filesinki delete --root WORLD/a sub/two.
            = 1
            $ mv one one --root a
            ! filesinki: one: Cannot be moved to itself: one. Give another name.
            = 2
            $ mv sub sub/in --root a
            ! filesinki: sub: Cannot be moved to itself: sub/in. Give another name.
            = 2
            $ mv one two three --root a
            ! filesinki: three: Not a folder. To move several paths, give a folder, or end its name with /.
            = 2
            $ mv one none/x --root a
              sent      new        none    folder
              sent      renamed    none/x  from one
            ! Renamed 1 file.
            $ mv one ../x --root a
            ! filesinki: ../x: The path has . or .. in it. Use a path below the root, such as notes/a.txt.
            = 2
            $ names a
            .filesinki none sub
            $ mv one sub --root a
            ! filesinki: one: No such file or folder. List the files with filesinki ls --root WORLD/a.
            = 1
            $ mv sub dir --root a
              sent      new        dir      folder
              sent      renamed    dir/two  from sub/two
            ! Renamed 1 file.
            $ mv dir/one new/ --root a
            ! filesinki: dir/one: No such file or folder. List the files with filesinki ls --root WORLD/a.
            = 1
            $ names a
            .filesinki dir none
            $ mv new/one back --root a --json
            {"type":"failure","path":"new/one","code":"not-found","message":"No such file or folder.","remedy":"List the files with filesinki ls."}
            ! filesinki: new/one: No such file or folder. List the files with filesinki ls --root WORLD/a.
            = 1
            """#)
    }

    @Test("ls names a path that is not synced")
    func list() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ ls --root a
            one
            sub/
            sub/two
            $ ls nope --root a
            ! filesinki: nope: Not found as of the last sync. Check the path; a new file is known after filesinki sync --root WORLD/a.
            = 1
            $ ls nope --root a --json
            {"type":"failure","path":"nope","code":"not-found","message":"Not found as of the last sync.","remedy":"Check the path; a new file is known after filesinki sync."}
            ! filesinki: nope: Not found as of the last sync. Check the path; a new file is known after filesinki sync --root WORLD/a.
            = 1
            $ ls sub --root a
            sub/
            sub/two
            $ ls one --json --root a
            {"type":"entry","path":"one","version":1,"kind":"file","mode":"…","modified":"…","size":4,"content":"…"}
            $ ls -0 --root a
            one␀sub␀sub/two␀¬
            $ ls --deleted --root a
            = 1
            $ ls --deleted one --root a
            ! filesinki: one: No deleted path was found. List deleted names with filesinki ls --root WORLD/a --deleted.
            = 1
            $ write a/new x
            $ ls new --root a
            ! filesinki: new: Not found as of the last sync. Check the path; a new file is known after filesinki sync --root WORLD/a.
            = 1
            """#)
    }

    @Test("lint and check-ignore exit as grep does")
    func names() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ lint --root a
            $ check-ignore one --root a
            = 1
            $ write a/.filesinkiignore *.tmp\n
            $ check-ignore x.tmp --root a
            x.tmp: ignored by .filesinkiignore, line 1: *.tmp
            $ check-ignore x.tmp one --root a
            x.tmp: ignored by .filesinkiignore, line 1: *.tmp
            $ check-ignore x.tmp --json --root a
            {"type":"ignore","path":"x.tmp","ignored":true,"file":".filesinkiignore","line":1,"pattern":"*.tmp","matched":"x.tmp"}
            $ check-ignore --root a
            ! filesinki: Give a path, or --paths-from.
            ! Usage: filesinki check-ignore [<paths> ...] [--paths-from <file>] [--null]
            !          [--root <dir>] [--state <dir>] [--lock-wait <time>] [--timeout <time>]
            !          [--json] [--quiet] [--verbose] [--color <when>] [--progress <when>]
            !   See 'filesinki check-ignore --help' for more information.
            = 2
            $ lint --root a
            """#)
    }

    @Test("a list of paths that cannot be read, or is empty, selects nothing")
    func pathsFrom() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ sync --paths-from nofile --root a
            ! filesinki: nofile: Cannot open the file: no such file or directory. Check the spelling.
            = 1
            $ write empty \n
            $ write a/x x
            $ sync --paths-from empty --root a
            $ delete --paths-from empty --root a
            $ restore --commit 1 --paths-from empty --root a
            $ write list one\nnope\n
            $ delete --paths-from list --root a
            ! filesinki: nope: No such file or folder. List the files with filesinki ls --root WORLD/a.
            = 1
            $ names a
            .filesinki one sub x
            $ write list one\n
            $ delete --paths-from list --root a
              sent      deleted    one
            ! Deleted 1 file.
            $ delete --paths-from - --root a < sub/two\n
              sent      deleted    sub/two
            ! Deleted 1 file.
            $ names a
            .filesinki sub x
            """#)
    }
}
