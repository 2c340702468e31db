import FilesinkiCommands
import Testing

@Suite("rec schema")
struct RecordSchemaTests {
    @Test("the schema grows with the first save of a field, until it is locked")
    func grows() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec schema show --root a
            # The types and fields of records. A line for each field: TYPE.FIELD, the type
            # of its value, then any of queryable, sortable, searchable, and merge=RULE
            # unless the newest change wins.
            $ rec save T x --root a --set s=1 --set n:int=1
            $ rec schema show --root a
            # The types and fields of records. A line for each field: TYPE.FIELD, the type
            # of its value, then any of queryable, sortable, searchable, and merge=RULE
            # unless the newest change wins.
            type T
            T.n int
            T.s string
            $ rec schema export --root a
            # The types and fields of records. A line for each field: TYPE.FIELD, the type
            # of its value, then any of queryable, sortable, searchable, and merge=RULE
            # unless the newest change wins.
            type T
            T.n int
            T.s string
            $ rec schema show --root a --json
            {"type":"schema","zone":"default","locked":false,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\ntype T\nT.n int\nT.s string\n"}
            $ rec schema lock --root a --json
            {"type":"schema","zone":"default","locked":true,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\nlocked\ntype T\nT.n int\nT.s string\n","exit":0,"changed":true,"queued":false}
            $ rec schema lock --root a --json
            {"type":"schema","zone":"default","locked":true,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\nlocked\ntype T\nT.n int\nT.s string\n","exit":0,"changed":false,"queued":false}
            $ rec save T x --root a --set new=1
            ! filesinki: x: The schema is locked and does not have the field 'T.new'. Correct the name, or unlock the schema and add it.
            = 2
            $ rec save U y --root a --set s=1
            ! filesinki: y: The schema is locked and does not have the type 'U'. Correct the name, or unlock the schema and add it.
            = 2
            $ rec save T x --root a --set s=2
            $ rec schema show --root a
            # The types and fields of records. A line for each field: TYPE.FIELD, the type
            # of its value, then any of queryable, sortable, searchable, and merge=RULE
            # unless the newest change wins.
            locked
            type T
            T.n int
            T.s string
            // It is synced with the records.
            $ rec sync --root b
            $ rec save T z --root b --set new=1
            ! filesinki: z: The schema is locked and does not have the field 'T.new'. Correct the name, or unlock the schema and add it.
            = 2
            $ rec schema unlock --root a --json
            {"type":"schema","zone":"default","locked":false,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\ntype T\nT.n int\nT.s string\n","exit":0,"changed":true,"queued":false}
            $ rec save T x --root a --set new=1
            $ rec schema show --root a
            # The types and fields of records. A line for each field: TYPE.FIELD, the type
            # of its value, then any of queryable, sortable, searchable, and merge=RULE
            # unless the newest change wins.
            type T
            T.n int
            T.new string
            T.s string
            $ rec schema show --root a --db public
            # The types and fields of records. A line for each field: TYPE.FIELD, the type
            # of its value, then any of queryable, sortable, searchable, and merge=RULE
            # unless the newest change wins.
            $ rec schema show --root a --zone none
            ! filesinki: none: There is no zone of this name; nothing was changed. filesinki rec zones list --root WORLD/a --fresh lists the zones.
            = 1
            """#)
    }

    @Test("set adds a field, or changes how it is indexed and merged")
    func set() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set n:int=1
            $ rec schema set 'T.n int sortable queryable merge=sum' --root a --json
            {"type":"schema","zone":"default","locked":false,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\ntype T\nT.n int queryable sortable merge=sum\n","exit":0,"changed":true,"queued":false}
            $ rec schema set 'T.new string searchable' --root a
            $ rec schema show --root a
            # The types and fields of records. A line for each field: TYPE.FIELD, the type
            # of its value, then any of queryable, sortable, searchable, and merge=RULE
            # unless the newest change wins.
            type T
            T.n int queryable sortable merge=sum
            T.new string searchable
            $ rec schema set 'T.n string' --root a
            ! filesinki: T.n: The field has the type int, and records may have such values. Use another field, or change the type with rec schema import.
            = 2
            $ rec schema set 'T.n' --root a
            ! filesinki: Invalid schema, line 1, column 1: The type of the value is missing. Write TYPE.FIELD, the type, and any of queryable, sortable, searchable, merge=RULE.
            = 2
            $ rec schema set 'T.n int merge=greatest' --root a
            ! filesinki: Invalid schema, line 1, column 9: Unknown word: merge=greatest. Write TYPE.FIELD, the type, and any of queryable, sortable, searchable, merge=RULE.
            = 2
            $ rec schema set 'T.n int unique' --root a
            ! filesinki: Invalid schema, line 1, column 9: Unknown word: unique. Write TYPE.FIELD, the type, and any of queryable, sortable, searchable, merge=RULE.
            = 2
            $ rec schema set --root a
            ! filesinki: Missing expected argument '<line>'
            ! Help:  <line>  TYPE.FIELD TYPE, then queryable, sortable, searchable, merge=RULE.
            ! Usage: filesinki rec schema set [<options>] <line>
            !   See 'filesinki rec schema set --help' for more information.
            = 2
            $ rec schema show --root a
            # The types and fields of records. A line for each field: TYPE.FIELD, the type
            # of its value, then any of queryable, sortable, searchable, and merge=RULE
            # unless the newest change wins.
            type T
            T.n int queryable sortable merge=sum
            T.new string searchable
            """#)
    }

    @Test("import replaces the schema, and diff says what it would change")
    func importing() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=1
            $ write schema.txt T.s string queryable\nT.n int\n
            $ rec schema diff schema.txt --root a
            + T.n int
            - T.s string
            + T.s string queryable
            = 1
            $ rec schema diff schema.txt --root a --json
            {"type":"schema-diff","zone":"default","lines":["+ T.n int","- T.s string","+ T.s string queryable"]}
            = 1
            $ rec schema import schema.txt --root a --json
            {"type":"schema","zone":"default","locked":false,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\ntype T\nT.n int\nT.s string queryable\n","exit":0,"changed":true,"queued":false}
            $ rec schema diff schema.txt --root a
            $ rec schema diff schema.txt --root a --json
            {"type":"schema-diff","zone":"default","lines":[]}
            $ rec schema import schema.txt --root a --json
            {"type":"schema","zone":"default","locked":false,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\ntype T\nT.n int\nT.s string queryable\n","exit":0,"changed":false,"queued":false}
            $ rec schema show --root a
            # The types and fields of records. A line for each field: TYPE.FIELD, the type
            # of its value, then any of queryable, sortable, searchable, and merge=RULE
            # unless the newest change wins.
            type T
            T.n int
            T.s string queryable
            $ rec schema diff --root a < T.n int\n
            - T.s string queryable
            = 1
            $ rec schema import --root a < T.n\n
            ! filesinki: Invalid schema, line 1, column 1: The type of the value is missing. Write TYPE.FIELD, the type, and any of queryable, sortable, searchable, merge=RULE.
            = 2
            $ rec schema import none.txt --root a
            ! filesinki: none.txt: Cannot open the file: no such file or directory. Check the spelling.
            = 1
            $ rec schema diff none.txt --root a
            ! filesinki: none.txt: Cannot open the file: no such file or directory. Check the spelling.
            = 1
            $ rec schema import - --root a < T.m int\n
            $ rec schema show --root a
            # The types and fields of records. A line for each field: TYPE.FIELD, the type
            # of its value, then any of queryable, sortable, searchable, and merge=RULE
            # unless the newest change wins.
            type T
            T.m int
            $ rec get x --root a --fields s
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"1"}}}
            """#)
    }

    @Test("a schema that is not published is changed here; --wait exits with 75")
    func away() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ move store gone
            $ rec schema lock --root a
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ rec schema unlock --root a --wait
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ rec schema set 'T.n int' --root a --json
            {"type":"schema","zone":"default","locked":false,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\ntype T\nT.n int\n","exit":0,"changed":true,"queued":true,"away":{"type":"failure","path":"WORLD/store","code":"away","message":"The folder of the store was not found (unmounted?).","remedy":"Mount the disk or share that contains it, or set its new address with filesinki remote set URL. If it is lost, see filesinki help lost-store."}}
            $ rec schema show --root a
            # The types and fields of records. A line for each field: TYPE.FIELD, the type
            # of its value, then any of queryable, sortable, searchable, and merge=RULE
            # unless the newest change wins.
            type T
            T.n int
            """#)
    }
}
