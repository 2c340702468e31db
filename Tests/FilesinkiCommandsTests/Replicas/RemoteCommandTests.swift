import FilesinkiCommands
import Testing

@Suite("remote show, remote set and devices")
struct RemoteCommandTests {
    @Test("show prints the address and the store")
    func shown() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ remote --root a
            WORLD/store
            $ remote show --root a
            WORLD/store
            $ remote show --root a --json
            {"type":"remote","remote":"WORLD/store","store":"…"}
            $ init c --device c
            ! Created the folder WORLD/c.
            ! WORLD/c is a replica now.
            $ remote show --root c
            ! The replica WORLD/c has no remote. Set one with filesinki remote set --root WORLD/c URL.
            = 1
            $ remote show --root c --json
            {"type":"remote"}
            = 1
            $ remote show x --root a
            ! filesinki: Unexpected argument 'x'
            ! To name the replica, add --root DIR.
            ! Usage: filesinki remote show [--moved] [--root <dir>] [--state <dir>]
            !          [--lock-wait <time>] [--timeout <time>] [--json] [--quiet] [--verbose]
            !          [--color <when>] [--progress <when>]
            !   See 'filesinki remote show --help' for more information.
            = 2
            """#)
    }

    @Test("set takes another address of the same store at once")
    func set() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ move store moved
            $ remote set moved --root a
            ! The remote is WORLD/moved.
            $ remote show --root a
            WORLD/moved
            $ sync a
            $ remote set moved --root b --json
            {"type":"remote","remote":"WORLD/moved"}
            ! The remote is WORLD/moved.
            $ remote set none --root a
            ! filesinki: WORLD/none: The folder of the store was not found. Check the spelling, or mount the disk or share that contains it. To copy the store there first, add --migrate.
            = 75
            $ remote show --root a
            WORLD/moved
            $ remote set --root a
            ! filesinki: Missing expected argument '<url>'
            ! Help:  <url>  The store's address.
            ! Usage: filesinki remote set [<options>] <url>
            !   See 'filesinki remote set --help' for more information.
            = 2
            $ remote set ftp://host/x --root a
            ! filesinki: ftp://host/x: Unsupported remote type: ftp://. Use a folder, or http(s)://, webdav(s)://, s3://, rclone:REMOTE:PATH or ssh://.
            = 2
            $ remote set a/store --root a
            ! filesinki: WORLD/a/store: The store is inside the root WORLD/a. Use a folder outside the root for the store.
            = 2
            $ remote set moved --encrypt --root a
            ! filesinki: --encrypt needs --migrate.
            ! Usage: filesinki remote set [<options>] <url>
            !   See 'filesinki remote set --help' for more information.
            = 2
            $ remote set moved --no-encrypt --root a
            ! filesinki: --no-encrypt needs --migrate.
            ! Usage: filesinki remote set [<options>] <url>
            !   See 'filesinki remote set --help' for more information.
            = 2
            $ remote set moved --migrate --encrypt --no-encrypt --root a
            ! filesinki: Give --encrypt or --no-encrypt.
            ! Usage: filesinki remote set [<options>] <url>
            !   See 'filesinki remote set --help' for more information.
            = 2
            $ remote set moved --accept --migrate --root a
            ! filesinki: Give --accept or --migrate.
            ! Usage: filesinki remote set [<options>] <url>
            !   See 'filesinki remote set --help' for more information.
            = 2
            $ remote set moved --fingerprint 5a --root a
            ! filesinki: WORLD/moved: A folder has no certificate. Give --fingerprint with the address of a server.
            = 2
            $ remote set moved --token-file token --root a
            ! filesinki: WORLD/moved: A folder takes no token. Give --token-file with an address that begins with http(s):// or webdav(s)://.
            = 2
            $ remote set host:store --token-file token --root a
            ! filesinki: host:store: Over ssh there is no token; ssh logs in by itself. Give --token-file with an address that begins with http(s):// or webdav(s)://.
            = 2
            $ remote set s3://bucket/notes --token-file token --root a
            ! filesinki: s3://bucket/notes: S3 takes no token; it has access keys. Give --token-file with an address that begins with http(s):// or webdav(s)://.
            = 2
            $ remote check rclone:box:notes --token-file token
            ! filesinki: rclone:box:notes: rclone takes no token; its own configuration has the credentials. Give --token-file with an address that begins with http(s):// or webdav(s)://.
            = 2
            $ clone host:store c --token-file token
            ! filesinki: host:store: Over ssh there is no token; ssh logs in by itself. Give --token-file with an address that begins with http(s):// or webdav(s)://.
            = 2
            """#)
    }

    @Test("another store needs --accept")
    func accepted() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ store other
            $ init c --remote other --device c
            ! Created the folder WORLD/c.
            ! WORLD/c is a replica now.
            ! Connected to the store at WORLD/other.
            $ remote set other --root a
            ! filesinki: WORLD/other: Another store is at this address. To accept it, add --accept; nothing is lost.
            = 7
            $ remote show --root a
            WORLD/store
            $ remote set other --accept --root a
            ! The remote is WORLD/other.
            $ sync a -q
            $ sync c -q
            $ names c
            .filesinki one sub
            """#)
    }

    @Test("--accept at a place without a store names the way to a new one, and that to a copy")
    func acceptedWithoutStore() async throws {
        let world = try await ReplicaTests.pair()
        try world.makeFolder("empty")
        try await world.follow(
            #"""
            $ remote set none --accept --root a
            ! filesinki: WORLD/none: The folder of the store was not found. Check the spelling, or mount the disk or share that contains it. To begin a new store there, without the history, run filesinki init DIR --remote WORLD/none with an empty folder, filesinki deinit --root DIR, and then this command again. To copy the replica's store there, with all of its history, run filesinki remote set --root WORLD/a WORLD/none --migrate.
            = 75
            $ remote set empty --accept --root a
            ! filesinki: WORLD/empty: No store was found there. Check the address. To begin a new store there, without the history, run filesinki init DIR --remote WORLD/empty with an empty folder, filesinki deinit --root DIR, and then this command again. To copy the replica's store there, with all of its history, run filesinki remote set --root WORLD/a WORLD/empty --migrate.
            = 1
            $ remote set empty --root a
            ! filesinki: WORLD/empty: No store was found there. Check the address, or copy the replica's store there with filesinki remote set --root WORLD/a WORLD/empty --migrate.
            = 1
            $ init new --remote empty -q
            $ deinit --root new -q
            $ remote set empty --accept --root a
            ! The remote is WORLD/empty.
            """#)
    }

    @Test("--migrate copies the store, and names the next command for other devices")
    func migrated() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ remote set copy --migrate --root a
            ! Copied …. The store at WORLD/store is unchanged; on each other device, run filesinki remote set WORLD/copy before it syncs again.
            ! The remote is WORLD/copy.
            $ remote show --root a
            WORLD/copy
            $ sync a
            $ remote set copy --migrate --root a
            ! The store is at this address already; nothing was copied.
            ! The remote is WORLD/copy.
            $ sync b
            ! The store was moved to WORLD/copy by a (a path of that machine). If you know that address, run filesinki remote set --root WORLD/b WORLD/copy.
            $ remote set copy --root b
            ! The remote is WORLD/copy.
            $ sync b
            """#)
    }

    @Test("--migrate says with --json how much it copied")
    func migratedJSON() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ remote set copy --migrate --root a --json
            {"type":"migration","from":"WORLD/store","objects":…,"sent_bytes":…}
            {"type":"remote","remote":"WORLD/copy"}
            ! Copied …. The store at WORLD/store is unchanged; on each other device, run filesinki remote set WORLD/copy before it syncs again.
            ! The remote is WORLD/copy.
            $ remote set 'other copy' --migrate --root a -q
            $ remote show --root a --json
            {"type":"remote","remote":"WORLD/other copy","store":"…"}
            """#)
    }

    @Test("devices lists who uses the store, and forget lets go of one")
    func devices() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ devices --root a
            a  …  seen @1  …  acknowledged @1  this one
            b  …  seen @1  …  acknowledged @1
            $ devices list --root a --json
            {"type":"device","device":"a","device_id":"…","seen":1,"time":"…","acknowledged":1,"acknowledged_time":"…","this":true}
            {"type":"device","device":"b","device_id":"…","seen":1,"time":"…","acknowledged":1,"acknowledged_time":"…","this":false}
            $ devices forget none --root a
            ! filesinki: none: No device has this name. See them, with their ids, with filesinki devices --root WORLD/a.
            = 1
            $ devices forget b --root a
            ! Forgot b.
            $ devices --root a
            a  …  seen @1  …  acknowledged @1  this one
            $ devices forget a --root a
            ! Forgot a.
            ! It is the device of this replica, and the next sync here adds it again. To end the use of the replica, run filesinki deinit --root WORLD/a.
            $ devices --root a
            ! The store knows no device. A device is added by its next sync.
            = 1
            $ devices forget a --root a --json
            {"type":"failure","path":"a","code":"not-found","message":"No device has this name.","remedy":"See them, with their ids, with filesinki devices."}
            ! filesinki: a: No device has this name. See them, with their ids, with filesinki devices --root WORLD/a.
            = 1
            $ devices forget --root a
            ! filesinki: Missing expected argument '<name>'
            ! Help:  <name>  The device's name, or 8 digits of its id or more.
            ! Usage: filesinki devices forget <name> [--root <dir>] [--state <dir>]
            !          [--lock-wait <time>] [--timeout <time>] [--json] [--quiet] [--verbose]
            !          [--color <when>] [--progress <when>]
            !   See 'filesinki devices forget --help' for more information.
            = 2
            $ move store gone
            $ devices --root a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ devices forget b --root a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            """#)
    }

    @Test("a store that is lost is replaced as help lost-store says, and no file is lost")
    func lost() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write a/new new\n
            $ remove store
            $ sync a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            ! The changes are kept here: the next filesinki sync --root WORLD/a sends them.
            = 75
            $ init empty --remote store --device empty -q
            $ remote set --root a WORLD/store --accept
            ! The remote is WORLD/store.
            $ sync a -q
            $ remote set --root b WORLD/store --accept
            ! The remote is WORLD/store.
            $ sync b
              received  new        new  4 B
            ! Received 1 file (4 B).
            $ deinit empty -q
            $ names b
            .filesinki new one sub
            $ status a --short
            $ status b --short
            """#)
    }

    @Test("a sync that has nothing to send and does not reach the remote says only why")
    func nothingWaits() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ move store gone
            $ sync a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            """#)
    }

    @Test("check says what the account is, and what the remote guarantees")
    func check() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ remote check none --root a --json
            {"type":"account","status":"unavailable"}
            {"type":"failure","path":"WORLD/none","code":"away","message":"The folder of the store was not found.","remedy":"Check the spelling, or mount the disk or share that contains it."}
            ! filesinki: WORLD/none: The folder of the store was not found. Check the spelling, or mount the disk or share that contains it.
            = 75
            $ init c --device c
            ! Created the folder WORLD/c.
            ! WORLD/c is a replica now.
            $ remote check --root c
            ! filesinki: WORLD/c: The replica has no remote. Give the address to check.
            = 1
            $ move store gone
            $ remote check --root a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            """#)
    }
}
