import FilesinkiCommands
import Testing

@Suite("init, clone, status, check, repair, du and stats")
struct ReplicaStateTests {
    @Test("init says what it made, and running it again changes nothing")
    func made() async throws {
        try await World().follow(
            #"""
            $ store store
            $ init a --device laptop
            ! Created the folder WORLD/a.
            ! WORLD/a is a replica now.
            $ init a --device laptop
            ! WORLD/a is a replica already.
            $ init a --remote store --json
            {"type":"replica","root":"WORLD/a","device":"laptop","device_id":"…","remote":"WORLD/store","store":"…","existed":true,"created_store":false,"encrypted":false}
            $ init a --remote store --json
            {"type":"replica","root":"WORLD/a","device":"laptop","device_id":"…","remote":"WORLD/store","store":"…","existed":true,"created_store":false,"encrypted":false}
            $ init a --device desk
            ! WORLD/a is a replica already.
            ! Its device was laptop and is desk now. Others see that after the next change that is synced here.
            ! Its store is at WORLD/store.
            $ status a --short
            $ init a --device ''
            ! filesinki: Invalid device name. Choose up to 64 characters, without a slash and without control characters.
            = 2
            $ init a --remote a/store
            ! filesinki: WORLD/a/store: The store is inside the root WORLD/a. Use a folder outside the root for the store.
            = 2
            $ init b --remote store --encrypt
            ! filesinki: WORLD/store: The store is not encrypted. To use it as it is, leave --encrypt and the passphrase out. To encrypt it, let a device that has it make an encrypted copy: remote set NEW --migrate --encrypt.
            = 7
            $ init --remote ftp://x b
            ! filesinki: ftp://x: Unsupported remote type: ftp://. Use a folder, or http(s)://, webdav(s)://, s3://, rclone:REMOTE:PATH or ssh://.
            = 2
            $ show b
            (none)
            """#)
    }

    @Test("clone refuses what is no store, and what is a replica of another one")
    func cloned() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ clone
            ! filesinki: Missing expected argument '<url>'
            ! Help:  <url>  The store's address.
            ! Usage: filesinki clone [<options>] <url> <dir>
            !   See 'filesinki clone --help' for more information.
            = 2
            $ clone store
            ! filesinki: Missing expected argument '<dir>'
            ! Help:  <dir>  The folder to create.
            ! Usage: filesinki clone [<options>] <url> <dir>
            !   See 'filesinki clone --help' for more information.
            = 2
            $ clone none c
            ! filesinki: WORLD/none: The folder of the store was not found. Check the spelling, or mount the disk or share that contains it. For a host with ssh write none:PATH.
            = 75
            $ clone store a/inside --json
            {"type":"failure","path":"WORLD/a/inside","code":"usage","message":"The folder is inside WORLD/a, which is a replica of the same store.","remedy":"Use a folder outside of that replica."}
            ! filesinki: WORLD/a/inside: The folder is inside WORLD/a, which is a replica of the same store. Use a folder outside of that replica.
            = 2
            $ clone a c
            ! filesinki: WORLD/a: This is a replica, not a store. Give the address of its store, which is WORLD/store.
            = 1
            $ clone store c --only none
            ! WORLD/c is a replica now.
            ! Connected to the store at WORLD/store.
            ! filesinki: none: The store has no such path. The replica was made, and holds the path once the store has it. To choose other paths: filesinki only set --root WORLD/c PATH, then filesinki sync --root WORLD/c.
            = 1
            $ clone store d --only sub --device d --json
            {"type":"replica","root":"WORLD/d","device":"d","device_id":"…","remote":"WORLD/store","store":"…","existed":false,"created_store":false,"encrypted":false}
            {"type":"step","path":"sub","action":"take","reason":"created","text":"new"}
            {"type":"step","path":"sub/two","action":"take","reason":"created","text":"new"}
            {"type":"result","exit":0,"plan":"…","dry_run":false,"sequence":1,"steps":2,"published_commits":0,"sent_bytes":0,"received_bytes":4,"conflict_copies":0,"conflicts":0,"problems":0,"queued":false,"has_remote":true}
            $ names d
            .filesinki sub
            $ clone store e -q --device e
            $ names e
            .filesinki one sub
            $ store other
            $ clone other a
            ! filesinki: WORLD/a: The replica's remote is WORLD/store. To change it, run filesinki remote set --root WORLD/a WORLD/other. If it is lost, see filesinki help lost-store.
            = 1
            $ clone ftp://x f
            ! filesinki: ftp://x: Unsupported remote type: ftp://. Use a folder, or http(s)://, webdav(s)://, s3://, rclone:REMOTE:PATH or ssh://.
            = 2
            """#)
    }

    @Test("status says what waits on either side, and exits with 1 or 3")
    func status() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ status a
            WORLD/a  <->  WORLD/store    as "a"
            Up to date. Last synced … (commit 1), 2 files, 8 B
            $ status a --json
            {"type":"status","exit":0,"root":"WORLD/a","device":"a","device_id":"…","remote":"WORLD/store","store":"…","sequence":1,"last_success":"…","stale":false,"paths":3,"files":2,"bytes":8,"pending":[],"changed":[],"incoming":[],"conflicts":0,"uploaded_bytes":0}
            $ write a/one changed\n
            $ write a/new new\n
            $ status a
            WORLD/a  <->  WORLD/store    as "a"
            Last synced … (commit 1), 2 files, 8 B
            2 changed here, not yet sent:  new  one
            $ status a --json
            {"type":"status","exit":0,"root":"WORLD/a","device":"a","device_id":"…","remote":"WORLD/store","store":"…","sequence":1,"last_success":"…","stale":false,"paths":3,"files":2,"bytes":8,"pending":[],"changed":["new","one"],"new":["new"],"incoming":[],"conflicts":0,"uploaded_bytes":0}
            $ status a --short
            $ sync a -q
            $ status a --short
            $ status b
            WORLD/b  <->  WORLD/store    as "b"
            Up to date. Last synced … (commit 1), 2 files, 8 B
            $ sync b -q
            $ status b --short
            $ status --root b --max-age 1h -q
            WORLD/b  <->  WORLD/store    as "b"
            Up to date. Last synced … (commit 2), 3 files, 16 B
            $ status none
            ! filesinki: WORLD/none: No such file or folder. Check the path; if it is on a disk, mount it.
            = 1
            $ status a --max-age soon
            ! filesinki: soon: Invalid duration. Write it as 30s, 5m or 2h.
            = 2
            $ status a b
            ! filesinki: Unexpected argument 'b'
            ! To name the replica, add --root DIR.
            ! Usage: filesinki status [<options>] [<dir>]
            !   See 'filesinki status --help' for more information.
            = 2
            $ enter b
            $ status --short
            $ status sub --short
            """#)
    }

    @Test("status exits with 3 while a conflict is open")
    func conflict() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write a/one laptop\n
            $ write b/one desk\n
            $ sync a -q
            $ sync b --strategy leave -q
            = 3
            $ status b --short
            1 conflict
            = 3
            """#)
    }

