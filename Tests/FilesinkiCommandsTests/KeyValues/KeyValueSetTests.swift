import FilesinkiCommands
import Testing

@Suite("kv set and kv unset")
struct KeyValueSetTests {
    @Test("a number is of 64 bits, or a double that is a number")
    func numbers() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set i=-9223372036854775808 --type int --root a
            $ kv get i --root a
            -9223372036854775808
            $ kv set i 9223372036854775808 --type int --root a
            ! filesinki: 9223372036854775808: Invalid value of type int. Write a whole number of 64 bits.
            = 2
            $ kv set i 1.5 --type int --root a
            ! filesinki: 1.5: Invalid value of type int. Write a whole number of 64 bits.
            = 2
            $ kv set i '' --type int --root a
            ! filesinki: Invalid value of type int. Write a whole number of 64 bits.
            = 2
            $ kv set i ' 7 ' --type int --root a
            $ kv get i --root a
            7
            // A word that begins with a hyphen would be an option.
            $ kv set i -5 --type int --root a
            ! filesinki: Unknown option '-5'.
            ! Write a value that begins with a hyphen as i=-5.
            ! Usage: filesinki kv set [<options>] <arguments> ...
            !   See 'filesinki kv set --help' for more information.
            = 2
            $ kv set --type int --root a i -- -5
            $ kv get i --root a
            -5
            $ kv set d 1e3 --type double --root a
            $ kv get d --root a
            1000.0
            $ kv set d=-0.0 --type double --root a
            $ kv get d --root a
            -0.0
            $ kv set d inf --type double --root a
            $ kv get d --root a
            inf
            $ kv set d nan --type double --root a
            ! filesinki: nan: Invalid value of type double. Write a number, as 0.5, 1e9 or inf; NaN cannot be kept.
            = 2
            $ kv set d x --type double --root a
            ! filesinki: x: Invalid value of type double. Write a number, as 0.5, 1e9 or inf; NaN cannot be kept.
            = 2
            $ kv get d --root a
            inf
            """#)
    }

    @Test("truth values, dates, data and addresses have one form each")
    func words() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set b true --type bool --root a
            $ kv set b yes --type bool --root a
            ! filesinki: yes: Invalid value of type bool. Write true or false.
            = 2
            $ kv set b TRUE --type bool --root a
            ! filesinki: TRUE: Invalid value of type bool. Write true or false.
            = 2
            $ kv set t 2024-05-01T09:30:00.250Z --type date --root a
            $ kv get t --root a
            2024-05-01T09:30:00.250Z
            $ kv set t '2024-05-01 09:30Z' --type date --root a
            $ kv get t --root a
            2024-05-01T09:30:00.000Z
            $ kv set t tomorrow --type date --root a
            ! filesinki: tomorrow: Invalid value of type date. Write it as 2024-05-01T09:30:00.250Z, or 2024-05-01 11:30.
            = 2
            $ kv set x AP8= --type data --root a
            $ kv set x A* --type data --root a
            ! filesinki: A*: Invalid value of type data. Write base 64, or give the bytes on standard input with -.
            = 2
            $ kv set x - --type data --root a < A*
            $ kv get x --root a
            A*
            $ kv get x --root a --json
            {"type":"value","default":false,"key":"x","value_type":"data","value":"QSo=","merge":"newest","time":"…","device_id":"…"}
            $ kv set u https://example.org --type url --root a
            $ kv set u mailto:me --type url --root a
            $ kv set u git+ssh:x --type url --root a
            $ kv set u example.org --type url --root a
            ! filesinki: example.org: Invalid value of type url. Write it with its scheme, as https://example.org.
            = 2
            $ kv set u :x --type url --root a
            ! filesinki: :x: Invalid value of type url. Write it with its scheme, as https://example.org.
            = 2
            $ kv set u 1a:x --type url --root a
            ! filesinki: 1a:x: Invalid value of type url. Write it with its scheme, as https://example.org.
            = 2
            $ kv set u 'a:x y' --type url --root a
            ! filesinki: a:x y: Invalid value of type url. Write it with its scheme, as https://example.org.
            = 2
            $ kv set u a_b:x --type url --root a
            ! filesinki: a_b:x: Invalid value of type url. Write it with its scheme, as https://example.org.
            = 2
            $ kv get u --root a
            git+ssh:x
            $ kv set s x --type text --root a
            ! filesinki: text: Invalid type. Use string, int, double, bool, date, data, url, json.
            = 2
            """#)
    }

    @Test("JSON without a mistake is a value, and null removes the key")
    func document() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set j '{"a":[1,null,true],"b":{"c":"d"}}' --type json --root a
            $ kv get j --root a
            {"a":[1,null,true],"b":{"c":"d"}}
            $ kv set j {a --type json --root a
            ! filesinki: Invalid JSON: line 1 has no key in quotes. Correct it and try again.
            = 2
            $ kv set j - --type json --root a < [1,\n 2]\n
            $ kv get j --json --root a
            {"type":"value","default":false,"key":"j","value_type":"array","value":[1,2],"merge":"newest","time":"…","device_id":"…"}
            $ kv set j null --type json --root a
            $ kv get j --root a
            ! filesinki: j: The key has no value here. Set it with kv set, or give a --default.
            = 1
            """#)
    }

    @Test("a text is kept byte by byte, also from standard input")
    func text() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set s ' a' --root a
            $ kv get s --root a
             a
            $ kv set s - --root a < line\n
            $ kv get s --json --root a
            {"type":"value","default":false,"key":"s","value_type":"string","value":"line\n","merge":"newest","time":"…","device_id":"…"}
            $ kv set s '' --root a
            $ kv get s --json --root a
            {"type":"value","default":false,"key":"s","value_type":"string","value":"","merge":"newest","time":"…","device_id":"…"}
            $ kv set s - --root a
            $ kv get s --json --root a
            {"type":"value","default":false,"key":"s","value_type":"string","value":"","merge":"newest","time":"…","device_id":"…"}
            // Of several, a hyphen is a text.
            $ kv set s=- r==x --root a
            $ kv get s --root a
            -
            $ kv get r --root a
            =x
            """#)
    }

    @Test("several keys are set all or none")
    func several() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set a=1 b=2 --root a --json
            {"type":"values","exit":0,"store":"default","keys":["a","b"],"queued":false,"sequence":1,"changed":[]}
            $ kv set a=3 b --root a
            ! filesinki: b: No VALUE was given for this key. Write KEY VALUE, or KEY=VALUE for each of several.
            = 2
            $ kv set a b c --root a
            ! filesinki: a: No VALUE was given for this key. Write KEY VALUE, or KEY=VALUE for each of several.
            = 2
            $ kv set a=3 =4 --root a
            ! filesinki: A key must not be empty. Give it a name.
            = 2
            $ kv set a --root a
            ! filesinki: a: No VALUE was given for this key. Write KEY VALUE, or KEY=VALUE for each of several.
            = 2
            $ kv set --root a
            ! filesinki: Missing expected argument '<arguments> ...'
            ! Help:  <arguments>  KEY VALUE, KEY -, KEY=VALUE…, or KEY with --merge.
            ! Usage: filesinki kv set [<options>] <arguments> ...
            !   See 'filesinki kv set --help' for more information.
            = 2
            $ kv set a=1 a=2 --root a
            $ kv list --root a
            a⇥2
            b⇥2
            $ kv set a=5 b=x --type int --root a
            ! filesinki: x: Invalid value of type int. Write a whole number of 64 bits.
            = 2
            $ kv list --root a
            a⇥2
            b⇥2
            """#)
    }

    @Test("--merge is one of five rules or a command, with or without a value")
    func rule() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set n 5 --type int --root a
            $ kv set n --merge max --root a
            $ kv get n --json --root a
            {"type":"value","default":false,"key":"n","value_type":"int","value":5,"merge":"max","time":"…","device_id":"…"}
            $ kv set n --merge greatest --root a
            ! filesinki: greatest: Invalid merge rule. Use newest, max, min, sum, union or exec:COMMAND.
            = 2
            $ kv set n --merge exec: --root a
            ! filesinki: exec:: Invalid merge rule. Use newest, max, min, sum, union or exec:COMMAND.
            = 2
            $ kv set n --merge exec:true --root a --json
            {"type":"values","exit":0,"store":"default","keys":["n"],"queued":false,"sequence":2,"changed":[]}
            $ kv get n --json --root a
            {"type":"value","default":false,"key":"n","value_type":"int","value":5,"merge":"max","time":"…","device_id":"…","merge_command":"true"}
            $ kv set none --merge max --root a
            ! filesinki: none: The key has no value, so it cannot have a rule. Set its value with the rule: kv set KEY VALUE --merge RULE.
            = 2
            // A command waits for the key's first value.
            $ kv set none --merge exec:true --root a
            $ kv set n 6 --merge min --root a
            $ kv get n --root a
            6
            $ kv set n=9 --merge sum --root a
            $ kv get n --json --root a
            {"type":"value","default":false,"key":"n","value_type":"int","value":9,"merge":"sum","time":"…","device_id":"…"}
            """#)
    }

    @Test("--add adds to what is there, in one step")
    func add() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set n 5 --type int --root a
            $ kv set n 3 --add --root a
            $ kv get n --json --root a
            {"type":"value","default":false,"key":"n","value_type":"int","value":8,"merge":"sum","time":"…","device_id":"…"}
            $ kv set n=-10 --add --root a
            $ kv get n --root a
            -2
            $ kv set l [1] --type json --root a
            $ kv set l [2,1] --type json --add --root a
            $ kv get l --json --root a
            {"type":"value","default":false,"key":"l","value_type":"array","value":[1,2],"merge":"union","time":"…","device_id":"…"}
            $ kv set s x --root a
            $ kv set s y --add --root a
            ! filesinki: s: The value cannot be added to the present one. Add a number to a number of the same type, or an array to an array.
            = 2
            $ kv set n 9223372036854775807 --type int --root a
            $ kv set n 1 --add --root a
            ! filesinki: n: The sum does not fit into 64 bits. Add a number to a number of the same type, or an array to an array.
            = 2
            $ kv get n --root a
            9223372036854775807
            """#)
    }

    @Test("what cannot be published waits here; with --wait it exits with 75")
    func away() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ move store gone
            $ kv set x 1 --root a
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ kv set x 2 --root a --json
            {"type":"values","exit":0,"store":"default","keys":["x"],"queued":true,"sequence":0,"changed":[],"away":{"type":"failure","path":"WORLD/store","code":"away","message":"The folder of the store was not found (unmounted?).","remedy":"Mount the disk or share that contains it, or set its new address with filesinki remote set URL. If it is lost, see filesinki help lost-store."}}
            $ kv set x 3 --root a --wait
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ kv unset x --root a
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ kv unset x --root a --wait
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ kv set y 1 --root a -v
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ kv list --root a
            y⇥1
            $ move gone store
            $ kv set y 2 --root a -v
            ! It is published.
            $ kv status --root a
            store         default
            keys          1, 1 B
            pending       0
            commit        1
            last change   …, local
            changed keys  y
            token         …-6
            """#)
    }

    @Test("without a remote nothing is queued by mistake, and --wait exits with 1")
    func alone() async throws {
        try await World().follow(
            #"""
            $ init a --device a
            ! Created the folder WORLD/a.
            ! WORLD/a is a replica now.
            $ kv set x 1 --root a
            $ kv set x 1 --root a --json
            {"type":"values","exit":0,"store":"default","keys":["x"],"queued":true,"sequence":0,"changed":[]}
            $ kv set x 1 --root a -v
            ! It is kept here.
            $ kv set x 1 --root a --wait
            ! Saved here, not yet published. The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            $ kv sync --root a
            ! filesinki: The replica has no remote. Set one with filesinki remote set --root WORLD/a URL.
            = 1
            """#)
    }

    @Test("unset removes keys, and exits with 1 if none had a value")
    func unset() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set x=1 y=2 --root a
            $ kv unset x nope --root a --json
            {"type":"values","exit":0,"store":"default","keys":["x"],"queued":false,"sequence":2,"changed":[]}
            $ kv unset x --root a
            = 1
            $ kv unset x --root a --json
            {"type":"values","exit":1,"store":"default","keys":[],"queued":false,"sequence":2,"changed":[]}
            = 1
            $ kv rm y --root a
            $ kv list --root a
            $ kv unset --root a
            ! filesinki: Missing expected argument '<keys> ...'
            ! Help:  <keys>  The keys.
            ! Usage: filesinki kv unset [<options>] <keys> ...
            !   See 'filesinki kv unset --help' for more information.
            = 2
            $ kv sync --root b
            $ kv list --root b
            """#)
    }
}
