extension Scene {
    /// Scenes of `rpc`: its input is a request on each line.
    static let ofRPC: [Scene] = [
        Scene(name: "rpc-methods", command: "rpc --root a", input: call("rpc.methods")),
        Scene(
            name: "rpc-kv", command: "rpc --root a",
            input: call("kv.set", #"{"key":"theme","value":"dark"}"#)
                + call("kv.get", #"{"key":"theme"}"#) + call("kv.get", #"{"key":"none"}"#)
                + call("kv.list") + call("kv.sync") + call("kv.delete", #"{"keys":["theme"]}"#)
                + call("kv.status")),
        Scene(
            name: "rpc-rec", command: "rpc --root a",
            input: call("rec.save", #"{"type":"Note","name":"n","fields":{"title":"Hello","n":3}}"#)
                + call("rec.get", #"{"names":["n"]}"#) + call("rec.get", #"{"names":["none"]}"#)
                + call(
                    "rec.save",
                    ##"{"type":"Note","name":"p","fields":{"f":{"type":"asset","value":{"file":"a/one"}}}}"##
                )
                + call("rec.export", #"{"name":"p","field":"f","to":"out"}"#)
                + call("rec.export", #"{"name":"p","field":"g","to":"out"}"#)
                + call("rec.delete", #"{"names":["p"]}"#)
                + call("rec.query", #"{"type":"Note","where":"n > 2"}"#)
                + call("rec.query", #"{"type":"Note","where":"n > 3"}"#)
                + call("rec.query", #"{"type":"Note","where":"n >"}"#)
                + call(
                    "rec.save", #"{"type":"Note","name":"n","if_tag":"1.0","policy":"unchanged"}"#)
                + call("rec.conflicts") + call("rec.conflicts", #"{"forget":["n"]}"#)
                + call(
                    "rec.batch",
                    #"{"operations":[{"op":"delete","name":"n"},{"op":"create","name":"m"}]}"#)
                + call("rec.delete", #"{"names":["n"]}"#) + call("rec.changes")
                + call("rec.sync") + call("rec.status")),
        Scene(
            name: "rpc-schema", command: "rpc --root a",
            input: call("rec.schema.import", #"{"text":"type Note\nNote.count int\n"}"#)
                + call("rec.schema.set", #"{"line":"Note.title string sortable"}"#)
                + call("rec.schema.set", #"{"line":"Note.count string"}"#)
                + call("rec.schema.diff", #"{"text":"type Note\nNote.count int sortable\n"}"#)
                + call("rec.schema.lock")
                + call("rec.save", #"{"type":"Note","name":"n","fields":{"other":3}}"#)
                + call("rec.schema.unlock") + call("rec.schema.show")
                + call("rec.schema.show", #"{"db":"public"}"#)),
        Scene(
            name: "rpc-zones", command: "rpc --root a",
            input: call("rec.zones.create", #"{"zone":"notes"}"#)
                + call("rec.zones.create", #"{"zone":"notes"}"#)
                + call("rec.zones.create", #"{"zone":"all","db":"public"}"#)
                + call("rec.zones.reset", #"{"zone":"notes"}"#)
                + call("rec.zones.delete", #"{"zone":"notes"}"#)
                + call("rec.zones.purge", #"{"zone":"all","db":"public"}"#)
                + call("rec.zones.list") + call("rec.zones.list", #"{"db":"public"}"#)
                + call("rec.zones.changes")),
        Scene(
            name: "rpc-conflicts", before: conflictBefore, command: "rpc --root b",
            input: call("conflicts.list")
                + call("conflicts.resolve", #"{"path":"one","take":"elsewhere"}"#)
                + call("conflicts.resolve", #"{"path":"one"}"#)
                + call("conflicts.resolve", #"{"path":"one","content":"both\n"}"#)
                + call("conflicts.list")
                + call("conflicts.resolve", #"{"path":"one","undo":true}"#)
                + call("conflicts.resolve", #"{"all":true,"take":"here"}"#)),
        Scene(
            name: "rpc-files", command: "rpc --root a",
            input: call("files.save", #"{"path":"three","content":"drei\n"}"#)
                + call("files.save", #"{"path":"four","content_base64":"/wA="}"#)
                + call("files.load", #"{"path":"three"}"#)
                + call("files.load", #"{"path":"four"}"#) + call("files.load", #"{"path":"none"}"#)
                + call("files.save", #"{"path":"three","content":"","if_version":0}"#)
                + call("files.export", #"{"path":"three","to":"out"}"#)
                + call("files.list", #"{"path":"three"}"#) + call("files.list", #"{"path":"none"}"#)
                + call("files.delete", #"{"path":"four"}"#) + call("sync")
                + call("files.status")),
        Scene(
            name: "rpc-errors", command: "rpc --root a",
            input: """
                {
                []
                {"jsonrpc":"2.0","id":1}
                {"jsonrpc":"2.0","id":2,"method":"kv.gett"}
                {"jsonrpc":"2.0","id":3,"method":"kv.get","params":{"kye":"a"}}
                [{"jsonrpc":"2.0","id":4,"method":"kv.get"},{"jsonrpc":"2.0","method":"kv.list"}]
                """),
    ]

    /// Both devices changed a file.
    private static let conflictBefore = [
        "write a/one from-a", "write b/one from-b", "sync a", "sync b",
    ]

    private static func call(_ method: String, _ parameters: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":"\#(method)","method":"\#(method)","params":\#(parameters)}"# + "\n"
    }
}