    @Test("a run that ended with conflicts is a complete sync, for status, --max-age and replicas")
    func conflictsAreComplete() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write c/one other\n
            $ clone store c --device c -q
            = 3
            $ status c --max-age 1h
            WORLD/c  <->  WORLD/store    as "c"
            Up to date. Last synced just now (commit …), 3 files, …
            1 open conflict: one (just now)    see: filesinki conflicts --root WORLD/c
            = 3
            $ replicas
            WORLD/a  up to date  synced just now  WORLD/store
            WORLD/b  up to date  synced just now  WORLD/store
            WORLD/c  1 conflict  synced just now  WORLD/store
            $ resolve --root c one --take there -q
            $ status c --json
            {"type":"status","exit":0,"root":"WORLD/c","device":"c","device_id":"…","remote":"WORLD/store","store":"…","sequence":…,"last_success":"…","stale":false,"paths":3,"files":2,"bytes":8,"pending":[],"changed":[],"incoming":[],"conflicts":0,"uploaded_bytes":0}
            """#)
    }

    @Test("check says what it read, and which PART is none")
    func checked() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ check --root a
            ! 1 commit, 0 packs, 2 contents: no problems. No contents were read; to read all of them, add --read-data.
            $ check --root a --read-data
            ! 1 commit, 0 packs, 2 contents: no problems. All … objects were read, 8 B of contents.
            $ check --root a --read-data --current
            ! 1 commit, 0 packs, 2 contents: no problems. The current tree was read, 8 B; older versions were not.
            $ check --root a --read-data=1/1
            ! 1 commit, 0 packs, 2 contents: no problems. All … objects were read, 8 B of contents.
            $ check --root a --read-data=100% --json
            {"type":"check","exit":0,"commits":1,"packs":0,"contents":2,"pruned_versions":0,"lost_versions":0,"bytes":8,"read_data":"all","read_packs":0,"objects":…,"foreign_objects":0,"problems":0,"sequence":1,"hash":"…"}
            $ check --root a --current
            ! filesinki: --current needs --read-data.
            ! Usage: filesinki check [--read-data [<part>]] [--current] [--root <dir>]
            !          [--state <dir>] [--lock-wait <time>] [--timeout <time>] [--json]
            !          [--quiet] [--verbose] [--color <when>] [--progress <when>]
            !   See 'filesinki check --help' for more information.
            = 2
            $ check --root a --read-data=3/2
            ! filesinki: --read-data takes a percentage up to 100%, or a part such as 3/10.
            ! Usage: filesinki check [--read-data [<part>]] [--current] [--root <dir>]
            !          [--state <dir>] [--lock-wait <time>] [--timeout <time>] [--json]
            !          [--quiet] [--verbose] [--color <when>] [--progress <when>]
            !   See 'filesinki check --help' for more information.
            = 2
            $ check --root a --read-data=0%
            ! filesinki: --read-data takes a percentage up to 100%, or a part such as 3/10.
            ! Usage: filesinki check [--read-data [<part>]] [--current] [--root <dir>]
            !          [--state <dir>] [--lock-wait <time>] [--timeout <time>] [--json]
            !          [--quiet] [--verbose] [--color <when>] [--progress <when>]
            !   See 'filesinki check --help' for more information.
            = 2
            $ check --root a --read-data=101%
            ! filesinki: --read-data takes a percentage up to 100%, or a part such as 3/10.
            ! Usage: filesinki check [--read-data [<part>]] [--current] [--root <dir>]
            !          [--state <dir>] [--lock-wait <time>] [--timeout <time>] [--json]
            !          [--quiet] [--verbose] [--color <when>] [--progress <when>]
            !   See 'filesinki check --help' for more information.
            = 2
            $ check --root a --read-data=1/2 --current
            ! filesinki: --current cannot be combined with a part of the packs.
            ! Usage: filesinki check [--read-data [<part>]] [--current] [--root <dir>]
            !          [--state <dir>] [--lock-wait <time>] [--timeout <time>] [--json]
            !          [--quiet] [--verbose] [--color <when>] [--progress <when>]
            !   See 'filesinki check --help' for more information.
            = 2
            $ repair --root a
            ! … objects read: no problems, nothing to repair.
            $ repair --root a --json
            {"type":"repair","exit":0,"objects":…,"found":0,"healed":0,"packs":0,"bytes":0,"removed":0,"lost":0,"problems":0}
            $ init c --device c
            ! Created the folder WORLD/c.
            ! WORLD/c is a replica now.
            $ check --root c
            ! filesinki: WORLD/c: The replica has no remote. Set one with filesinki remote set --root WORLD/c URL.
            = 1
            $ repair --root c
            ! filesinki: WORLD/c: The replica has no remote. Set one with filesinki remote set --root WORLD/c URL.
            = 1
            $ move store gone
            $ check --root a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ repair --root a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            """#)
    }

    @Test("du and stats say what files take in the store")
    func usage() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write a/sub/three two\n
            $ sync a -q
            $ du --root a
            files  plain  stored  shared  path
                1    4 B     4 B          one
                2    4 B     4 B     4 B  sub/
                3    8 B     8 B     4 B  total
            $ du sub --root a --json
            {"type":"usage","path":"sub","kind":"directory","files":2,"bytes":4,"stored_bytes":4,"shared_bytes":4}
            {"type":"usage","path":"sub/three","kind":"file","files":1,"bytes":4,"stored_bytes":4,"shared_bytes":4}
            {"type":"usage","path":"sub/two","kind":"file","files":1,"bytes":4,"stored_bytes":4,"shared_bytes":4}
            {"type":"usage_total","files":2,"bytes":4,"stored_bytes":4,"shared_bytes":4}
            $ du --root a --depth 0
            files  plain  stored  shared  path
                3    8 B     8 B     4 B  total
            $ du --root a --depth -1
            ! filesinki: Unknown option '-1'.
            ! Write a path that begins with a hyphen as ./-1.
            ! Help:  --depth <depth>  How many levels below the paths, or below the folder, to list.
            ! Usage: filesinki du [<options>] [<paths> ...]
            !   See 'filesinki du --help' for more information.
            = 2
            $ du --root a --sort name
            ! filesinki: The value 'name' is invalid for '--sort <sort>'. Please provide one of 'path' and 'size'.
            ! Help:  --sort <sort>  path, or size for the largest stored size first.
            ! Usage: filesinki du [<options>] [<paths> ...]
            !   See 'filesinki du --help' for more information.
            = 2
            $ du --root a --sort colour
            ! filesinki: The value 'colour' is invalid for '--sort <sort>'. Please provide one of 'path' and 'size'.
            ! Help:  --sort <sort>  path, or size for the largest stored size first.
            ! Usage: filesinki du [<options>] [<paths> ...]
            !   See 'filesinki du --help' for more information.
            = 2
            $ du none --root a
            ! filesinki: none: Not found as of the last sync. Check the path; a new file is known after filesinki sync --root WORLD/a.
            = 1
            $ du --root a --history --depth 0
            versions  plain  stored  shared  path
                   3    8 B     8 B     4 B  total
            $ stats x --root a
            ! filesinki: Unexpected argument 'x'
            ! To name the replica, add --root DIR.
            ! Usage: filesinki stats [--root <dir>] [--state <dir>] [--lock-wait <time>]
            !          [--timeout <time>] [--json] [--quiet] [--verbose] [--color <when>]
            !          [--progress <when>]
            !   See 'filesinki stats --help' for more information.
            = 2
            $ move store gone
            $ du --root a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ stats --root a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            """#)
    }
}
