import FilesinkiCommands
import Testing

@Suite("rec get, rec query, rec changes, rec log and rec index")
struct RecordReadTests {
    @Test("get prints records of this device, and exits with 1 or 5 for those that it has not")
    func gotten() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=1 --set t=2
            $ rec save T y --root a --set s=2
            $ rec get x --root a
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"},"t":{"type":"string","value":"2"}}}
            $ rec show x y --root a --fields s
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}}}
            {"name":"y","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}}}
            $ rec get x --root a --fields ''
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{}}
            $ rec get x --root a --fields none
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{}}
            $ rec get x --root a --fields 1a
            ! filesinki: 1a: The field name has '1' at column 1. Begin with a letter from a to z or A to Z; then use these letters, digits and '_'.
            = 2
            $ rec get none --root a
            ! filesinki: none: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 1
            $ rec get x none --root a --fields s
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}}}
            ! filesinki: none: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 5
            $ rec get T x --root a --fields s
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}}}
            ! filesinki: T: The record does not exist. It is a type of records: rec get takes the names of records only.
            = 5
            $ rec get T none --root a
            ! filesinki: T: The record does not exist. Check the name and the zone, or receive it with --fresh.
            ! filesinki: none: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 1
            $ rec get x --root b
            ! filesinki: x: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 1
            $ rec get x --root b --fresh --fields s
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}}}
            $ rec get x --root b --fields s
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}}}
            $ rec get '' --root a
            ! filesinki: A record name cannot be empty. Give it a name.
            = 2
            $ rec get --root a
            ! filesinki: Missing expected argument '<names> ...'
            ! Help:  <names>  The names of the records.
            ! Usage: filesinki rec get [<options>] <names> ...
            !   See 'filesinki rec get --help' for more information.
            = 2
            // What waits is marked.
            $ move store gone
            $ rec save T x --root a --set s=3
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ rec get x --root a --fields s
            {"name":"x","type":"T","tag":"1+…","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"3"}},"pending":true}
            $ rec get x --root a --fresh
            ! filesinki: WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            """#)
    }

    @Test("query prints the records of a type that match, in the order that --sort gives")
    func query() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T a --root a --set n:int=1 --set s=one
            $ rec save T b --root a --set n:int=2 --set s=two
            $ rec save T c --root a --set n:int=3 --set s=three
            $ rec save U d --root a --set n:int=4
            $ rec query T --root a --fields n
            {"name":"a","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":1}}}
            {"name":"b","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":2}}}
            {"name":"c","type":"T","tag":"3","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":3}}}
            $ rec list T --root a --fields n --sort -n
            {"name":"c","type":"T","tag":"3","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":3}}}
            {"name":"b","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":2}}}
            {"name":"a","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":1}}}
            $ rec query T --root a --fields n --sort s,-n
            {"name":"a","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":1}}}
            {"name":"c","type":"T","tag":"3","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":3}}}
            {"name":"b","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":2}}}
            $ rec query T --root a --fields n --where 'n > 1' --limit 1
            {"name":"b","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":2}}}
            {"cursor":"…"}
            $ rec query T --root a --fields n --where 'n > 1' --limit 1 --cursor CURSOR
            {"name":"c","type":"T","tag":"3","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":3}}}
            $ rec query T --root a --where 'n > 3'
            = 1
            $ rec query V --root a
            = 1
            $ rec query 1T --root a
            ! filesinki: 1T: The record type has '1' at column 1. Begin with a letter from a to z or A to Z; then use these letters, digits and '_'.
            = 2
            $ rec query T --root a --limit 0
            ! filesinki: --limit: Invalid limit. Give a number from 1 on.
            = 2
            $ rec query T --root a --where 'n >'
            ! filesinki: Invalid predicate, column 4: It ends where a value is expected. Correct it; filesinki help predicates lists the forms.
            = 2
            $ rec query T --root a --where 'n ~ 1'
            ! filesinki: Invalid predicate, column 3: Unexpected '~'. Correct it; filesinki help predicates lists the forms.
            = 2
            $ rec query T --root a --cursor wrong
            ! filesinki: wrong: The cursor is not one of this query. Give the cursor that the page before printed, and the same query.
            = 2
            $ rec query T --root b
            = 1
            $ rec query T --root b --fresh --fields n --limit 2
            {"name":"a","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":1}}}
            {"name":"b","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":2}}}
            {"cursor":"…"}
            """#)
    }

    @Test("query --strict takes what CloudKit takes, of fields with an index")
    func strict() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T a --root a --set n:int=1
            $ rec query T --root a --strict --where 'n = 1' --fields n
            ! filesinki: n: The field 'T.n' is not queryable. Make it queryable in the schema, or do not ask for a strict query.
            = 2
            $ rec query T --root a --strict --sort n --fields n
            ! filesinki: n: The field 'T.n' is not sortable. Make it sortable in the schema, or do not ask for a strict query.
            = 2
            $ rec query T --root a --strict --where 'n = 1 OR n = 2'
            ! filesinki: Invalid predicate, column 7: 'OR' is not in a strict predicate. Leave it out, or do not ask for a strict predicate.
            = 2
            $ rec query T --root a --where 'n = 1 OR n = 2' --fields n
            {"name":"a","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":1}}}
            $ rec schema set 'T.n int' --root a
            $ rec query T --root a --strict --where 'n = 1' --fields n
            ! filesinki: n: The field 'T.n' is not queryable. Make it queryable in the schema, or do not ask for a strict query.
            = 2
            $ rec query T --root a --strict --sort n --fields n
            ! filesinki: n: The field 'T.n' is not sortable. Make it sortable in the schema, or do not ask for a strict query.
            = 2
            $ rec schema set 'T.n int sortable' --root a
            $ rec query T --root a --strict --sort n --fields n
            {"name":"a","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":1}}}
            """#)
    }

    @Test("changes prints each record that changed once, and the next token")
    func changes() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec changes --root a
            {"token":"…-0","more":false}
            $ rec save T x --root a --set s=1
            $ rec save T y --root a --set s=1
            $ rec save T x --root a --set s=2
            $ rec changes --root a --fields s --limit 1 --since TOKEN
            {"name":"x","type":"T","tag":"3","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}},"change":"saved"}
            {"token":"…-1","more":true}
            $ rec changes --root a --fields s --limit 1 --since TOKEN
            {"name":"y","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}},"change":"saved"}
            {"token":"…-2","more":true}
            $ rec changes --root a --fields s --limit 1 --since TOKEN
            {"name":"x","type":"T","tag":"3","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}},"change":"saved"}
            {"token":"…-3","more":false}
            // Without a token all are printed.
            $ rec changes --root a --fields s --limit 1
            {"name":"x","type":"T","tag":"3","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}},"change":"saved"}
            {"name":"y","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}},"change":"saved"}
            {"token":"…-3","more":false}
            $ rec changes --root a --fields s --reverse
            {"name":"y","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}},"change":"saved"}
            {"name":"x","type":"T","tag":"3","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}},"change":"saved"}
            {"token":"…-3","more":false}
            $ rec delete x --root a
            $ rec changes --root a --since TOKEN
            {"name":"x","zone":"default","change":"deleted"}
            {"token":"…-4","more":false}
            $ rec changes --root a --fields s
            {"name":"y","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}},"change":"saved"}
            {"token":"…-4","more":false}
            $ rec changes --root a --fields s --resync
            {"name":"x","zone":"default","change":"deleted"}
            {"name":"y","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}},"change":"saved"}
            {"token":"…-4","more":false}
            $ rec changes --root a --limit 0
            ! filesinki: --limit: Invalid limit. Give a number from 1 on.
            = 2
            $ rec changes --root a --limit -1
            ! filesinki: Unknown option '-1'.
            ! Help:  --limit <n>  The most records of a page; changes of one moment are never divided.
            ! Usage: filesinki rec changes <options>
            !   See 'filesinki rec changes --help' for more information.
            = 2
            $ rec changes --root a --since soon
            ! filesinki: soon: Invalid token. Give one that an earlier command printed.
            = 2
            $ rec changes --root a --since 0000000000000000-1
            ! filesinki: …-1: The changes since this token are no longer known. filesinki rec changes --root WORLD/a --resync prints everything, and at its end the token to continue with.
            = 9
            $ rec changes --root b --fresh --fields s --db public
            {"token":"…-0","more":false}
            $ rec changes --root b --fresh --fields s
            {"name":"y","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}},"change":"saved"}
            {"token":"…-1","more":false}
            """#)
    }

    @Test("log prints what another device's version took the place of")
    func log() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=base
            $ rec sync --root b
            $ rec log x --root b
            = 1
            $ move store gone
            $ rec save T x --root b --set s=b
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/b URL. If it is lost, see filesinki help lost-store.
            $ move gone store
            $ rec save T x --root a --set s=a
            $ rec sync --root b --json
            {"type":"phase","phase":"fetching","zone":"default"}
            {"type":"phase","phase":"fetched","zone":"default"}
            {"type":"phase","phase":"sending","zone":"default"}
            {"type":"phase","phase":"sent","zone":"default"}
            {"type":"exchange","exit":0,"zone":"default","sequence":3,"reason":"server","changed":["x"],"published":[],"superseded":["x"],"conflicts":[]}
            $ rec get x --root b --fields s
            {"name":"x","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"a"}}}
            $ rec log x --root b
            {"name":"x","type":"T","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"b"}},"reason":"merge"}
            $ rec log x --root a
            = 1
            $ rec log '' --root a
            ! filesinki: A record name cannot be empty. Give it a name.
            = 2
            $ rec log --root a
            ! filesinki: Missing expected argument '<name>'
            ! Help:  <name>  The name of the record.
            ! Usage: filesinki rec log <name> [--zone <name>] [--db <database>] [--root <dir>]
            !          [--state <dir>] [--lock-wait <time>] [--timeout <time>] [--json]
            !          [--quiet] [--verbose] [--color <when>] [--progress <when>]
            !   See 'filesinki rec log --help' for more information.
            = 2
            """#)
    }

    @Test("index rebuild says how many records it has read")
    func index() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=1
            $ rec save T y --root a --set s=1
            $ rec index rebuild --root a
            $ rec index rebuild --root a -v
            ! 2 records indexed.
            $ rec index rebuild --root a --json
            {"type":"index","zone":"default","records":2}
            $ rec index rebuild --root a --zone none
            ! filesinki: none: There is no zone of this name; nothing was changed. filesinki rec zones list --root WORLD/a --fresh lists the zones.
            = 1
            $ rec query T --root a --where 's = "1"' --fields ''
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{}}
            {"name":"y","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{}}
            $ rec save T z --root a --set s=1 --db public
            $ rec index rebuild --root a --db public --json
            {"type":"index","zone":"default","db":"public","records":1}
            $ rec index rebuild --root a --json x
            {"type":"failure","code":"usage","message":"Unexpected argument 'x'","remedy":"To name the replica, add --root DIR. Usage: filesinki rec index rebuild [--zone <name>] [--db <database>] [--root <dir>] [--state <dir>] [--lock-wait <time>] [--timeout <time>] [--json] [--quiet] [--verbose] [--color <when>] [--progress <when>] See 'filesinki rec index rebuild --help' for more information."}
            ! filesinki: Unexpected argument 'x'
            ! To name the replica, add --root DIR.
            ! Usage: filesinki rec index rebuild [--zone <name>] [--db <database>]
            !          [--root <dir>] [--state <dir>] [--lock-wait <time>] [--timeout <time>]
            !          [--json] [--quiet] [--verbose] [--color <when>] [--progress <when>]
            !   See 'filesinki rec index rebuild --help' for more information.
            = 2
            """#)
    }
}
