import FilesinkiCommands
import Testing

@Suite("kv bridge")
struct KeyValueBridgeTests {
    @Test("a bridge takes what is new in the file to the store, and what is new there to the file")
    func both() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set x=1 --root a
            $ write s.json {"k":5,"l":[1]}
            $ kv bridge --root a s.json --json
            {"type":"bridge","exit":0,"to_store":["k","l"],"to_file":["x"],"unfit":[]}
            $ show s.json
            {"k":5,"l":[1],"x": "1"}¬
            $ kv get k --root a --json
            {"type":"value","default":false,"key":"k","value_type":"int","value":5,"merge":"newest","time":"…","device_id":"…"}
            $ kv bridge --root a s.json -v
            ! 0 keys read from the file, 0 written to it.
            $ kv bridge --root a s.json
            """#)
    }

    @Test("what was agreed on and is gone on one side goes on the other")
    func deletions() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write s.json {"k":5,"l":6}
            $ kv bridge --root a s.json
            $ write s.json {"l":6}
            $ kv bridge --root a s.json --json
            {"type":"bridge","exit":0,"to_store":["k"],"to_file":[],"unfit":[]}
            $ kv list --root a
            l⇥6
            $ kv unset l --root a
            $ kv bridge --root a s.json --json
            {"type":"bridge","exit":0,"to_store":[],"to_file":["l"],"unfit":[]}
            $ show s.json
            {}¬
            """#)
    }

    @Test("at the first time the store's value of a key is kept")
    func first() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set k=store --root a
            $ write s.json {"k":"file"}
            $ kv bridge --root a s.json --json
            {"type":"bridge","exit":0,"to_store":[],"to_file":["k"],"unfit":[]}
            $ show s.json
            {"k":"store"}¬
            $ write s.json {"k":"later"}
            $ kv bridge --root a s.json
            $ kv get k --root a
            later
            """#)
    }

    @Test("--keys and --prefix say which keys are bridged")
    func keys() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set a=1 b=2 c=3 --root a
            $ kv bridge --root a s.json --keys a,c
            $ show s.json
            {
              "a": "1",
              "c": "3"
            }
            $ kv bridge --root a --prefix p. t.json --json
            {"type":"bridge","exit":0,"to_store":[],"to_file":[],"unfit":[]}
            $ write t.json {"k":1}
            $ kv bridge --root a --prefix p. t.json --json
            {"type":"bridge","exit":0,"to_store":["k"],"to_file":[],"unfit":[]}
            $ kv get p.k --root a
            1
            """#)
    }

    @Test("the format is that of the file's name, or of --format")
    func formats() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set key=x --root a
            $ kv bridge --root a f.env
            $ show f.env
            key=x
            $ kv bridge --root a .env
            $ show .env
            key=x
            $ kv bridge --root a f.ini
            $ show f.ini
            key = x
            $ kv bridge --root a f.txt
            ! filesinki: f.txt: Cannot detect the format of this file. Give --format json, env, ini or plist.
            = 2
            $ kv bridge --root a f.txt --format env
            $ show f.txt
            key=x
            $ kv bridge --root a f.json --format yaml
            ! filesinki: f.json: Cannot detect the format of this file. Give --format json, env, ini or plist.
            = 2
            $ kv bridge --root a
            ! filesinki: Missing expected argument '<file>'
            ! Help:  <file>  The settings file; created if it does not exist.
            ! Usage: filesinki kv bridge [<options>] <file>
            !   See 'filesinki kv bridge --help' for more information.
            = 2
            """#)
    }

    @Test("a value that the format cannot hold is said, and exits with 5")
    func unfit() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set l=[null] --type json --root a
            $ kv set k=v --root a
            $ kv bridge --root a f.plist --keys k,l --json
            {"type":"bridge","exit":5,"to_store":[],"to_file":["k"],"unfit":["l"]}
            ! l: a plist file cannot hold this value.
            = 5
            $ kv bridge --root a f.plist
            ! l: a plist file cannot hold this value.
            = 5
            $ kv bridge --root a f.env
            $ show f.env
            k=v
            l="[null]"
            """#)
    }

    @Test("a file that is no such settings file is an error, and stays")
    func wrong() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write s.json {"k":
            $ kv bridge --root a s.json
            ! filesinki: Invalid JSON: line 1 ends too early. Correct it and try again.
            = 2
            $ show s.json
            {"k":¬
            $ kv bridge --root a none/s.json
            $ kv set k 1 --root a
            $ kv bridge --root a none/s.json
            ! filesinki: none/s.json: Cannot write the file: no such file or directory. Check the spelling.
            = 1
            $ kv bridge --root a --min-interval 1h s.json
            ! filesinki: --min-interval needs --watch.
            ! Usage: filesinki kv bridge [<options>] <file>
            !   See 'filesinki kv bridge --help' for more information.
            = 2
            $ kv bridge --root a --watch --min-interval soon s.json
            ! filesinki: soon: Invalid duration. Write it as 30s, 5m or 2h.
            = 2
            """#)
    }

    @Test("a bridge without the store agrees with what is here, and --wait exits with 75")
    func away() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ move store gone
            $ write s.json {"k":5}
            $ kv bridge --root a s.json
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ kv get k --root a
            5
            $ kv bridge --root a s.json --wait
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            """#)
    }
}
