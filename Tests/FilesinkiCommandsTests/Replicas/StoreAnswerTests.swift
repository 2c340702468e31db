import FilesinkiCommands
import Testing

@Suite("What commands about the store answer")
struct StoreAnswerTests {
    @Test("remote set refuses what is not a store, and keeps the address")
    func remote() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ remote show --root a
            WORLD/store
            $ remote set --root a
            ! filesinki: Missing expected argument '<url>'
            ! Help:  <url>  The store's address.
            ! Usage: filesinki remote set [<options>] <url>
            !   See 'filesinki remote set --help' for more information.
            = 2
            $ remote set nowhere --root a
            ! filesinki: WORLD/nowhere: The folder of the store was not found. Check the spelling, or mount the disk or share that contains it. To copy the store there first, add --migrate.
            = 75
            $ remote set b --root a
            ! filesinki: WORLD/b: This is a replica, not a store. Give the address of its store, which is WORLD/store.
            = 1
            $ remote set a/inside --root a
            ! filesinki: WORLD/a/inside: The store is inside the root WORLD/a. Use a folder outside the root for the store.
            = 2
            $ remote set ftp://host/x --root a
            ! filesinki: ftp://host/x: Unsupported remote type: ftp://. Use a folder, or http(s)://, webdav(s)://, s3://, rclone:REMOTE:PATH or ssh://.
            = 2
            $ remote set http://user:pw@host/ --root a
            ! filesinki: An address must not contain a password: others could see it. Put it into the environment or the credentials file: see filesinki help credentials.
            = 2
            $ remote show --root a
            WORLD/store
            $ remote check nowhere
            ! filesinki: WORLD/nowhere: The folder of the store was not found. Check the spelling, or mount the disk or share that contains it.
            = 75
            $ remote check ftp://x
            ! filesinki: ftp://x: Unsupported remote type: ftp://. Use a folder, or http(s)://, webdav(s)://, s3://, rclone:REMOTE:PATH or ssh://.
            = 2
            $ remote --root a
            WORLD/store
            $ remote shwo --root a
            ! filesinki: shwo: Unknown command. Did you mean 'show'? filesinki help lists the commands.
            = 2
            """#)
    }

    @Test("du counts what the store has")
    func usage() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ du --root a
            files  plain  stored  shared  path
                1    4 B     4 B          one
                1    4 B     4 B          sub/
                2    8 B     8 B          total
            $ du sub --root a
            files  plain  stored  shared  path
                1    4 B     4 B          sub/
                1    4 B     4 B          sub/two
                1    4 B     4 B          total
            $ du one --json --root a
            {"type":"usage","path":"one","kind":"file","files":1,"bytes":4,"stored_bytes":4,"shared_bytes":0}
            {"type":"usage_total","files":1,"bytes":4,"stored_bytes":4,"shared_bytes":0}
            $ du nope --root a
            ! filesinki: nope: Not found as of the last sync. Check the path; a new file is known after filesinki sync --root WORLD/a.
            = 1
            """#)
    }

    @Test("check and repair of a store without a fault")
    func check() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ check --root a
            ! 1 commit, 0 packs, 2 contents: no problems. No contents were read; to read all of them, add --read-data.
            $ check --read-data --root a
            ! 1 commit, 0 packs, 2 contents: no problems. All 4 objects were read, 8 B of contents.
            $ check --root a --json
            {"type":"check","exit":0,"commits":1,"packs":0,"contents":2,"pruned_versions":0,"lost_versions":0,"bytes":0,"read_data":"none","read_packs":0,"objects":0,"foreign_objects":0,"problems":0,"sequence":1,"hash":"…"}
            $ repair --root a
            ! 4 objects read: no problems, nothing to repair.
            $ repair --root a --json
            {"type":"repair","exit":0,"objects":4,"found":0,"healed":0,"packs":0,"bytes":0,"removed":0,"lost":0,"problems":0}
            """#)
    }

    @Test("a store that lost its log is not the store it was: check and sync exit with 7")
    func damaged() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ remove store/zones
            $ check --root a
            ! filesinki: WORLD/store: The log ends at 0, but 1 was seen. The store was rolled back or restored from a backup. To publish this replica again, run filesinki sync --root WORLD/a: it names the plan to approve.
            ! 0 commits, 0 packs, 0 contents: 1 problem. No contents were read; to read all of them, add --read-data.
            = 7
            $ status a
            WORLD/a  <->  WORLD/store    as "a"
            Up to date. Last synced … (commit 1), 2 files, 8 B
            $ sync a
            ! filesinki: zones/files/log/…: A commit that was seen is gone: the store was rolled back, or lost it. Nothing was changed. To merge both sides as at a first sync, so that nothing is lost, run filesinki sync --root WORLD/a --approve ….
            = 7
            """#)
    }

    @Test("prune needs a rule, and names what it does not understand")
    func prune() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ prune --root a
            ! filesinki: A prune needs to know what to keep. Name at least one rule, such as --keep-within 30d, or set one for all devices: filesinki config set --root WORLD/a prune.keep-within 30d
            = 2
            $ prune --keep-last 1 -n --root a
            2 versions kept, 0 dropped.
              2 in the current tree
            Nothing to free.
            $ prune --keep-last 0 --root a
            ! filesinki: Invalid value of --keep-last. Write a number from 1 to 1,000,000,000.
            ! Usage: filesinki prune <options>
            !   See 'filesinki prune --help' for more information.
            = 2
            $ prune --keep-last x --root a
            ! filesinki: The value 'x' is invalid for '--keep-last <keep-last>'
            ! Help:  --keep-last <keep-last>  Keep the versions of the last N commits.
            ! Usage: filesinki prune <options>
            !   See 'filesinki prune --help' for more information.
            = 2
            $ prune --keep-within soon --root a
            ! filesinki: Invalid value of --keep-within. Write a time such as "12h", "30d" or "52w".
            ! Usage: filesinki prune <options>
            !   See 'filesinki prune --help' for more information.
            = 2
            $ prune --keep-last 1 --root a
            ! 2 versions kept, 0 dropped.
            !   2 in the current tree
            ! Nothing to free.
            $ prune --keep-last 1 --root a --json
            {"type":"prune","exit":0,"dry_run":false,"rules":"options","kept_versions":2,"dropped_versions":0,"packs":0,"pack_bytes":0,"removed_packs":0,"rewritten_packs":0,"recompressed_packs":0,"freed_bytes":0,"problems":0,"ended_deletions":0,"archived_commits":0,"removed_checkpoints":0,"removed_uploads":0,"removed_unnamed_packs":0,"waiting_unnamed_packs":0,"waiting_unnamed_bytes":0,"waiting_for":[],"own_unnamed_packs":0,"own_unnamed_bytes":0}
            """#)
    }

    @Test("key needs an encrypted store")
    func key() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ key --root a
            ! filesinki: WORLD/store: The store is not encrypted. To encrypt it, copy it with filesinki remote set --root WORLD/a NEW --migrate --encrypt.
            = 1
            $ key list --root a --json
            {"type":"failure","path":"WORLD/store","code":"not-found","message":"The store is not encrypted.","remedy":"To encrypt it, copy it with filesinki remote set NEW --migrate --encrypt."}
            ! filesinki: WORLD/store: The store is not encrypted. To encrypt it, copy it with filesinki remote set --root WORLD/a NEW --migrate --encrypt.
            = 1
            $ key add --root a
            ! filesinki: No new passphrase was given. Give it with --passphrase-file FILE or FILESINKI_PASSPHRASE, or use --key-file FILE.
            = 2
            $ key remove 00 --root a
            ! filesinki: WORLD/store: The store is not encrypted. To encrypt it, copy it with filesinki remote set --root WORLD/a NEW --migrate --encrypt.
            = 1
            $ key remove --root a
            ! filesinki: Missing expected argument '<id>'
            ! Help:  <id>  The beginning of the key's id.
            ! Usage: filesinki key remove <id> [--root <dir>] [--state <dir>]
            !          [--lock-wait <time>] [--timeout <time>] [--json] [--quiet] [--verbose]
            !          [--color <when>] [--progress <when>]
            !   See 'filesinki key remove --help' for more information.
            = 2
            $ key change --root a
            ! filesinki: No new passphrase was given. Give it with --passphrase-file FILE or FILESINKI_PASSPHRASE, or use --key-file FILE.
            = 2
            $ key add --root a --passphrase-file nofile
            ! filesinki: WORLD/nofile: The secret file was not found. Check its path.
            = 7
            """#)
    }

    @Test("deinit names what would be lost, and keeps it all")
    func removal() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write b/new x
            $ deinit b
            ! filesinki: WORLD/b: Not published: new. Run filesinki sync --root WORLD/b, or give --force: all files stay.
            = 1
            $ deinit b --json
            {"type":"failure","path":"WORLD/b","code":"differs","message":"Not published: new.","remedy":"Run filesinki sync, or give --force: all files stay."}
            ! filesinki: WORLD/b: Not published: new. Run filesinki sync --root WORLD/b, or give --force: all files stay.
            = 1
            $ deinit b/sub
            ! filesinki: WORLD/b/sub: The folder is in the replica WORLD/b. Give that one, if you mean it.
            = 2
            $ deinit nope
            ! filesinki: WORLD/nope: No such file or folder. Check the path; if it is on a disk, mount it.
            = 1
            $ deinit b --force -v
            ! WORLD/b is an ordinary folder now; its files are unchanged.
            ! The store at WORLD/store is unchanged. On another device, filesinki devices forget b removes this one from its list.
            $ show b/new
            x¬
            $ deinit b
            ! filesinki: WORLD/b: Not in a replica. Yours is WORLD/a: go there, or add --root DIR. If it is on a disk, mount it; filesinki init makes it one.
            = 1
            """#)
    }

    @Test("deinit names values and records that are not published")
    func removalOfValues() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ move store gone
            $ kv set k v --root b
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ deinit b
            ! filesinki: WORLD/b: Not published: 1 value. Run filesinki kv sync --root WORLD/b, or give --force: all files stay.
            = 1
            $ kv unset k --root b
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ rec save Note n --set t=x --root b
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ deinit b
            ! filesinki: WORLD/b: Not published: 2 records. Run filesinki rec sync --root WORLD/b in each zone, or give --force: all files stay.
            = 1
            $ names b
            .filesinki one sub
            """#)
    }

    @Test("replicas lists those that are there, and forgets those that are gone")
    func registry() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ replicas
            WORLD/a  up to date  synced …  WORLD/store
            WORLD/b  up to date  synced …  WORLD/store
            $ replicas --json
            {"type":"listed","root":"WORLD/a","gone":false,"device":"a","device_id":"…","remote":"WORLD/store","last_success":"…","pending":0,"incoming":0,"conflicts":0}
            {"type":"listed","root":"WORLD/b","gone":false,"device":"b","device_id":"…","remote":"WORLD/store","last_success":"…","pending":0,"incoming":0,"conflicts":0}
            $ replicas --forget nope
            ! filesinki: WORLD/nope: Not in the list of replicas. filesinki replicas shows it.
            = 1
            $ move b c
            $ replicas
            WORLD/a  up to date  synced …  WORLD/store
            WORLD/b  gone
            ! Gone: mount the disk, or remove the entry with filesinki replicas --forget DIR.
            $ replicas --json
            {"type":"listed","root":"WORLD/a","gone":false,"device":"a","device_id":"…","remote":"WORLD/store","last_success":"…","pending":0,"incoming":0,"conflicts":0}
            {"type":"listed","root":"WORLD/b","gone":true}
            $ sync --all
            ! WORLD/b: The replica is gone. Mount the disk, or remove the entry with filesinki replicas --forget.
            $ sync --all --json
            {"type":"syncing","root":"WORLD/a","remote":"WORLD/store"}
            {"type":"result","exit":0,"plan":"…","dry_run":false,"sequence":1,"steps":0,"published_commits":0,"sent_bytes":0,"received_bytes":0,"conflict_copies":0,"conflicts":0,"problems":0,"queued":false,"has_remote":true}
            {"type":"notice","path":"WORLD/b","code":"not-found","message":"The replica is gone.","remedy":"Mount the disk, or remove the entry with filesinki replicas --forget."}
            {"type":"all","exit":0,"replicas":2,"synced":1,"failed":0,"gone":1,"without_remote":0}
            ! WORLD/b: The replica is gone. Mount the disk, or remove the entry with filesinki replicas --forget.
            $ replicas --forget b
            ! WORLD/b is not listed any more.
            $ replicas
            WORLD/a  up to date  synced …  WORLD/store
            $ sync --all one
            ! filesinki: --all cannot be combined with a path.
            ! Usage: filesinki sync [<options>] [<paths> ...]
            !   See 'filesinki sync --help' for more information.
            = 2
            """#)
    }

    @Test("sync --all exits with the worst code, and goes on behind a replica that fails")
    func all() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write a/x x
            $ write b/y y
            $ move store gone
            $ sync --all
            WORLD/a  <->  WORLD/store
            WORLD/b  <->  WORLD/store
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            ! The changes are kept here: the next filesinki sync --root WORLD/a sends them.
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            ! The changes are kept here: the next filesinki sync --root WORLD/b sends them.
            ! Not fully synced: 2 of 2 replicas.
            = 75
            $ sync --all --json
            {"type":"syncing","root":"WORLD/a","remote":"WORLD/store"}
            {"type":"result","exit":75,"plan":"","dry_run":false,"sequence":0,"steps":0,"published_commits":0,"sent_bytes":0,"received_bytes":0,"conflict_copies":0,"conflicts":0,"problems":0,"queued":true,"has_remote":true,"away":{"type":"failure","path":"WORLD/store","code":"away","message":"The folder of the store was not found (unmounted?).","remedy":"Mount the disk or share that contains it, or set its new address with filesinki remote set URL. If it is lost, see filesinki help lost-store."}}
            {"type":"syncing","root":"WORLD/b","remote":"WORLD/store"}
            {"type":"result","exit":75,"plan":"","dry_run":false,"sequence":0,"steps":0,"published_commits":0,"sent_bytes":0,"received_bytes":0,"conflict_copies":0,"conflicts":0,"problems":0,"queued":true,"has_remote":true,"away":{"type":"failure","path":"WORLD/store","code":"away","message":"The folder of the store was not found (unmounted?).","remedy":"Mount the disk or share that contains it, or set its new address with filesinki remote set URL. If it is lost, see filesinki help lost-store."}}
            {"type":"all","exit":75,"replicas":2,"synced":0,"failed":2,"gone":0,"without_remote":0}
            = 75
            $ move gone store
            $ sync --all
            WORLD/a  <->  WORLD/store
              sent      new        x  1 B
            WORLD/b  <->  WORLD/store
              received  new        x  1 B
              sent      new        y  1 B
            ! Sent 1 file (1 B).
            ! Sent 1 file (1 B), received 1 (1 B).
            $ sync --all
            WORLD/a  <->  WORLD/store
              received  new        y  1 B
            ! Received 1 file (1 B).
            """#)
    }

    @Test("status names a folder that is in no replica")
    func status() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ status nope
            ! filesinki: WORLD/nope: No such file or folder. Check the path; if it is on a disk, mount it.
            = 1
            $ status a/nope
            ! filesinki: WORLD/a/nope: No such file or folder. Check the path; if it is on a disk, mount it.
            = 1
            $ status a/sub
            WORLD/a  <->  WORLD/store    as "a"
            Up to date. Last synced … (commit 1), 2 files, 8 B
            $ status a --short
            $ status a --max-age soon
            ! filesinki: soon: Invalid duration. Write it as 30s, 5m or 2h.
            = 2
            $ status a --max-age 2h
            WORLD/a  <->  WORLD/store    as "a"
            Up to date. Last synced … (commit 1), 2 files, 8 B
            $ write a/x x
            $ status a
            WORLD/a  <->  WORLD/store    as "a"
            Last synced … (commit 1), 2 files, 8 B
            1 changed here, not yet sent:  x
            """#)
    }

    @Test("clone and init refuse places that are not fit")
    func clone() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ clone store
            ! filesinki: Missing expected argument '<dir>'
            ! Help:  <dir>  The folder to create.
            ! Usage: filesinki clone [<options>] <url> <dir>
            !   See 'filesinki clone --help' for more information.
            = 2
            $ clone nothere c
            ! filesinki: WORLD/nothere: The folder of the store was not found. Check the spelling, or mount the disk or share that contains it. For a host with ssh write nothere:PATH.
            = 75
            $ clone a c
            ! filesinki: WORLD/a: This is a replica, not a store. Give the address of its store, which is WORLD/store.
            = 1
            $ clone store b/in
            ! filesinki: WORLD/b/in: The folder is inside WORLD/b, which is a replica of the same store. Use a folder outside of that replica.
            = 2
            $ clone store/in c
            ! filesinki: WORLD/store/in: No store was found there; the store is WORLD/store. To hold only this folder of it, run filesinki clone WORLD/store c --only in.
            = 1
            $ init store
            ! filesinki: WORLD/store: The folder is a store. To make a replica of the store, run filesinki clone WORLD/store DIR.
            = 2
            $ init store/in
            ! filesinki: WORLD/store/in: The folder is inside the store WORLD/store. To make a replica of the store, run filesinki clone WORLD/store DIR.
            = 2
            $ init a --remote other
            ! filesinki: WORLD/a: The replica's remote is WORLD/store. To change it, run filesinki remote set --root WORLD/a WORLD/other. If it is lost, see filesinki help lost-store.
            = 1
            """#)
    }
}
