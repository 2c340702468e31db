import FilesinkiCommands
import Testing

@Suite("kv export, kv import and kv quota")
struct KeyValueDocumentTests {
    @Test("export prints all values with their types and rules")
    func export() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv export --root a
            {"values":[

            ]}
            $ kv set s=x --root a
            $ kv set n=5 --type int --merge max --root a
            $ kv set b=true --type bool --root a
            $ kv export --root a
            {"values":[
            {"key":"b","merge":"newest","value":true},
            {"key":"n","merge":"max","value":5},
            {"key":"s","merge":"newest","value":"x"}
            ]}
            $ kv export --root a --format plist
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            ⇥<key>b</key>
            ⇥<true/>
            ⇥<key>n</key>
            ⇥<integer>5</integer>
            ⇥<key>s</key>
            ⇥<string>x</string>
            </dict>
            </plist>
            $ kv export --root a --format xml
            ! filesinki: xml: Invalid format. Use json or plist.
            = 2
            $ kv export --root a --json
            {"type":"failure","code":"usage","message":"With --json, the content cannot be written to standard output.","remedy":"Give a file with -o."}
            ! filesinki: With --json, the content cannot be written to standard output. Give a file with -o.
            = 2
            $ kv export --root a --json -o out.json
            {"type":"exported","keys":3}
            $ kv export --root a -o out.json
            $ show out.json
            {"values":[
            {"key":"b","merge":"newest","value":true},
            {"key":"n","merge":"max","value":5},
            {"key":"s","merge":"newest","value":"x"}
            ]}
            """#)
    }

    @Test("import of an export makes the same values elsewhere")
    func copy() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set s=x --root a
            $ kv set n=5 --type int --merge max --root a
            $ kv set l=[1,{"a":null}] --type json --root a
            $ kv export --root a -o out.json
            $ kv import out.json --root b --store copy --json
            {"type":"values","exit":0,"store":"copy","keys":["l","n","s"],"queued":false,"sequence":1,"changed":[]}
            $ kv export --root b --store copy -o copy.json
            $ kv get n --root b --store copy --json
            {"type":"value","default":false,"key":"n","value_type":"int","value":5,"merge":"max","time":"…","device_id":"…"}
            $ kv get l --root b --store copy
            [1,{"a":null}]
            $ kv export --root a --format plist -o out.plist
            ! filesinki: A property list cannot hold null. Use another format.
            = 2
            // A list without null can be one.
            $ kv set l=[1] --type json --root a
            $ kv export --root a --format plist -o out.plist
            $ kv import out.plist --root b --store plist --format plist
            $ kv list --root b --store plist
            l⇥[1]
            n⇥5
            s⇥x
            """#)
    }

    @Test("import sets names and values, null removes, all or none")
    func imported() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set gone=1 stays=2 --root a
            $ kv import --root a --json < {"n":5,"gone":null,"d":1.5,"t":"x","b":false}
            {"type":"values","exit":0,"store":"default","keys":["b","d","gone","n","t"],"queued":false,"sequence":2,"changed":[]}
            $ kv list --root a
            b⇥false
            d⇥1.5
            n⇥5
            stays⇥2
            t⇥x
            $ kv import - --root a --prefix p. < {"k":1}
            $ kv get p.k --root a
            1
            $ kv import --root a < {"n":6,
            ! filesinki: Invalid JSON: line 1 has no key in quotes. Correct it and try again.
            = 2
            $ kv import --root a < [1]
            ! filesinki: Neither an export of a key-value store nor an object of names and values. Give what kv export wrote, or an object such as {"theme":"dark"}.
            = 2
            $ kv import --root a < {"n":6,"":1}
            ! filesinki: A key must not be empty. Give it a name.
            = 2
            $ kv import nope.json --root a
            ! filesinki: nope.json: Cannot open the file: no such file or directory. Check the spelling.
            = 1
            $ kv import --root a --format yaml < {}
            ! filesinki: yaml: Invalid format. Use json or plist.
            = 2
            $ kv import --root a --format plist < {}
            ! filesinki: Invalid XML property list, at byte 0: A tag is missing. Correct it and try again; a binary one is converted by plutil or plistutil.
            = 2
            $ kv import --root a < {}
            $ kv import --root a -v < {}
            ! It is published.
            $ kv get n --root a
            5
            $ kv quota --root a --max-keys 5
            keys                6 of 5
            bytes               27 of 1048576
            bytes of one value  at most 1048576
            bytes of a key      at most 64
            = 6
            $ kv import --root a < {"n":7,"x":1,"y":2}
            ! filesinki: There would be 8 keys; at most 5 are allowed. Nothing was changed. Remove some, or raise the limit with kv quota.
            = 6
            $ kv get n --root a
            5
            """#)
    }

    @Test("quota shows the usage, and sets limits of this device")
    func quota() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv set x=1 y=22 --root a
            $ kv quota --root a
            keys                2 of 1024
            bytes               3 of 1048576
            bytes of one value  at most 1048576
            bytes of a key      at most 64
            $ kv quota --root a --max-keys 3 --max-total 1Ki --max-value 100 --max-key 20
            keys                2 of 3
            bytes               3 of 1024
            bytes of one value  at most 100
            bytes of a key      at most 20
            $ kv quota --root a --json
            {"type":"quota","store":"default","keys":2,"max_keys":3,"bytes":3,"max_bytes":1024,"max_value_bytes":100,"max_key_bytes":20,"over":false}
            $ kv quota --root b --json
            {"type":"quota","store":"default","keys":0,"max_keys":1024,"bytes":0,"max_bytes":1048576,"max_value_bytes":1048576,"max_key_bytes":64,"over":false}
            $ kv quota --root a --max-keys 0
            ! filesinki: A limit must be greater than 0.
            ! Usage: filesinki kv quota <options>
            !   See 'filesinki kv quota --help' for more information.
            = 2
            $ kv quota --root a --max-key 0
            ! filesinki: A limit must be greater than 0.
            ! Usage: filesinki kv quota <options>
            !   See 'filesinki kv quota --help' for more information.
            = 2
            $ kv quota --root a --max-key 1025
            ! filesinki: --max-key must be at most 1024.
            ! Usage: filesinki kv quota <options>
            !   See 'filesinki kv quota --help' for more information.
            = 2
            $ kv quota --root a --max-value 33Mi
            ! filesinki: 33Mi: A value cannot be larger than 32Mi. Keep larger contents in a file.
            = 2
            $ kv quota --root a --max-value 32Mi
            keys                2 of 3
            bytes               3 of 1024
            bytes of one value  at most 33554432
            bytes of a key      at most 20
            $ kv quota --root a --max-total some
            ! filesinki: some: Invalid size. Write it as 500M, 1.5G or 4Ki.
            = 2
            $ kv quota --root a --max-keys some
            ! filesinki: The value 'some' is invalid for '--max-keys <number>'
            ! Help:  --max-keys <number>  Maximum number of keys.
            ! Usage: filesinki kv quota <options>
            !   See 'filesinki kv quota --help' for more information.
            = 2
            """#)
    }

    @Test("a change beyond a limit exits with 6 and changes nothing")
    func limits() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv quota --root a --max-keys 2 --max-value 10 --max-key 4
            keys                0 of 2
            bytes               0 of 1048576
            bytes of one value  at most 10
            bytes of a key      at most 4
            $ kv set x=1 y=2 --root a
            $ kv set z=3 --root a
            ! filesinki: There would be 3 keys; at most 2 are allowed. Nothing was changed. Remove some, or raise the limit with kv quota.
            = 6
            $ kv set x=1234567890123 --root a
            ! filesinki: x: The value has 13 bytes; at most 10 are allowed. Nothing was changed. Keep it in a file, or raise the limit with kv quota.
            = 6
            $ kv set long5=1 --root a
            ! filesinki: long5: The key has 5 bytes; at most 4 are allowed. Use a shorter key.
            = 2
            $ kv list --root a
            x⇥1
            y⇥2
            // A key that goes makes room for another one.
            $ kv unset x --root a
            $ kv set z=3 --root a
            """#)
    }

    @Test("what another device sets may be more than the limits, and is said")
    func over() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ kv quota --root a --max-keys 1
            keys                0 of 1
            bytes               0 of 1048576
            bytes of one value  at most 1048576
            bytes of a key      at most 64
            $ kv set x=1 y=2 --root b
            $ kv sync --root a
            ! The store holds more than its limits allow; filesinki kv quota --root WORLD/a shows how much.
            = 6
            $ kv sync --root a --json
            {"type":"exchange","exit":6,"store":"default","sequence":1,"changed":[],"published":[],"superseded":[],"over":true}
            ! The store holds more than its limits allow; filesinki kv quota --root WORLD/a shows how much.
            = 6
            $ kv quota --root a --json
            {"type":"quota","store":"default","keys":2,"max_keys":1,"bytes":2,"max_bytes":1048576,"max_value_bytes":1048576,"max_key_bytes":64,"over":true}
            = 6
            $ kv unset x --root a
            $ kv quota --root a
            keys                1 of 1
            bytes               1 of 1048576
            bytes of one value  at most 1048576
            bytes of a key      at most 64
            """#)
    }
}
