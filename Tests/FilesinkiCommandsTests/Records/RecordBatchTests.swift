import FilesinkiCommands
import Testing

@Suite("rec batch")
struct RecordBatchTests {
    @Test("each operation has its result, with its number and the record's tag")
    func operations() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec batch --root a < {"op":"create","name":"x","type":"T","fields":{"s":"1","n":{"type":"int","value":3}}}\n\n \t\n{"op":"create","name":"y","type":"T","fields":{"s":"2"}}\n
            {"name":"x","created":true,"deleted":false,"tag":"1","op":1,"ok":true}
            {"name":"y","created":true,"deleted":false,"tag":"1","op":2,"ok":true}
            $ rec get x y --root a --fields s,n
            {"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":3},"s":{"type":"string","value":"1"}}}
            {"name":"y","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}}}
            $ rec batch --root a < {"op":"force-update","name":"x","fields":{"s":"3"}}
            {"name":"x","created":false,"deleted":false,"tag":"2","op":1,"ok":true}
            $ rec get x --root a --fields s,n
            {"name":"x","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":3},"s":{"type":"string","value":"3"}}}
            $ rec batch --root a < {"op":"force-replace","name":"x","type":"T","fields":{"s":"4"}}
            {"name":"x","created":false,"deleted":false,"tag":"3","op":1,"ok":true}
            $ rec get x --root a --fields s,n
            {"name":"x","type":"T","tag":"3","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"4"}}}
            $ rec batch --root a < {"op":"delete","name":"x"}\n{"op":"force-delete","name":"y"}\n{"op":"delete","name":"z"}
            {"name":"x","created":false,"deleted":true,"op":1,"ok":true}
            {"name":"y","created":false,"deleted":true,"op":2,"ok":true}
            {"name":"z","created":false,"deleted":false,"op":3,"ok":true}
            $ rec query T --root a
            = 1
            $ rec batch --root a
            """#)
    }

    @Test("create needs a new name, update and replace a record")
    func exists() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=1 --set t=1
            $ rec batch --root a < {"op":"create","name":"x","type":"T","fields":{"s":"2"}}
            {"name":"x","created":false,"deleted":false,"op":1,"ok":false,"code":"exists","message":"The record exists already.","remedy":"Update it, or choose another name."}
            = 5
            $ rec batch --root a < {"op":"update","name":"none","tag":"1","fields":{"s":"2"}}
            {"name":"none","created":false,"deleted":false,"op":1,"ok":false,"code":"not-found","message":"The record does not exist.","remedy":"Create it, or save it without requiring that it exists."}
            = 5
            $ rec batch --root a < {"op":"replace","name":"x","tag":"1","type":"T","fields":{"s":"2"}}
            {"name":"x","created":false,"deleted":false,"tag":"2","op":1,"ok":true}
            $ rec get x --root a --fields s,t
            {"name":"x","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}}}
            $ rec batch --root a < {"op":"update","name":"x","tag":"1","fields":{"s":"3"}}
            {"name":"x","created":false,"deleted":false,"op":1,"ok":false,"code":"conflict","conflict":{"type":"conflict","name":"x","reason":"tag","ancestor":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}}},"client":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"3"}}},"server":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}}}}}
            = 3
            $ rec batch --root a < {"op":"delete","name":"x","tag":"1"}
            {"name":"x","created":false,"deleted":false,"op":1,"ok":false,"code":"conflict","conflict":{"type":"conflict","name":"x","reason":"tag","ancestor":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}}},"client":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}}},"server":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"2"}}}}}
            = 3
            $ rec batch --root a < {"op":"force-delete","name":"x","tag":"1"}
            {"name":"x","created":false,"deleted":true,"op":1,"ok":true}
            $ rec get x --root a
            ! filesinki: x: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 1
            """#)
    }

    @Test("a line that is none names its number, and nothing is done")
    func wrong() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec batch --root a < {"op":"create","name":"x","type":"T"}\n{"op":"upsert","name":"y"}
            ! filesinki: upsert: Line 2: Unknown operation. Use create, update, replace, delete, force-update, force-replace, force-delete as op.
            = 2
            $ rec batch --root a < {"name":"y"}
            ! filesinki: Line 1: Unknown operation. Use create, update, replace, delete, force-update, force-replace, force-delete as op.
            = 2
            $ rec batch --root a < \n{"op":"create","type":"T","fields":{}}
            ! filesinki: Line 2: The operation has no name. Name the record with "name".
            = 2
            $ rec batch --root a < {"op":"update","name":"y","fields":{}}
            ! filesinki: y: Line 1: The operation needs the record's tag. Give the tag that rec get prints, or use force-update.
            = 2
            $ rec batch --root a < {"op":"replace","name":"y","fields":{}}
            ! filesinki: y: Line 1: The operation needs the record's tag. Give the tag that rec get prints, or use force-replace.
            = 2
            $ rec batch --root a < {"op":"create"
            ! filesinki: Line 1: Invalid JSON: line 1 ends too early. Correct it and try again.
            = 2
            $ rec batch --root a < {"op":"create","name":"_y","type":"T"}
            ! filesinki: _y: Line 1: A record name cannot begin with '_'. Use 1 to 255 printable characters of ASCII, and begin with another one than '_'.
            = 2
            $ rec batch --root a < {"op":"create","name":"y","type":"T","fields":{"f":{"type":"int","value":"x"}}}
            ! filesinki: f: Line 1: Invalid JSON, at byte 73: The field 'f' is of type int, the value is not. Correct it, or write the type: {"type":"int","value":3}.
            = 2
            $ rec batch --root a none.jsonl
            ! filesinki: none.jsonl: Cannot open the file: no such file or directory. Check the spelling.
            = 1
            $ rec get x --root a
            ! filesinki: x: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 1
            """#)
    }

    @Test("--atomic does all or nothing")
    func atomic() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ rec save T x --root a --set s=1
            $ write ops.jsonl {"op":"create","name":"y","type":"T","fields":{}}\n{"op":"create","name":"x","type":"T","fields":{}}\n
            $ rec batch ops.jsonl --atomic --root a
            {"name":"y","created":false,"deleted":false,"op":1,"ok":false,"code":"batch-failed","message":"batch-failed: another operation of the batch failed; nothing was changed.","remedy":"Correct the operation that failed, and send the batch again."}
            {"name":"x","created":false,"deleted":false,"op":2,"ok":false,"code":"exists","message":"The record exists already.","remedy":"Update it, or choose another name."}
            = 5
            $ rec get y --root a
            ! filesinki: y: The record does not exist. Check the name and the zone, or receive it with --fresh.
            = 1
            $ rec batch ops.jsonl --root a
            {"name":"y","created":true,"deleted":false,"tag":"2","op":1,"ok":true}
            {"name":"x","created":false,"deleted":false,"op":2,"ok":false,"code":"exists","message":"The record exists already.","remedy":"Update it, or choose another name."}
            = 5
            $ rec get y --root a --fields ''
            {"name":"y","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{}}
            """#)
    }

    @Test("a batch reads the files of assets, and standard input is the batch")
    func assets() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ write f.txt one\n
            $ rec batch --root a < {"op":"create","name":"x","type":"T","fields":{"f":{"type":"asset","value":{"file":"f.txt"}}}}
            {"name":"x","created":true,"deleted":false,"tag":"1","op":1,"ok":true}
            $ rec get x --asset f --root a
            one
            $ rec batch --root a < {"op":"create","name":"y","type":"T","fields":{"f":{"type":"asset","value":{"file":"-"}}}}
            ! filesinki: -: Line 1: Standard input can be read only once. Name a file in place of all but one -.
            = 2
            $ rec batch - --root a < {"op":"create","name":"y","type":"T","fields":{"f":{"type":"asset","value":{"file":"-"}}}}
            ! filesinki: -: Line 1: Standard input can be read only once. Name a file in place of all but one -.
            = 2
            """#)
    }

    @Test("a batch that is not published is done here; with --wait it exits with 75")
    func away() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ move store gone
            $ rec batch --root a < {"op":"create","name":"x","type":"T","fields":{}}
            {"name":"x","created":true,"deleted":false,"tag":"0+…","op":1,"ok":true}
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            $ rec batch --root a --wait < {"op":"create","name":"y","type":"T","fields":{}}
            {"name":"y","created":true,"deleted":false,"tag":"0+…","op":1,"ok":true}
            ! Saved here, not yet published. WORLD/store: The folder of the store was not found (unmounted?). Mount the disk or share that contains it, or set its new address with filesinki remote set --root WORLD/a URL. If it is lost, see filesinki help lost-store.
            = 75
            $ rec batch --root a --wait < {"op":"create","name":"x","type":"T","fields":{}}
            {"name":"x","created":false,"deleted":false,"op":1,"ok":false,"code":"exists","message":"The record exists already.","remedy":"Update it, or choose another name."}
            = 5
            """#)
    }
}
