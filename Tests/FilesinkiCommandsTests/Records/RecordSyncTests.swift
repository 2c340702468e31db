import FilesinkiCommands
import Testing

@Suite("rec sync, rec status, rec conflicts and rec subscribe")
struct RecordSyncTests {
    @Test("sync says each phase and what it did")
    func sync() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=1
            $ rec sync --root b -v
            ! 1 record received, 0 published.
            $ rec sync --root b
            $ rec save T y --root b --set s=1
            $ rec sync --root a --json
            {"type":"phase","phase":"fetching","zone":"default"}
            {"type":"phase","phase":"fetched","zone":"default"}
            {"type":"exchange","exit":0,"zone":"default","sequence":2,"reason":"server","changed":["y"],"published":[],"superseded":[],"conflicts":[]}
            $ rec sync --root a --zone work --json
            {"type":"phase","phase":"fetching","zone":"work"}
            {"type":"phase","phase":"fetched","zone":"work"}
            {"type":"exchange","exit":0,"zone":"work","sequence":0,"changed":[],"published":[],"superseded":[],"conflicts":[]}
            $ rec sync --root a --db public --json
            {"type":"phase","phase":"fetching","zone":"default","db":"public"}
            {"type":"phase","phase":"fetched","zone":"default","db":"public"}
            {"type":"exchange","exit":0,"zone":"default","sequence":0,"changed":[],"published":[],"superseded":[],"db":"public","conflicts":[]}
            $ rec sync --root a --initial best
            ! filesinki: best: Invalid choice for the first sync. Use server, local or newest.
            = 2
            $ rec sync --root a --pull-only --push-only
            ! filesinki: --push-only: Only one of --pull-only and --push-only is possible. Leave both out to receive and send.
            = 2
            $ rec sync --root a x
            ! filesinki: Unexpected argument 'x'
            ! To name the replica, add --root DIR.
            ! Usage: filesinki rec sync <options>
            !   See 'filesinki rec sync --help' for more information.
            = 2
            $ move store gone
            $ rec sync --root a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ rec sync --root a --timeout soon
            ! filesinki: soon: Invalid duration. Write it as 30s, 5m or 2h.
            = 2
            """#)
    }

    @Test("--pull-only sends nothing, --push-only nothing if others were before")
    func direction() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=1
            $ rec sync --root b
            $ move store gone
            $ rec save T y --root b --set s=2
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ rec sync --root b --pull-only
            $ rec status --root b --json
            {"type":"status","zone":"default","state":"live","generation":1,"bytes":…,"pending":["y"],"conflicts":0,"sequence":1,"token":"…-2"}
            $ rec sync --root b --push-only
            $ rec status --root b --json
            {"type":"status","zone":"default","state":"live","generation":1,"bytes":…,"pending":[],"conflicts":0,"sequence":2,"token":"…-2"}
            $ move store gone
            $ rec save T z --root b --set s=3
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ rec save T x --root a --set s=4
            $ rec sync --root b --push-only
            ! filesinki: Other devices have published since; nothing was sent. Run filesinki rec sync --root WORLD/b, which merges what they changed.
            = 1
            $ rec get x --root b --fields s
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}}}
            """#)
    }

    @Test("--initial says whose fields are kept at the first exchange")
    func initial() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=a --set t=a
            $ move store gone
            $ rec save T x --root b --set s=b --set u=b
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ rec sync --root b --initial local
            $ rec get x --root b --fields s,t,u
            {"name":"x","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"b"},"t":{"type":"string","value":"a"},"u":{"type":"string","value":"b"}}}
            $ rec save T x --root a --zone other --set s=a
            $ move store gone
            $ rec save T x --root b --zone other --set s=b --set u=b
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ rec sync --root b --zone other
            $ rec get x --root b --zone other --fields s,u
            {"name":"x","type":"T","tag":"2","zone":"other","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"a"},"u":{"type":"string","value":"b"}}}
            """#)
    }

    @Test("a save that is refused is a conflict until it is forgotten or saved again")
    func conflicts() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec conflicts --root a
            $ rec save T x --root a --set s=base
            $ rec sync --root b
            $ move store gone
            $ rec save T x --root b --set s=b --policy unchanged
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ rec save T x --root a --set s=a
            $ rec sync --root b
            ! filesinki: x: Another device changed the record; its version stays. filesinki rec conflicts --root WORLD/b has the refused version. Save the record again, or accept the other version with filesinki rec conflicts --root WORLD/b --forget x.
            = 3
            $ rec status --root b --json
            {"type":"status","zone":"default","state":"live","generation":1,"bytes":…,"pending":[],"conflicts":1,"sequence":3,"token":"…-3"}
            $ rec sync --root b --json
            {"type":"phase","phase":"fetching","zone":"default"}
            {"type":"phase","phase":"fetched","zone":"default"}
            {"type":"exchange","exit":3,"zone":"default","sequence":3,"changed":[],"published":[],"superseded":[],"conflicts":[{"type":"conflict","name":"x","reason":"unchanged","ancestor":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"base"}}},"client":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"b"}}},"server":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"a"}}}}]}
            = 3
            $ rec conflicts --root b --json
            {"type":"conflict","name":"x","reason":"unchanged","ancestor":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"base"}}},"client":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"b"}}},"server":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"a"}}}}
            = 3
            $ rec conflicts --root b --forget other
            {"type":"conflict","name":"x","reason":"unchanged","ancestor":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"base"}}},"client":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"b"}}},"server":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"a"}}}}
            = 3
            $ rec conflicts --root b --forget x
            $ rec conflicts --root b --forget x
            $ rec sync --root b
            $ rec conflicts --root b --forget _x
            ! filesinki: _x: A record name cannot begin with '_'. Use 1 to 255 printable characters of ASCII, and begin with another one than '_'.
            = 2
            $ rec conflicts --root a --zone none
            ! filesinki: none: There is no zone of this name; nothing was changed. filesinki rec zones list --root WORLD/a --fresh lists the zones.
            = 1
            """#)
    }

    @Test("status shows the zone, what waits and the last change")
    func status() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec status --root a
            zone       default
            state      live
            size       0 B
            pending    0
            conflicts  0
            commit     none
            token      …-0
            $ rec status --root a --json
            {"type":"status","zone":"default","state":"live","generation":1,"bytes":0,"pending":[],"conflicts":0,"sequence":0,"token":"…-0"}
            $ rec save T x --root a --zone work --set s=1
            $ move store gone
            $ rec save T y --root a --zone work --set s=1
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ rec status --root a --zone work
            zone         work
            state        live
            size         …
            pending      1
            conflicts    0
            commit       1
            last change  …, local
            token        …-2
            $ rec status --root a --zone work --json
            {"type":"status","zone":"work","state":"live","generation":1,"bytes":…,"pending":["y"],"conflicts":0,"sequence":1,"token":"…-2"}
            $ rec status --root a --zone none
            ! filesinki: none: There is no zone of this name; nothing was changed. filesinki rec zones list --root WORLD/a --fresh lists the zones.
            = 1
            $ rec status --root a --db public
            zone       public/default
            state      live
            size       0 B
            pending    0
            conflicts  0
            commit     none
            token      …-0
            $ rec status --root a --db public --json
            {"type":"status","zone":"default","db":"public","state":"live","generation":1,"bytes":0,"pending":[],"conflicts":0,"sequence":0,"token":"…-0"}
            """#)
    }

    @Test("a subscription is of this device, and is listed until it is removed")
    func subscriptions() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec subscribe list --root a
            = 1
            $ rec subscribe add big --query T --where 'n > 5' --on create,update --once --exec 'cat > WORLD/fired' --root a
            $ rec subscribe add all --query T --root a --json
            {"type":"subscription","subscription":"all","zone":"default","query":"T","where":"TRUEPREDICATE","on":["create","update","delete"],"once":false,"fired":false}
            $ rec subscribe list --root a
            {"type":"subscription","subscription":"all","zone":"default","query":"T","where":"TRUEPREDICATE","on":["create","update","delete"],"once":false,"fired":false}
            {"type":"subscription","subscription":"big","zone":"default","query":"T","where":"n > 5","on":["create","update"],"once":true,"fired":false,"exec":"cat > WORLD/fired"}
            $ rec subscribe list --root b
            = 1
            $ rec subscribe add all --query U --root a
            ! filesinki: all: A subscription has this name. Choose another one, or remove it with filesinki rec subscribe rm --root WORLD/a all.
            = 1
            $ rec subscribe add other --query T --on created --root a
            ! filesinki: created: Unknown change. Use create, update, delete, with commas between them.
            = 2
            $ rec subscribe add other --query T --where 'n >' --root a
            ! filesinki: Invalid predicate, column 4: It ends where a value is expected. Correct it; filesinki help predicates lists the forms.
            = 2
            $ rec subscribe add other --query 1T --root a
            ! filesinki: 1T: The record type has '1' at column 1. Begin with a letter from a to z or A to Z; then use these letters, digits and '_'.
            = 2
            $ rec subscribe add other --root a
            ! filesinki: Missing expected argument '--query <type>'
            ! Help:  --query <type>  The type of the records.
            ! Usage: filesinki rec subscribe add [<options>] <name> --query <type>
            !   See 'filesinki rec subscribe add --help' for more information.
            = 2
            $ rec subscribe add other --query T --on '' --root a
            ! filesinki: other: The subscription is about no change. Name one of create, update, delete.
            = 2
            // It fires for what others change, once.
            $ rec save T x --root a --set n:int=9
            $ rec sync --root b
            $ show fired
            (none)
            $ rec save T y --root b --set n:int=9
            $ rec sync --root a
            $ show fired
            {"type":"subscription","subscription":"big","zone":"default","changes":[{"change":"create","name":"y"}]}
            $ rec subscribe list --root a
            {"type":"subscription","subscription":"all","zone":"default","query":"T","where":"TRUEPREDICATE","on":["create","update","delete"],"once":false,"fired":true}
            {"type":"subscription","subscription":"big","zone":"default","query":"T","where":"n > 5","on":["create","update"],"once":true,"fired":true,"exec":"cat > WORLD/fired"}
            $ remove fired
            $ rec save T z --root b --set n:int=9
            $ rec sync --root a
            $ show fired
            (none)
            $ rec subscribe rm big --root a
            $ rec subscribe rm big --root a
            ! filesinki: big: There is no subscription of this name in the zone. See filesinki rec subscribe list --root WORLD/a.
            = 1
            $ rec subscribe list --root a
            {"type":"subscription","subscription":"all","zone":"default","query":"T","where":"TRUEPREDICATE","on":["create","update","delete"],"once":false,"fired":true}
            $ rec subscribe rm all --root a --zone none
            ! filesinki: none: There is no zone of this name; nothing was changed. filesinki rec zones list --root WORLD/a --fresh lists the zones.
            = 1
            """#)
    }

    @Test("in a zone with a name, the step that goes on with an older copy of the store names it")
    func olderStore() async throws {
        let world = try await ReplicaTests.pair()
        for name in ["x", "y"] {
            try await world.expect("rec save T \(name) --root a --zone work --set s=1")
        }
        world.rename("store/zones/rec-work/log/00000000000000000002", to: "gone")
        let stopped = try await world.expect("rec sync --root a --zone work", .notAllowed)
        let step = "rec sync --root \(world.folder)/a --zone work --accept-account"
        #expect(stopped.talk.contains("run filesinki \(step): "), "\(stopped.talk)")
        try await world.expect(step)
        try await world.expect("rec sync --root a --zone work")
    }
}
