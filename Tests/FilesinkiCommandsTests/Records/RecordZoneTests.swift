import FilesinkiCommands
import Testing

@Suite("rec zones")
struct RecordZoneTests {
    @Test("a zone is live, deleted, purged or reset, by whom and when")
    func states() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec zones list --root a
            = 1
            $ rec save T x --root a --zone work --set s=1
            $ rec zones list --root a
            work  live
            $ rec zones list --root a --json
            {"type":"zone","zone":"work","state":"live","live":true,"generation":1,"pending":0}
            $ rec zones list --root b
            = 1
            $ rec zones list --root b --fresh
            = 1
            $ rec zones list --root b --json
            = 1
            $ rec zones delete work --root a --json
            {"type":"zone","zone":"work","state":"deleted","live":false,"generation":2,"time":"…","device":"a","exit":0,"queued":false}
            $ rec zones list --root a
            work  deleted, by a at …
            $ rec zones delete work --root a
            ! filesinki: work: The zone is deleted already. To use it again, run filesinki rec zones create --root WORLD/a work.
            = 1
            $ rec zones purge work --root a
            ! filesinki: work: The zone is deleted already. To use it again, run filesinki rec zones create --root WORLD/a work.
            = 1
            $ rec zones reset work --root a
            ! filesinki: work: The zone is deleted already. To use it again, run filesinki rec zones create --root WORLD/a work.
            = 1
            $ rec zones create work --root a --json
            {"type":"zone","zone":"work","state":"live","live":true,"generation":2,"time":"…","device":"a","exit":0,"queued":false}
            $ rec zones create work --root a
            ! filesinki: work: The zone exists. Use it, or choose another name.
            = 1
            $ rec zones list --root a --json
            {"type":"zone","zone":"work","state":"live","live":true,"generation":2,"time":"…","device":"a","pending":0}
            $ rec get x --zone work --root a
            ! filesinki: x: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 1
            $ rec save T x --root a --zone work --set s=2 --json
            {"name":"x","created":true,"deleted":false,"tag":"2.1","type":"save","exit":0,"zone":"work","queued":false}
            $ rec zones reset work --root a --json
            {"type":"notice","path":"work","code":"differs","message":"The zone was reset by a at …; what is here is sent again.","remedy":"Nothing has to be done."}
            {"type":"zone","zone":"work","state":"reset","live":true,"generation":3,"time":"…","device":"a","exit":0,"queued":false}
            $ rec get x --zone work --root a --fields s
            {"name":"x","type":"T","tag":"3.1","zone":"work","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}}}
            $ rec zones purge work --root a --json
            {"type":"zone","zone":"work","state":"purged","live":false,"generation":4,"time":"…","device":"a","exit":0,"queued":false}
            $ rec zones list --root a
            work  purged, by a at …
            """#)
    }

    @Test("a zone that is not there is not ended, and a name is checked")
    func unknown() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec zones delete none --root a
            ! filesinki: none: There is no zone of this name; nothing was changed. filesinki rec zones list --root WORLD/a --fresh lists the zones.
            = 1
            $ rec zones purge none --root a --db public
            ! filesinki: public/none: There is no zone of this name; nothing was changed. filesinki rec zones list --root WORLD/a --fresh --db public lists the zones.
            = 1
            $ rec zones reset none --root a
            ! filesinki: none: There is no zone of this name; nothing was changed. filesinki rec zones list --root WORLD/a --fresh lists the zones.
            = 1
            $ rec zones create 'a b' --root a
            ! filesinki: a b: Invalid name of a zone of records. Use 1 to 48 of the characters a-z 0-9 _ -.
            = 2
            $ rec zones create _x --root a
            $ rec zones delete --root a
            ! filesinki: Missing expected argument '<zone>'
            ! Help:  <zone>  The name of the zone.
            ! Usage: filesinki rec zones delete <zone> [--wait] [--db <database>]
            !          [--root <dir>] [--state <dir>] [--lock-wait <time>] [--timeout <time>]
            !          [--json] [--quiet] [--verbose] [--color <when>] [--progress <when>]
            !   See 'filesinki rec zones delete --help' for more information.
            = 2
            $ rec zones list --root a --db mine
            ! filesinki: mine: Unknown database. Use private, public or shared-NAME, where NAME has 1 to 40 of the characters a-z 0-9 _.
            = 2
            $ rec zones create work --root a --db public --json
            {"type":"zone","zone":"work","state":"live","live":true,"generation":1,"time":"…","device":"a","db":"public","exit":0,"queued":false}
            $ rec zones list --root a --db public --json
            {"type":"zone","zone":"work","state":"live","live":true,"generation":1,"time":"…","device":"a","db":"public","pending":0}
            $ rec zones list --root a
            _x  live, by a at …
            $ rec zones delete work --root a --db public
            $ rec zones delete work --root a --db public
            ! filesinki: work: The zone is deleted already. To use it again, run filesinki rec zones create --root WORLD/a --db public work.
            = 1
            """#)
    }

