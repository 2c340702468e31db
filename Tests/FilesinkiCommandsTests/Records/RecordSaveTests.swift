import FilesinkiCommands
import Testing

@Suite("rec save and rec delete")
struct RecordSaveTests {
    @Test("a field has the type that is named, else that of the schema, else string")
    func fields() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=v --set i:int=3 --set d:double=2.5 --set b:data=AP8= --set l:list=a,b --set n:int-list=1,2
            $ rec get x --root a --fields s,i,d,b,l,n
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"b":{"type":"data","value":"AP8="},"d":{"type":"double","value":2.5},"i":{"type":"int","value":3},"l":{"type":"string-list","value":["a","b"]},"n":{"type":"int-list","value":[1,2]},"s":{"type":"string","value":"v"}}}
            $ rec save T x --root a --set i=4
            $ rec get x --root a --fields i
            {"name":"x","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"i":{"type":"int","value":4}}}
            $ rec save T x --root a --set i=four
            ! filesinki: i: The field 'i', of type int, is invalid at column 3: 'four' is not a whole number of 64 bits. Write digits, e.g. -12.
            = 2
            $ rec save T x --root a --set i:string=4
            ! filesinki: i: The field 'i' is of type int, and the value at column 3 of type string. Give a value of type int, or use another field.
            = 2
            $ rec save T x --root a --set when:date=2024-05-01T09:30:00.250Z --set at:location=52.5,13.4
            $ rec get x --root a --fields when,at
            {"name":"x","type":"T","tag":"3","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"at":{"type":"location","value":{"latitude":52.5,"longitude":13.4}},"when":{"type":"date","value":"2024-05-01T09:30:00.250Z"}}}
            $ rec save T x --root a --set at:location=91,0
            ! filesinki: at: The field 'at', of type location, is invalid at column 13: The latitude 91.0 is out of range. Give degrees from -90 to 90.
            = 2
            $ rec save T x --root a --set l:int-list=1,x
            ! filesinki: l: The field 'l' is of type string-list, and the value at column 3 of type int-list. Give a value of type string-list, or use another field.
            = 2
            $ rec save T x --root a --set 'l:list=a\,b,c'
            $ rec get x --root a --fields l
            {"name":"x","type":"T","tag":"4","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"l":{"type":"string-list","value":["a,b","c"]}}}
            $ rec save T x --root a --set i=null --set s:string=null
            $ rec get x --root a --fields i,s
            {"name":"x","type":"T","tag":"5","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"null"}}}
            $ rec save T x --root a --set novalue
            ! filesinki: novalue: The argument has no '='. Write FIELD=VALUE or FIELD:TYPE=VALUE.
            = 2
            $ rec save T x --root a --set f:colour=1
            ! filesinki: f: The field 'f' has an unknown type at column 3: 'colour'. The types are string, int, double, data, date, location, reference, asset, string-list, int-list, double-list, data-list, date-list, location-list, reference-list, asset-list.
            = 2
            $ rec save T x --root a --set recordName=1
            ! filesinki: recordName: 'recordName' is a field that every record has. Choose another name.
            = 2
            $ rec save T x --root a --set 1a=1
            ! filesinki: 1a: The field name has '1' at column 1. Begin with a letter from a to z or A to Z; then use these letters, digits and '_'.
            = 2
            """#)
    }

    @Test("names and types are checked before anything is saved")
    func names() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T _x --root a --set s=1
            ! filesinki: _x: A record name cannot begin with '_'. Use 1 to 255 printable characters of ASCII, and begin with another one than '_'.
            = 2
            $ rec save T '' --root a --set s=1
            ! filesinki: A record name cannot be empty. Give it a name.
            = 2
            $ rec save 1T x --root a --set s=1
            ! filesinki: 1T: The record type has '1' at column 1. Begin with a letter from a to z or A to Z; then use these letters, digits and '_'.
            = 2
            $ rec save T-x x --root a --set s=1
            ! filesinki: T-x: The record type has '-' at column 2. Begin with a letter from a to z or A to Z; then use these letters, digits and '_'.
            = 2
            $ rec save --root a
            ! filesinki: Missing expected argument '<type>'
            ! Help:  <type>  The type of the record.
            ! Usage: filesinki rec save [<options>] <type> [<name>]
            !   See 'filesinki rec save --help' for more information.
            = 2
            $ rec get x --root a
            ! filesinki: x: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 1
            // A record of another type is not changed into one of this type.
            $ rec save T x --root a --set s=1
            $ rec save Other x --root a --set s=1
            ! filesinki: x: The record has the type 'T', not 'Other'. Give its type, or delete it first.
            = 2
            $ rec get x --root a --fields s
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}}}
            """#)
    }

    @Test("a new record gets a name, which is printed")
    func newName() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T --root a --set s=1
            …
            $ rec query T --root a --fields ''
            {"name":"…","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{}}
            $ rec save T --root a --set s=1 --json
            {"name":"…","created":true,"deleted":false,"tag":"2","type":"save","exit":0,"zone":"default","queued":false}
            """#)
    }

    @Test("--input reads the fields as JSON, --replace removes what is not given")
    func input() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set kept=1 --set s=old
            $ rec save T x --root a --input - < {"fields":{"s":{"type":"string","value":"new"},"n":{"type":"int","value":5}}}
            $ rec get x --root a --fields kept,s,n
            {"name":"x","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"kept":{"type":"string","value":"1"},"n":{"type":"int","value":5},"s":{"type":"string","value":"new"}}}
            $ write in.json {"fields":{"s":"short"}}
            $ rec save T x --root a --input in.json --replace
            $ rec get x --root a --fields kept,s,n
            {"name":"x","type":"T","tag":"3","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"short"}}}
            $ rec save T x --root a --input in.json --set s=argument
            $ rec get x --root a --fields s
            {"name":"x","type":"T","tag":"4","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"argument"}}}
            $ rec save T x --root a --input none.json
            ! filesinki: none.json: Cannot open the file: no such file or directory. Check the spelling.
            = 1
            $ rec save T x --root a --input - < {"fields":
            ! filesinki: Invalid JSON: line 1 ends too early. Correct it and try again.
            = 2
            $ rec save T x --root a --input - < {"fields":{"s":{"type":"colour","value":1}}}
            ! filesinki: s: Invalid JSON, at byte 23: The field 's' has an unknown type 'colour'. Correct it, or write the type: {"type":"int","value":3}.
            = 2
            $ rec save T x --root a --input - --set f:asset=@- < {}
            ! filesinki: -: Standard input can be read only once. Name a file in place of all but one -.
            = 2
            """#)
    }

    @Test("an asset is a file beside the record, and is read by --asset")
    func assets() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write f.txt one\n
            $ rec save T x --root a --set f:asset=@f.txt --set 'g:asset-list=@f.txt,@f.txt'
            $ rec get x --asset f --root a
            one
            $ rec get x --asset g.2 --root a
            one
            $ rec get x --asset g.3 --root a
            ! filesinki: x: The record has no asset 'g.3'. Name a field of type asset; see filesinki rec get --root WORLD/a x.
            = 1
            $ rec get x --asset f -o out.txt --root a --json
            {"type":"asset","name":"x","field":"f","sha256":"…","size":4}
            $ show out.txt
            one
            $ rec get x --asset f --root a --json
            {"type":"failure","code":"usage","message":"With --json, the content cannot be written to standard output.","remedy":"Give a file with -o."}
            ! filesinki: With --json, the content cannot be written to standard output. Give a file with -o.
            = 2
            $ rec get x --asset none --root a
            ! filesinki: x: The record has no asset 'none'. Name a field of type asset; see filesinki rec get --root WORLD/a x.
            = 1
            $ rec get none --asset f --root a
            ! filesinki: none: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 1
            $ rec get x y --asset f --root a
            ! filesinki: --asset reads a field of one record.
            ! Usage: filesinki rec get [<options>] <names> ...
            !   See 'filesinki rec get --help' for more information.
            = 2
            $ rec get x --asset f --fields f --root a
            ! filesinki: --asset reads a field of one record.
            ! Usage: filesinki rec get [<options>] <names> ...
            !   See 'filesinki rec get --help' for more information.
            = 2
            $ rec get x -o out.txt --root a
            ! filesinki: --output needs --asset, which names the field.
            ! Usage: filesinki rec get [<options>] <names> ...
            !   See 'filesinki rec get --help' for more information.
            = 2
            $ rec save T x --root a --set f:asset=@none.txt
            ! filesinki: none.txt: Cannot open the file: no such file or directory. Check the spelling.
            = 1
            $ rec save T x --root a --set s:asset=@- --set t:asset=@- < x
            ! filesinki: -: Standard input can be read only once. Name a file in place of all but one -.
            = 2
            $ rec save T y --root a --set s:asset=@- < from input
            $ rec get y --asset s --root a
            from input¬
            // Another device reads it from the store.
            $ rec sync --root b
            $ rec get x --asset f --root b
            one
            """#)
    }

    @Test("a policy says what happens to a record that another device has changed")
    func policy() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=base --json
            {"name":"x","created":true,"deleted":false,"tag":"1","type":"save","exit":0,"zone":"default","queued":false}
            $ rec sync --root b
            $ rec save T x --root a --set s=a --set t=a
            $ rec save T x --root b --set s=b --policy unchanged
            ! filesinki: x: Another device changed the record; its version stays. filesinki rec conflicts --root WORLD/b has the refused version. Save the record again, or accept the other version with filesinki rec conflicts --root WORLD/b --forget x.
            = 3
            $ rec conflicts --root b
            {"type":"conflict","name":"x","reason":"unchanged","ancestor":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"base"}}},"client":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"b"}}},"server":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"a"},"t":{"type":"string","value":"a"}}}}
            = 3
            $ rec conflicts --forget x --root b
            $ rec get x --root b --fields s,t
            {"name":"x","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"a"},"t":{"type":"string","value":"a"}}}
            $ rec save T x --root a --set s=a2 --set t=a2
            $ rec save T x --root b --set s=b --policy changed-keys
            $ rec get x --root b --fields s,t
            {"name":"x","type":"T","tag":"5","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"b"},"t":{"type":"string","value":"a2"}}}
            $ rec sync --root a
            $ rec save T x --root a --set s=a3 --set t=a3
            $ rec save T x --root b --set s=b2 --policy all-keys
            $ rec get x --root b --fields s,t
            {"name":"x","type":"T","tag":"7","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"b2"},"t":{"type":"string","value":"a2"}}}
            $ rec save T x --root b --set s=c --policy newest
            ! filesinki: newest: Invalid policy. Use merge, unchanged, changed-keys, all-keys.
            = 2
            $ rec delete x --root b --policy newest
            ! filesinki: newest: Invalid policy. Use merge, unchanged, changed-keys, all-keys.
            = 2
            """#)
    }

    @Test("--if-tag needs the tag that the record has")
    func tags() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=1 --json
            {"name":"x","created":true,"deleted":false,"tag":"1","type":"save","exit":0,"zone":"default","queued":false}
            $ rec save T x --root a --set s=2 --if-tag TAG --json
            {"name":"x","created":false,"deleted":false,"tag":"2","type":"save","exit":0,"zone":"default","queued":false}
            $ rec save T x --root a --set s=3 --if-tag 1
            ! filesinki: x: The record has another change tag; nothing was changed. See filesinki rec get --root WORLD/a x, and save it again.
            = 3
            $ rec get x --root a --fields s
            {"name":"x","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}}}
            $ rec delete x --root a --if-tag 1
            ! filesinki: x: The record has another change tag; nothing was changed. See filesinki rec get --root WORLD/a x, and save it again.
            = 3
            $ rec get x --root a --fields s
            {"name":"x","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}}}
            $ rec delete x --root a --if-tag TAG --json
            {"name":"x","created":false,"deleted":true,"type":"delete","exit":0,"queued":false}
            $ rec save T new --root a --set s=1 --if-tag 1
            ! filesinki: new: The record has another change tag; nothing was changed. See filesinki rec get --root WORLD/a new, and save it again.
            = 3
            """#)
    }

    @Test("delete removes records, and what refers to them with delete")
    func deleted() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T parent --root a --set s=1
            $ rec save T child --root a --set p:reference=parent,delete
            $ rec save T other --root a --set p:reference=parent
            $ rec delete parent --root a --json
            {"name":"parent","created":false,"deleted":true,"cascade":["child"],"type":"delete","exit":0,"queued":false}
            $ rec get parent child other --root a --fields p
            {"name":"other","type":"T","tag":"3","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"p":{"type":"reference","value":{"name":"parent","action":"none"}}}}
            ! filesinki: parent: The record does not exist. Check the name and the zone, or receive it with --fresh.
            ! filesinki: child: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 5
            $ rec delete parent --root a
            $ rec delete parent --root a --strict
            = 1
            $ rec delete other parent --root a --strict --json
            {"name":"other","created":false,"deleted":true,"type":"delete","exit":1,"queued":false}
            {"name":"parent","created":false,"deleted":false,"type":"delete","exit":1,"queued":false}
            = 1
            $ rec rm nope --root a
            $ rec delete --root a
            ! filesinki: Missing expected argument '<names> ...'
            ! Help:  <names>  The names of the records.
            ! Usage: filesinki rec delete [<options>] <names> ...
            !   See 'filesinki rec delete --help' for more information.
            = 2
            $ rec delete _x --root a
            ! filesinki: _x: A record name cannot begin with '_'. Use 1 to 255 printable characters of ASCII, and begin with another one than '_'.
            = 2
            $ rec sync --root b
            $ rec get other --root b
            ! filesinki: other: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 1
            """#)
    }

    @Test("what cannot be published waits here; with --wait it exits with 75")
    func away() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ move store gone
            $ rec save T x --root a --set s=1
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ rec save T x --root a --set s=2 --json
            {"name":"x","created":false,"deleted":false,"tag":"0+…","type":"save","exit":0,"zone":"default","queued":true,"away":{"type":"failure","path":"WORLD/store","code":"away","message":"The folder of the store was not found (unmounted?).","remedy":"Mount the disk or share that contains it, or set its new address with filesinki remote set URL. If it is lost, see filesinki help lost-store."}}
            $ rec save T x --root a --set s=3 --wait
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ rec get x --root a --fields s
            {"name":"x","type":"T","tag":"0+…","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"3"}},"pending":true}
            $ rec delete x --root a
            ! Deleted here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ rec delete x --root a --wait
            ! Deleted here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ move gone store
            $ rec sync --root a --json
            {"type":"phase","phase":"fetching","zone":"default"}
            {"type":"phase","phase":"fetched","zone":"default"}
            {"type":"phase","phase":"sending","zone":"default"}
            {"type":"phase","phase":"sent","zone":"default"}
            {"type":"exchange","exit":0,"zone":"default","sequence":1,"changed":[],"published":[],"superseded":[],"conflicts":[]}
            """#)
    }

    @Test("results of another database than the private one have db")
    func databaseInJSON() async throws {
        let world = try await ReplicaTests.pair()
        for line in ["rec save T x --root a --set s=1", "rec sync --root b"] {
            try await world.expect(line + " --db public")
        }
        world.rename("store", to: "gone")
        try await world.expect("rec save T x --root b --set s=b --policy unchanged --db public")
        world.rename("gone", to: "store")
        try await world.expect("rec save T x --root a --set s=a --db public")
        try await world.expect("rec sync --root b --db public", .conflict)
        try await world.expect("kv set k 1 --root a --db public")
        let lines = [
            "rec conflicts --root b", "rec delete x --root a", "kv get k --root a",
            "kv list --root a",
        ]
        for line in lines {
            let outcome = try await world.run(
                bytes: (line + " --db public --json").split(separator: " ").map { Array($0.utf8) })
            #expect(outcome.text.contains(#""db":"public""#), "\(line): \(outcome)")
        }
        let batch = try await world.run(
            "rec", "batch", "--root", "a", "--db", "public",
            input: Array(#"{"op":"create","name":"y","type":"T","fields":{"s":"1"}}"#.utf8))
        #expect(batch.text.contains(#""db":"public""#), "\(batch)")
    }

    @Test("--zone and --db name another zone")
    func database() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=1 --zone work --json
            {"name":"x","created":true,"deleted":false,"tag":"1","type":"save","exit":0,"zone":"work","queued":false}
            $ rec save T x --root a --set s=1 --db public --json
            {"name":"x","created":true,"deleted":false,"tag":"1","type":"save","exit":0,"zone":"default","db":"public","queued":false}
            $ rec get x --root a
            ! filesinki: x: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 1
            $ rec get x --root a --zone work --fields s
            {"name":"x","type":"T","tag":"1","zone":"work","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}}}
            $ rec get x --root a --db public --fields s
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}},"db":"public"}
            $ rec get x --root a --db public --zone work
            ! filesinki: public/work: There is no zone of this name; nothing was changed. filesinki rec zones list --root WORLD/a --fresh --db public lists the zones.
            = 1
            $ rec save T x --root a --zone 'a b' --set s=1
            ! filesinki: a b: Invalid name of a zone of records. Use 1 to 48 of the characters a-z 0-9 _ -.
            = 2
            $ rec save T x --root a --db mine --set s=1
            ! filesinki: mine: Unknown database. Use private, public or shared-NAME, where NAME has 1 to 40 of the characters a-z 0-9 _.
            = 2
            """#)
    }
}
