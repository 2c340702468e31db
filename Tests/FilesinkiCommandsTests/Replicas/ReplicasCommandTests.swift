import FilesinkiCommands
import Testing

@Suite("replicas, sync --all and key")
struct ReplicasCommandTests {
    @Test("replicas lists folder, state, last sync and remote")
    func listed() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ replicas
            WORLD/a  up to date  synced just now  WORLD/store
            WORLD/b  up to date  synced just now  WORLD/store
            $ replicas --json
            {"type":"listed","root":"WORLD/a","gone":false,"device":"a","device_id":"…","remote":"WORLD/store","last_success":"…","pending":0,"incoming":0,"conflicts":0}
            {"type":"listed","root":"WORLD/b","gone":false,"device":"b","device_id":"…","remote":"WORLD/store","last_success":"…","pending":0,"incoming":0,"conflicts":0}
            $ replicas -0
            WORLD/a␀WORLD/b␀¬
            $ write a/new x
            $ write b/one b\n
            $ sync a -q
            $ replicas
            WORLD/a  up to date  synced just now  WORLD/store
            WORLD/b  up to date  synced just now  WORLD/store
            $ replicas --forget none
            ! filesinki: WORLD/none: Not in the list of replicas. filesinki replicas shows it.
            = 1
            $ replicas --forget a
            ! WORLD/a is not listed any more.
            $ replicas
            WORLD/b  up to date  synced just now  WORLD/store
            $ sync a -q
            $ replicas -0
            WORLD/a␀WORLD/b␀¬
            $ remove b
            $ replicas
            WORLD/a  up to date  synced just now  WORLD/store
            WORLD/b  gone
            ! Gone: mount the disk, or remove the entry with filesinki replicas --forget DIR.
            $ replicas --json
            {"type":"listed","root":"WORLD/a","gone":false,"device":"a","device_id":"…","remote":"WORLD/store","last_success":"…","pending":0,"incoming":0,"conflicts":0}
            {"type":"listed","root":"WORLD/b","gone":true}
            $ replicas --forget b --json
            {"type":"replica-forgotten","root":"WORLD/b"}
            ! WORLD/b is not listed any more.
            $ replicas --forget b
            ! filesinki: WORLD/b: Not in the list of replicas. filesinki replicas shows it.
            = 1
            $ replicas x
            ! filesinki: Unexpected argument 'x'
            ! Usage: filesinki replicas [--forget <dir>] [<options>]
            !   See 'filesinki replicas --help' for more information.
            = 2
            """#)
    }

    @Test("sync --all syncs each, and names it")
    func all() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write a/new x
            $ sync --all
            WORLD/a  <->  WORLD/store
              sent      new        new  1 B
            WORLD/b  <->  WORLD/store
              received  new        new  1 B
            ! Sent 1 file (1 B).
            ! Received 1 file (1 B).
            $ sync --all
            $ sync --all --json
            {"type":"syncing","root":"WORLD/a","remote":"WORLD/store"}
            {"type":"result","exit":0,"plan":"…","dry_run":false,"sequence":2,"steps":0,"published_commits":0,"sent_bytes":0,"received_bytes":0,"conflict_copies":0,"conflicts":0,"problems":0,"queued":false,"has_remote":true}
            {"type":"syncing","root":"WORLD/b","remote":"WORLD/store"}
            {"type":"result","exit":0,"plan":"…","dry_run":false,"sequence":2,"steps":0,"published_commits":0,"sent_bytes":0,"received_bytes":0,"conflict_copies":0,"conflicts":0,"problems":0,"queued":false,"has_remote":true}
            {"type":"all","exit":0,"replicas":2,"synced":2,"failed":0,"gone":0,"without_remote":0}
            $ init c --device c
            ! Created the folder WORLD/c.
            ! WORLD/c is a replica now.
            $ sync --all
            $ remove b
            $ sync --all --json
            {"type":"syncing","root":"WORLD/a","remote":"WORLD/store"}
            {"type":"result","exit":0,"plan":"…","dry_run":false,"sequence":2,"steps":0,"published_commits":0,"sent_bytes":0,"received_bytes":0,"conflict_copies":0,"conflicts":0,"problems":0,"queued":false,"has_remote":true}
            {"type":"notice","path":"WORLD/b","code":"not-found","message":"The replica is gone.","remedy":"Mount the disk, or remove the entry with filesinki replicas --forget."}
            {"type":"all","exit":0,"replicas":3,"synced":1,"failed":0,"gone":1,"without_remote":1}
            ! WORLD/b: The replica is gone. Mount the disk, or remove the entry with filesinki replicas --forget.
            $ sync --all a
            ! filesinki: --all cannot be combined with a path.
            ! Usage: filesinki sync [<options>] [<paths> ...]
            !   See 'filesinki sync --help' for more information.
            = 2
            """#)
    }

    @Test("with no replica both exit with 1")
    func empty() async throws {
        try await World().follow(
            #"""
            $ replicas
            ! No replica is listed. filesinki init makes a folder a replica.
            = 1
            $ replicas --json
            ! No replica is listed. filesinki init makes a folder a replica.
            = 1
            $ sync --all
            ! filesinki: No replica is listed. Make a folder a replica with filesinki init.
            = 1
            $ replicas --forget x
            ! filesinki: WORLD/x: Not in the list of replicas. filesinki replicas shows it.
            = 1
            """#)
    }

    @Test("key needs an encrypted store")
    func keys() async throws {
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
            $ key change --root a
            ! filesinki: No new passphrase was given. Give it with --passphrase-file FILE or FILESINKI_PASSPHRASE, or use --key-file FILE.
            = 2
            $ key remove abc --root a
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
            """#)
    }
}