    @Test("a device that used a deleted zone keeps what it had not published, and says where")
    func ended() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --zone work --set s=1
            $ rec sync --root b --zone work
            $ move store gone
            $ rec save T y --root b --zone work --set s=2
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ rec zones delete work --root a
            $ rec sync --root b --zone work
            ! filesinki: work: The zone was deleted by a at …. What was not published is in WORLD/b/.filesinki/rec/work.deleted-1.jsonl. To use it again, run filesinki rec zones create --root WORLD/b work, then filesinki rec batch --root WORLD/b --zone work WORLD/b/.filesinki/rec/work.deleted-1.jsonl.
            = 1
            $ rec save T z --root b --zone work --set s=3
            ! filesinki: work: The zone was deleted; nothing was saved. To use it again, run filesinki rec zones create --root WORLD/b work.
            = 1
            $ rec get x --root b --zone work
            ! filesinki: x: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 1
            $ rec zones list --root b
            work  deleted, by a at …
            $ rec zones create work --root b
            $ rec batch WORLD/b/.filesinki/rec/work.deleted-1.jsonl --root b --zone work
            {"name":"y","created":true,"deleted":false,"tag":"2.1","op":1,"ok":true}
            $ rec get y --root b --zone work --fields s
            {"name":"y","type":"T","tag":"2.1","zone":"work","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}}}
            """#)
    }

    @Test("without the store a zone is made or ended here; --wait exits with 75")
    func away() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --zone work --set s=1
            $ move store gone
            $ rec zones create new --root a
            ! Created here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ rec zones create newer --root a --wait --json
            {"type":"zone","zone":"newer","state":"live","live":true,"generation":1,"time":"…","device":"a","exit":75,"queued":true,"away":{"type":"failure","path":"WORLD/store","code":"away","message":"The folder of the store was not found (unmounted?).","remedy":"Mount the disk or share that contains it, or set its new address with filesinki remote set URL. If it is lost, see filesinki help lost-store."}}
            = 75
            $ rec zones delete work --root a
            ! Deleted here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ rec zones delete work --root a
            ! filesinki: work: The zone is deleted already. To use it again, run filesinki rec zones create --root WORLD/a work.
            = 1
            $ rec zones list --root a --fresh
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ rec zones list --root a
            new    live, by a at …
            newer  live, by a at …
            work   deleted, by a at …
            $ move gone store
            $ rec sync --root b --zone work
            """#)
    }

    @Test("changes prints what became of zones since a token")
    func changes() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec zones changes --root a
            {"token":"zones","more":false}
            $ rec save T x --root a --zone work --set s=1
            $ rec zones changes --root a --since TOKEN
            {"zone":"work","change":"created"}
            {"token":"zones,work=…-1.1","more":false}
            $ rec zones changes --root a --since TOKEN
            {"token":"zones,work=…-1.1","more":false}
            $ rec save T x --root a --zone work --set s=2
            $ rec zones changes --root a --since TOKEN
            {"zone":"work","change":"changed","since":"…-1"}
            {"token":"zones,work=…-2.1","more":false}
            $ rec zones delete work --root a
            $ rec zones changes --root a --since TOKEN
            {"zone":"work","change":"deleted","since":"…-2"}
            {"token":"zones,work=…-3.2x","more":false}
            $ rec zones changes --root b
            {"token":"zones","more":false}
            $ rec zones changes --root b --fresh
            {"zone":"work","change":"deleted"}
            {"token":"zones,work=.2x","more":false}
            $ rec zones changes --root a --since soon
            ! filesinki: soon: Invalid token. Give one that rec zones changes printed.
            = 2
            $ rec zones changes --root a --limit 0
            ! filesinki: --limit: Invalid limit. Give a number from 1 on.
            = 2
            $ rec save T x --root a --db public --set s=1
            $ rec zones changes --root a --db public
            {"zone":"default","change":"created","db":"public"}
            {"token":"zones,default=…-1.1","more":false}
            """#)
    }
}
