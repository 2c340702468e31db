import FilesinkiCommands
import Testing

@Suite("kv get, kv list and kv log")
struct KeyValueReadTests {
    @Test("get prints the value of this device, and exits with 1 without one")
    func value() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set theme dark --root a
            $ kv get theme --root a
            dark
            $ kv show theme --root a
            dark
            $ kv get theme --raw --root a
            dark¬
            $ kv get nope --root a
            ! filesinki: nope: The key has no value here. Set it with kv set, or give a --default.
            = 1
            // A name below the replica is not the replica.
            $ kv get theme --root one
            ! filesinki: WORLD/one: Not in a replica. Yours are WORLD/a, WORLD/b: go to one, or add --root DIR. If it is on a disk, mount it; filesinki init makes it one.
            = 1
            $ kv get --root a
            ! filesinki: Missing expected argument '<key>'
            ! Help:  <key>  The key.
            ! Usage: filesinki kv get [<options>] <key>
            !   See 'filesinki kv get --help' for more information.
            = 2
            $ kv get '' --root a
            ! filesinki: A key must not be empty. Give it a name.
            = 2
            // Another device has it after its next exchange, and no store has it under another name.
            $ kv get theme --root b
            ! filesinki: theme: The key has no value here. Set it with kv set, or give a --default.
            = 1
            $ kv sync --root b
            $ kv get theme --root b
            dark
            $ kv get theme --store other --root a
            ! filesinki: theme: The key has no value here. Set it with kv set, or give a --default.
            = 1
            $ kv get theme --db public --root a
            ! filesinki: theme: The key has no value here. Set it with kv set, or give a --default.
            = 1
            $ kv get theme --db other --root a
            ! filesinki: other: Unknown database. Use private, public or shared-NAME, where NAME has 1 to 40 of the characters a-z 0-9 _.
            = 2
            """#)
    }

    @Test("get --type takes a value of this type only, json any")
    func type() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set theme dark --root a
            $ kv set n 5 --type int --root a
            $ kv get theme --type string --root a
            dark
            $ kv get theme --type json --root a
            dark
            $ kv get n --type json --root a
            5
            $ kv get theme --type int --root a
            ! filesinki: theme: The value is of the type string, not int. Ask for string, or set it again.
            = 2
            $ kv get n --type double --root a
            ! filesinki: n: The value is of the type int, not double. Ask for int, or set it again.
            = 2
            $ kv get nope --type int --root a
            ! filesinki: nope: The key has no value here. Set it with kv set, or give a --default.
            = 1
            $ kv get theme --type colour --root a
            ! filesinki: colour: Invalid type. Use string, int, double, bool, date, data, url, json.
            = 2
            """#)
    }

    @Test("get --default is a value of the type, where the key has none")
    func fallback() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv get n --default 7 --root a
            7
            $ kv get n --default 7 --type int --json --root a
            {"type":"value","default":true,"key":"n","value_type":"int","value":7}
            $ kv get n --default 7 --json --root a
            {"type":"value","default":true,"key":"n","value_type":"string","value":"7"}
            $ kv get n --default AP8= --type data --raw --json --root a
            {"type":"value","default":true,"key":"n","value_type":"data","value":"AP8="}
            $ kv get n --default seven --type int --root a
            ! filesinki: seven: Invalid value of type int. Write a whole number of 64 bits.
            = 2
            // JSON's null is no value.
            $ kv get n --default null --type json --root a
            ! filesinki: n: The key has no value here. Set it with kv set, or give a --default.
            = 1
            $ kv set n 1 --root a
            $ kv get n --default 7 --root a
            1
            $ kv get n --default seven --type int --root a
            ! filesinki: n: The value is of the type string, not int. Ask for string, or set it again.
            = 2
            // It is stored nowhere.
            $ kv unset n --root a
            $ kv get n --default 7 --root a
            7
            $ kv list --root a
            """#)
    }

    @Test("the JSON of a value has its type, its merge rule and who set it")
    func json() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set n 5 --type int --merge max --root a
            $ kv set d 1e300 --type double --root a
            $ kv set big 9223372036854775807 --type int --root a
            $ kv set b=true --type bool --root a
            $ kv set x=AP8= --type data --root a
            $ kv set l=[1,null] --type json --merge union --root a
            $ kv get n --json --root a
            {"type":"value","default":false,"key":"n","value_type":"int","value":5,"merge":"max","time":"…","device_id":"…"}
            $ kv get d --json --root a
            {"type":"value","default":false,"key":"d","value_type":"double","value":1e+300,"merge":"newest","time":"…","device_id":"…"}
            $ kv get big --json --root a
            {"type":"value","default":false,"key":"big","value_type":"int","value":9223372036854775807,"merge":"newest","time":"…","device_id":"…"}
            $ kv get b --json --root a
            {"type":"value","default":false,"key":"b","value_type":"bool","value":true,"merge":"newest","time":"…","device_id":"…"}
            $ kv get x --json --root a
            {"type":"value","default":false,"key":"x","value_type":"data","value":"AP8=","merge":"newest","time":"…","device_id":"…"}
            $ kv get l --json --root a
            {"type":"value","default":false,"key":"l","value_type":"array","value":[1,null],"merge":"union","time":"…","device_id":"…"}
            // The command of a key is this device's: the other one has none.
            $ kv set n --merge 'exec:cat $1' --root a
            $ kv get n --json --root a
            {"type":"value","default":false,"key":"n","value_type":"int","value":5,"merge":"max","time":"…","device_id":"…","merge_command":"cat $1"}
            $ kv sync --root b
            $ kv get n --json --root b
            {"type":"value","default":false,"key":"n","value_type":"int","value":5,"merge":"max","time":"…","device_id":"…"}
            """#)
    }

    @Test("--prefix is before all keys, and is not printed")
    func prefix() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set theme dark --root a --prefix flutter.
            $ kv set other 1 --root a
            $ kv get theme --root a
            ! filesinki: theme: The key has no value here. Set it with kv set, or give a --default.
            = 1
            $ kv get flutter.theme --root a
            dark
            $ kv get theme --prefix flutter. --json --root a
            {"type":"value","default":false,"key":"theme","value_type":"string","value":"dark","merge":"newest","time":"…","device_id":"…"}
            $ kv list --prefix flutter. --root a
            theme⇥dark
            $ kv list --prefix flutter. --json --root a
            {"type":"value","key":"theme","value_type":"string","value":"dark","merge":"newest","time":"…","device_id":"…"}
            $ kv list --prefix flutter. -0 --root a
            theme␀¬
            $ kv list --root a -0
            flutter.theme␀other␀¬
            $ kv list --prefix none --root a
            $ kv export --prefix flutter. --root a
            {"values":[
            {"key":"theme","merge":"newest","value":"dark"}
            ]}
            $ kv unset theme --prefix flutter. --json --root a
            {"type":"values","exit":0,"store":"default","keys":["theme"],"queued":false,"sequence":3,"changed":[]}
            $ kv list --root a
            other⇥1
            // An empty key is none, whatever the prefix.
            $ kv get '' --prefix flutter. --root a
            ! filesinki: A key must not be empty. Give it a name.
            = 2
            """#)
    }

    @Test("list prints keys in order, with a tab before the value")
    func list() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv list --root a
            $ kv set b=2 a=1 c=x --root a
            $ kv list --root a
            a⇥1
            b⇥2
            c⇥x
            $ kv ls --root a
            a⇥1
            b⇥2
            c⇥x
            $ kv list -0 --root a
            a␀b␀c␀¬
            $ kv list --store other --root a
            // What would move the cursor or end the line is written.
            $ kv set t - --root a < one\n\ttwo\n
            $ kv list --root a
            a⇥1
            b⇥2
            c⇥x
            t⇥one\x0a\x09two\x0a
            $ kv get t --root a
            one
            ⇥two

            $ kv list --json --root a
            {"type":"value","key":"a","value_type":"string","value":"1","merge":"newest","time":"…","device_id":"…"}
            {"type":"value","key":"b","value_type":"string","value":"2","merge":"newest","time":"…","device_id":"…"}
            {"type":"value","key":"c","value_type":"string","value":"x","merge":"newest","time":"…","device_id":"…"}
            {"type":"value","key":"t","value_type":"string","value":"one\n\ttwo\n","merge":"newest","time":"…","device_id":"…"}
            $ kv list --root a x
            ! filesinki: Unexpected argument 'x'
            ! To name the replica, add --root DIR.
            ! Usage: filesinki kv list <options>
            !   See 'filesinki kv list --help' for more information.
            = 2
            """#)
    }

    @Test("log prints what others superseded, newest first")
    func log() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set x=1 --root a
            $ kv log x --root a
            = 1
            $ kv off --root b
            $ kv set x=2 --root b
            $ kv set y=3 --root b
            $ kv on --root b
            $ kv log x --root b
            …⇥initial⇥2
            $ kv log x --root b --json
            {"type":"superseded","reason":"initial","key":"x","value_type":"string","value":"2","merge":"newest","time":"…","device_id":"…"}
            $ kv log y --root b
            = 1
            $ kv log x --root a
            = 1
            $ kv log '' --root a
            ! filesinki: A key must not be empty. Give it a name.
            = 2
            $ kv log --root a
            ! filesinki: Missing expected argument '<key>'
            ! Help:  <key>  The key.
            ! Usage: filesinki kv log [<options>] <key>
            !   See 'filesinki kv log --help' for more information.
            = 2
            """#)
    }
}
