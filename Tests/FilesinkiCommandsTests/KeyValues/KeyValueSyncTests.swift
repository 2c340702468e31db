import FilesinkiCommands
import Testing

@Suite("kv sync, kv status, kv off and kv on")
struct KeyValueSyncTests {
    @Test("sync says what it received and sent, as JSON and with -v")
    func sync() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set x=1 y=2 --root a
            $ kv sync --root b -v
            ! 2 keys received, 0 published.
            $ kv sync --root b
            $ kv set z=3 --root b --json
            {"type":"values","exit":0,"store":"default","keys":["z"],"queued":false,"sequence":2,"changed":[]}
            $ kv sync --root a --json
            {"type":"exchange","exit":0,"store":"default","sequence":2,"reason":"server","changed":["z"],"published":[],"superseded":[],"over":false}
            $ kv sync --root a --json
            {"type":"exchange","exit":0,"store":"default","sequence":2,"changed":[],"published":[],"superseded":[],"over":false}
            $ kv sync --root a --store other --json
            {"type":"exchange","exit":0,"store":"other","sequence":0,"changed":[],"published":[],"superseded":[],"over":false}
            $ kv sync --root a --initial best
            ! filesinki: best: Invalid choice for the first sync. Use server, local or newest.
            = 2
            $ kv sync --root a --pull-only --push-only
            ! filesinki: --push-only: Only one of --pull-only and --push-only is possible. Leave both out to receive and send.
            = 2
            """#)
    }

    @Test("values that wait here are in filesinki status, and filesinki sync sends them")
    func waiting() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        for line in ["x=1", "y=2 --store other", "z=3 --store off"] {
            try await world.expect("kv set --root a " + line)
        }
        try await world.expect("kv off --root a --store off")
        let waits = try await world.run("status", "a")
        #expect(!waits.text.contains("Up to date"), "\(waits.text)")
        #expect(
            Array(waits.lines.dropFirst(2)) == [
                "1 value changed here, not yet sent    to send: filesinki sync --root "
                    + "\(world.folder)/a",
                "1 value of off changed here, not yet sent, as syncing is off    to send: "
                    + "filesinki kv on --root \(world.folder)/a --store off",
                "1 value of other changed here, not yet sent    to send: filesinki sync --root "
                    + "\(world.folder)/a",
            ])
        #expect(try await world.run("status", "a", "--short").lines == ["3 pending"])
        #expect(try await world.run("status", "a", "--json").text.contains(#""pending_values":3"#))
        let kept =
            "2 values are kept here: the next filesinki sync --root \(world.folder)/a sends them."
        let away = try await world.run("sync", "a")
        #expect(away.code == .away && away.talk.contains(kept), "\(away.talk)")
        #expect(!away.talk.contains("Run again."), "\(away.talk)")
        world.rename("gone", to: "store")
        // A run for some paths sends no value, and a plan only says so.
        #expect(try await !world.expect("sync a/one").talk.contains("value"))
        let plan = try await world.expect("sync a -n").talk
        #expect(plan.hasPrefix("Would send 2 values.\nNothing was changed. Plan "), "\(plan)")
        #expect(try await world.run("sync", "a").talk == "Sent 1 value.\nSent 1 value.\n")
        #expect(try await world.run("sync", "a").talk.isEmpty)
        #expect(try await world.run("status", "a", "--short").lines == ["1 pending"])
        try await world.expect("kv sync --root b")
        #expect(try await world.run("kv", "get", "--root", "b", "x").text == "1\n")
    }

    @Test("--initial says whose value is kept at the first exchange")
    func initial() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set x=a y=a --root a
            $ kv off --root b
            $ kv set x=b z=b --root b
            $ move store gone
            $ kv on --root b
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ kv sync --root b --initial local --json
            {"type":"exchange","exit":0,"store":"default","sequence":2,"reason":"initial","changed":["y"],"published":["x","z"],"superseded":[],"over":false}
            $ kv list --root b
            x⇥b
            y⇥a
            z⇥b
            $ kv sync --root a
            $ kv list --root a
            x⇥b
            y⇥a
            z⇥b
            // Without it the store's.
            $ kv set x=a --root a --store server
            $ move store gone
            $ kv set x=b y=b --root b --store server
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ kv sync --root b --store server --json
            {"type":"exchange","exit":0,"store":"server","sequence":2,"reason":"initial","changed":["x"],"published":["y"],"superseded":["x"],"over":false}
            ! x: the local value was superseded; see filesinki kv log --root WORLD/b --store server x.
            $ kv list --root b --store server
            x⇥a
            y⇥b
            $ kv log x --root b --store server --json
            {"type":"superseded","reason":"initial","key":"x","value_type":"string","value":"b","merge":"newest","time":"…","device_id":"…"}
            // The later one.
            $ kv set x=a --root a --store newest
            $ move store gone
            $ kv set x=b --root b --store newest
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ kv sync --root b --store newest --initial newest --json
            {"type":"exchange","exit":0,"store":"newest","sequence":2,"changed":[],"published":["x"],"superseded":[],"over":false}
            $ kv get x --root b --store newest
            b
            """#)
    }

    @Test("a sync names the values of this device that gave way, with the command that shows them")
    func superseded() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set 'my key=a' --root a --store work
            $ move store gone
            $ kv set 'my key=b' --root b --store work
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ kv sync --root b --store work
            ! my key: the local value was superseded; see filesinki kv log --root WORLD/b --store work 'my key'.
            $ kv set 'my key=a' --root a --db public
            $ move store gone
            $ kv set 'my key=b' --root b --db public
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ kv sync --root b --db public
            ! my key: the local value was superseded; see filesinki kv log --root WORLD/b --db public 'my key'.
            """#)
    }

    @Test("--pull-only sends nothing, --push-only nothing if others were before")
    func direction() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set x=1 --root a
            $ kv sync --root b
            $ move store gone
            $ kv set y=2 --root b
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ kv sync --root b --pull-only --json
            {"type":"exchange","exit":0,"store":"default","sequence":1,"changed":[],"published":[],"superseded":[],"over":false}
            $ kv status --root b --json
            {"type":"status","store":"default","keys":2,"bytes":2,"pending":["y"],"off":false,"sequence":1,"token":"…-2","changed":"…","reason":"local","changed_keys":["y"]}
            $ kv sync --root b --push-only --json
            {"type":"exchange","exit":0,"store":"default","sequence":2,"changed":[],"published":["y"],"superseded":[],"over":false}
            $ move store gone
            $ kv set z=3 --root b
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ kv set x=4 --root a
            $ kv sync --root b --push-only --json
            {"type":"failure","code":"differs","message":"Other devices have published since; nothing was sent.","remedy":"Run filesinki kv sync, which merges what they changed."}
            ! filesinki: Other devices have published since; nothing was sent. Run filesinki kv sync --root WORLD/b, which merges what they changed.
            = 1
            $ kv get x --root b
            1
            $ kv sync --root b --json
            {"type":"exchange","exit":0,"store":"default","sequence":4,"reason":"server","changed":["x"],"published":["z"],"superseded":[],"over":false}
            """#)
    }

    @Test("off keeps what is set here, on publishes it")
    func off() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv off --root a
            $ kv off --root a --json
            {"type":"switch","off":true}
            $ kv set x 1 --root a --json
            {"type":"values","exit":0,"store":"default","keys":["x"],"queued":true,"sequence":0,"changed":[]}
            $ kv set x 1 --root a --wait
            = 1
            $ kv sync --root a
            ! The store is off; filesinki kv on --root WORLD/a turns it on.
            = 1
            $ kv status --root a
            store         default, off
            keys          1, 1 B
            pending       1
            commit        none
            last change   …, local
            changed keys  x
            token         …-1
            $ kv status --root a --json
            {"type":"status","store":"default","keys":1,"bytes":1,"pending":["x"],"off":true,"sequence":0,"token":"…-1","changed":"…","reason":"local","changed_keys":["x"]}
            $ kv on --root a --json
            {"type":"values","exit":0,"store":"default","keys":["x"],"queued":false,"sequence":1,"changed":[]}
            $ kv on --root a --json
            {"type":"values","exit":0,"store":"default","keys":[],"queued":false,"sequence":1,"changed":[]}
            $ kv status --root a --json
            {"type":"status","store":"default","keys":1,"bytes":1,"pending":[],"off":false,"sequence":1,"token":"…-1","changed":"…","reason":"local","changed_keys":["x"]}
            $ kv sync --root b --json
            {"type":"exchange","exit":0,"store":"default","sequence":1,"reason":"initial","changed":["x"],"published":[],"superseded":[],"over":false}
            """#)
    }

    @Test("on and sync without the store exit with 75, on only with --wait")
    func away() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set x 1 --root a
            $ move store gone
            $ kv sync --root a
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ kv sync --root a --json
            {"type":"failure","path":"WORLD/store","code":"away","message":"The folder of the store was not found (unmounted?).","remedy":"Mount the disk or share that contains it, or set its new address with filesinki remote set URL. If it is lost, see filesinki help lost-store."}
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ kv off --root a
            $ kv on --root a
            $ kv on --root a --wait
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            """#)
    }

    @Test("--db and --store name another zone, and messages name it")
    func database() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set x 1 --root a --db public --json
            {"type":"values","exit":0,"store":"default","db":"public","keys":["x"],"queued":false,"sequence":1,"changed":[]}
            $ kv sync --root b --db public --json
            {"type":"exchange","exit":0,"store":"default","sequence":1,"reason":"initial","changed":["x"],"published":[],"superseded":[],"db":"public","over":false}
            $ kv list --root b --db public
            x⇥1
            $ kv list --root b
            $ kv status --root a --db public
            store         public/default
            keys          1, 1 B
            pending       0
            commit        1
            last change   …, local
            changed keys  x
            token         …-1
            $ kv status --root a --db public --json
            {"type":"status","store":"default","db":"public","keys":1,"bytes":1,"pending":[],"off":false,"sequence":1,"token":"…-1","changed":"…","reason":"local","changed_keys":["x"]}
            $ kv status --root a --db shared-team --store work
            store    shared-team/work
            keys     0, 0 B
            pending  0
            commit   none
            token    …-0
            $ kv quota --root a --db public --json
            {"type":"quota","store":"default","db":"public","keys":1,"max_keys":1024,"bytes":1,"max_bytes":1048576,"max_value_bytes":1048576,"max_key_bytes":64,"over":false}
            $ kv status --root a --db shared-
            ! filesinki: shared-: Unknown database. Use private, public or shared-NAME, where NAME has 1 to 40 of the characters a-z 0-9 _.
            = 2
            $ kv status --root a --store 'a b'
            ! filesinki: a b: Invalid name of a key-value store. Use 1 to 48 of the characters a-z 0-9 _ -.
            = 2
            """#)
    }
}
