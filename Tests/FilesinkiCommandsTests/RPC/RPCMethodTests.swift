import FilesinkiCommands
import Testing

@Suite("methods of filesinki rpc")
struct RPCMethodTests {
    @Test("the methods of keys and values answer as the commands do")
    func values() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ call kv.set {"key":"n","value":5,"merge":"max"}
            "result":{"type":"values","exit":0,"store":"default","keys":["n"],"queued":false,"sequence":1,"changed":[]}
            $ call kv.set {"key":"n","value":3,"add":true}
            "result":{"type":"values","exit":0,"store":"default","keys":["n"],"queued":false,"sequence":2,"changed":[]}
            $ call kv.set {"values":{"a":true,"b":[1]},"store":"work"}
            "result":{"type":"values","exit":0,"store":"work","keys":["a","b"],"queued":false,"sequence":1,"changed":[]}
            $ call kv.get {"key":"n"}
            "result":{"type":"value","default":false,"key":"n","value_type":"int","value":8,"merge":"sum","time":"…","device_id":"…"}
            $ call kv.get {"key":"b","store":"work"}
            "result":{"type":"value","default":false,"key":"b","value_type":"array","value":[1],"merge":"newest","time":"…","device_id":"…"}
            $ call kv.get {"key":"n","type":"string"}
            "error":{"code":-32000,"message":"n: The value is of the type int, not string. Ask for int, or set it again.","data":{"exitCode":2,"code":"usage","path":"n","cause":"The value is of the type int, not string.","remedy":"Ask for int, or set it again."}}
            $ call kv.get {"key":"none","default":"7","type":"int"}
            "result":{"type":"value","default":true,"key":"none","value_type":"int","value":7}
            $ call kv.list
            "result":[{"type":"value","key":"n","value_type":"int","value":8,"merge":"sum","time":"…","device_id":"…"}]
            $ call kv.list {"store":"work"}
            "result":[{"type":"value","key":"a","value_type":"bool","value":true,"merge":"newest","time":"…","device_id":"…"},{"type":"value","key":"b","value_type":"array","value":[1],"merge":"newest","time":"…","device_id":"…"}]
            $ call kv.list {"prefix":"x"}
            "result":[]
            $ call kv.status {"store":"work"}
            "result":{"type":"status","store":"work","keys":2,"bytes":9,"pending":[],"off":false,"sequence":1,"token":"…-1","changed":"…","reason":"local","changed_keys":["a","b"]}
            $ call kv.quota
            "result":{"type":"quota","store":"default","keys":1,"max_keys":1024,"bytes":8,"max_bytes":1048576,"max_value_bytes":1048576,"max_key_bytes":64,"over":false}
            $ call kv.sync
            "result":{"type":"exchange","exit":0,"store":"default","sequence":2,"changed":[],"published":[],"superseded":[],"over":false}
            $ call kv.sync {"initial":"best"}
            "error":{"code":-32000,"message":"best: Invalid choice for the first sync. Use server, local or newest.","data":{"exitCode":2,"code":"usage","path":"best","cause":"Invalid choice for the first sync.","remedy":"Use server, local or newest."}}
            $ call kv.sync {"pull_only":true,"push_only":true}
            "error":{"code":-32000,"message":"--push-only: Only one of --pull-only and --push-only is possible. Leave both out to receive and send.","data":{"exitCode":2,"code":"usage","path":"--push-only","cause":"Only one of --pull-only and --push-only is possible.","remedy":"Leave both out to receive and send."}}
            $ call kv.log {"key":"n"}
            "result":[]
            $ call kv.delete {"keys":["n","none"]}
            "result":{"type":"values","exit":0,"store":"default","keys":["n"],"queued":false,"sequence":3,"changed":[]}
            $ call kv.delete {"key":"n"}
            "result":{"type":"values","exit":1,"store":"default","keys":[],"queued":false,"sequence":3,"changed":[]}
            $ call kv.set {"key":"x","value":1,"db":"public"}
            "result":{"type":"values","exit":0,"store":"default","db":"public","keys":["x"],"queued":false,"sequence":1,"changed":[]}
            $ call kv.get {"key":"x","db":"public"}
            "result":{"type":"value","default":false,"key":"x","db":"public","value_type":"int","value":1,"merge":"newest","time":"…","device_id":"…"}
            $ call kv.get {"key":"x","db":"mine"}
            "error":{"code":-32000,"message":"mine: Unknown database. Use private, public or shared-NAME, where NAME has 1 to 40 of the characters a-z 0-9 _.","data":{"exitCode":2,"code":"usage","path":"mine","cause":"Unknown database.","remedy":"Use private, public or shared-NAME, where NAME has 1 to 40 of the characters a-z 0-9 _."}}
            """#)
    }

    @Test("a value of a call keeps the type of the key where it can")
    func types() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ call kv.set {"key":"d","value":"2.5","type":"double"}
            "result":{"type":"values","exit":0,"store":"default","keys":["d"],"queued":false,"sequence":1,"changed":[]}
            $ call kv.set {"key":"d","value":3}
            "result":{"type":"values","exit":0,"store":"default","keys":["d"],"queued":false,"sequence":2,"changed":[]}
            $ call kv.get {"key":"d"}
            "result":{"type":"value","default":false,"key":"d","value_type":"double","value":3.0,"merge":"newest","time":"…","device_id":"…"}
            $ call kv.set {"key":"t","value":"2024-05-01T09:30:00.250Z","type":"date"}
            "result":{"type":"values","exit":0,"store":"default","keys":["t"],"queued":false,"sequence":3,"changed":[]}
            $ call kv.get {"key":"t"}
            "result":{"type":"value","default":false,"key":"t","value_type":"date","value":"2024-05-01T09:30:00.250Z","merge":"newest","time":"…","device_id":"…"}
            $ call kv.set {"key":"u","value":"no","type":"url"}
            "error":{"code":-32000,"message":"no: Invalid value of type url. Write it with its scheme, as https://example.org.","data":{"exitCode":2,"code":"usage","path":"no","cause":"Invalid value of type url.","remedy":"Write it with its scheme, as https://example.org."}}
            $ call kv.set {"key":"t","value":1,"type":"date"}
            "error":{"code":-32000,"message":"1: Invalid value of type date. Write it as 2024-05-01T09:30:00.250Z, or 2024-05-01 11:30.","data":{"exitCode":2,"code":"usage","path":"1","cause":"Invalid value of type date.","remedy":"Write it as 2024-05-01T09:30:00.250Z, or 2024-05-01 11:30."}}
            $ call kv.set {"key":"i","value":9223372036854775807}
            "result":{"type":"values","exit":0,"store":"default","keys":["i"],"queued":false,"sequence":4,"changed":[]}
            $ call kv.get {"key":"i"}
            "result":{"type":"value","default":false,"key":"i","value_type":"int","value":9223372036854775807,"merge":"newest","time":"…","device_id":"…"}
            $ call kv.set {"key":"i","value":null}
            "result":{"type":"values","exit":0,"store":"default","keys":["i"],"queued":false,"sequence":5,"changed":[]}
            $ call kv.get {"key":"i"}
            "error":{"code":-32000,"message":"i: The key has no value here. Set it with kv set, or give a --default.","data":{"exitCode":1,"code":"not-found","path":"i","cause":"The key has no value here.","remedy":"Set it with kv set, or give a --default."}}
            """#)
    }

    @Test("the methods of records answer as the commands do")
    func records() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ call rec.save {"type":"T","name":"x","fields":{"s":"one","n":{"type":"int","value":3}}}
            "result":{"name":"x","created":true,"deleted":false,"tag":"1","type":"save","exit":0,"zone":"default","queued":false}
            $ call rec.get {"name":"x"}
            "error":{"code":-32602,"message":"Did you mean 'names'? The method rec.get has no parameter \"name\"."}
            $ call rec.get {"names":["x"],"fields":["s"]}
            "result":[{"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"one"}}}]
            $ call rec.get {"names":["x","none"],"fields":[]}
            "error":{"code":-32000,"message":"none: The record does not exist. Check the name and the zone, or receive it with --fresh.","data":{"exitCode":5,"code":"not-found","path":"none","cause":"The record does not exist.","remedy":"Check the name and the zone, or receive it with --fresh.","printed":[{"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{}}]}}
            $ call rec.get {"names":["none"]}
            "error":{"code":-32000,"message":"none: The record does not exist. Check the name and the zone, or receive it with --fresh.","data":{"exitCode":1,"code":"not-found","path":"none","cause":"The record does not exist.","remedy":"Check the name and the zone, or receive it with --fresh."}}
            $ call rec.query {"type":"T","where":"n > 2","fields":["n"]}
            "result":[{"name":"x","type":"T","tag":"1","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"n":{"type":"int","value":3}}}]
            $ call rec.query {"type":"T","where":"n > 3"}
            "result":[]
            $ call rec.query {"type":"T","where":"n >"}
            "error":{"code":-32000,"message":"Invalid predicate, column 4: It ends where a value is expected. Correct it; filesinki help predicates lists the forms.","data":{"exitCode":2,"code":"usage","cause":"Invalid predicate, column 4: It ends where a value is expected.","remedy":"Correct it; filesinki help predicates lists the forms."}}
            $ call rec.save {"type":"T","name":"x","fields":{"s":"two"},"replace":true}
            "result":{"name":"x","created":false,"deleted":false,"tag":"2","type":"save","exit":0,"zone":"default","queued":false}
            $ call rec.get {"names":["x"],"fields":["s","n"]}
            "result":[{"name":"x","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"two"}}}]
            $ call rec.save {"type":"T","name":"x","fields":{"s":"three"},"if_tag":"1"}
            "error":{"code":-32000,"message":"x: The record has another change tag; nothing was changed. See filesinki rec get x, and save it again.","data":{"exitCode":3,"code":"conflict","path":"x","cause":"The record has another change tag; nothing was changed.","remedy":"See filesinki rec get x, and save it again.","reason":"tag","ancestor":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"two"}}},"client":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"three"}}},"server":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"two"}}},"printed":[{"type":"conflict","name":"x","reason":"tag","ancestor":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"two"}}},"client":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"three"}}},"server":{"name":"x","type":"T","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"two"}}}}]}}
            $ call rec.changes {"fields":["s"]}
            "result":[{"name":"x","type":"T","tag":"2","zone":"default","created":{"time":"…","device":"…"},"modified":{"time":"…","device":"…"},"fields":{"s":{"type":"string","value":"two"}},"change":"saved"},{"token":"…-2","more":false}]
            $ call rec.changes {"since":"TOKEN"}
            "result":[{"token":"…-2","more":false}]
            $ call rec.changes {"since":"soon"}
            "error":{"code":-32000,"message":"soon: Invalid token. Give one that an earlier command printed.","data":{"exitCode":2,"code":"usage","path":"soon","cause":"Invalid token.","remedy":"Give one that an earlier command printed."}}
            $ call rec.batch {"operations":[{"op":"create","name":"y","type":"T","fields":{}},{"op":"create","name":"x","type":"T","fields":{}}]}
            "result":[{"name":"y","created":true,"deleted":false,"tag":"3","op":1,"ok":true},{"name":"x","created":false,"deleted":false,"op":2,"ok":false,"code":"exists","message":"The record exists already.","remedy":"Update it, or choose another name."}]
            $ call rec.batch {"operations":[{"op":"create","name":"z","type":"T","fields":{}},{"op":"create","name":"x","type":"T","fields":{}}],"atomic":true}
            "result":[{"name":"z","created":false,"deleted":false,"op":1,"ok":false,"code":"batch-failed","message":"batch-failed: another operation of the batch failed; nothing was changed.","remedy":"Correct the operation that failed, and send the batch again."},{"name":"x","created":false,"deleted":false,"op":2,"ok":false,"code":"exists","message":"The record exists already.","remedy":"Update it, or choose another name."}]
            $ call rec.delete {"names":["y"]}
            "result":[{"name":"y","created":false,"deleted":true,"type":"delete","exit":0,"queued":false}]
            $ call rec.delete {"names":["y"],"strict":true}
            "result":[{"name":"y","created":false,"deleted":false,"type":"delete","exit":1,"queued":false}]
            $ call rec.status
            "result":{"type":"status","zone":"default","state":"live","generation":1,"bytes":…,"pending":[],"conflicts":0,"sequence":4,"token":"…-4"}
            $ call rec.sync
            "result":{"type":"exchange","exit":0,"zone":"default","sequence":4,"changed":[],"published":[],"superseded":[],"conflicts":[],"notices":[{"type":"phase","phase":"fetching","zone":"default"},{"type":"phase","phase":"fetched","zone":"default"}]}
            $ call rec.conflicts
            "result":[]
            $ call rec.conflicts {"forget":["x"]}
            "result":[]
            """#)
    }

    @Test("the methods of schemas and zones answer as the commands do")
    func schemas() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ call rec.schema.set {"line":"T.n int sortable"}
            "result":{"type":"schema","zone":"default","locked":false,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\ntype T\nT.n int sortable\n","exit":0,"changed":true,"queued":false}
            $ call rec.schema.show
            "result":{"type":"schema","zone":"default","locked":false,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\ntype T\nT.n int sortable\n"}
            $ call rec.schema.lock
            "result":{"type":"schema","zone":"default","locked":true,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\nlocked\ntype T\nT.n int sortable\n","exit":0,"changed":true,"queued":false}
            $ call rec.schema.unlock
            "result":{"type":"schema","zone":"default","locked":false,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\ntype T\nT.n int sortable\n","exit":0,"changed":true,"queued":false}
            $ call rec.schema.diff {"text":"T.m int\n"}
            "result":{"type":"schema-diff","zone":"default","lines":["+ T.m int","- T.n int sortable"]}
            $ call rec.schema.import {"text":"T.m int\n"}
            "result":{"type":"schema","zone":"default","locked":false,"text":"# The types and fields of records. A line for each field: TYPE.FIELD, the type\n# of its value, then any of queryable, sortable, searchable, and merge=RULE\n# unless the newest change wins.\ntype T\nT.m int\n","exit":0,"changed":true,"queued":false}
            $ call rec.schema.import {"text":"T.m\n"}
            "error":{"code":-32000,"message":"Invalid schema, line 1, column 1: The type of the value is missing. Write TYPE.FIELD, the type, and any of queryable, sortable, searchable, merge=RULE.","data":{"exitCode":2,"code":"usage","cause":"Invalid schema, line 1, column 1: The type of the value is missing.","remedy":"Write TYPE.FIELD, the type, and any of queryable, sortable, searchable, merge=RULE."}}
            $ call rec.zones.list
            "result":[{"type":"zone","zone":"default","state":"live","live":true,"generation":1,"pending":0}]
            $ call rec.zones.create {"zone":"work"}
            "result":{"type":"zone","zone":"work","state":"live","live":true,"generation":1,"time":"…","device":"a","exit":0,"queued":false}
            $ call rec.zones.create {"zone":"work"}
            "error":{"code":-32000,"message":"work: The zone exists. Use it, or choose another name.","data":{"exitCode":1,"code":"exists","path":"work","cause":"The zone exists.","remedy":"Use it, or choose another name."}}
            $ call rec.zones.delete {"zone":"work"}
            "result":{"type":"zone","zone":"work","state":"deleted","live":false,"generation":2,"time":"…","device":"a","exit":0,"queued":false}
            $ call rec.zones.reset {"zone":"work"}
            "error":{"code":-32000,"message":"work: The zone is deleted already. To use it again, run filesinki rec zones create work.","data":{"exitCode":1,"code":"not-found","path":"work","cause":"The zone is deleted already.","remedy":"To use it again, run filesinki rec zones create work."}}
            $ call rec.zones.list
            "result":[{"type":"zone","zone":"default","state":"live","live":true,"generation":1,"pending":0},{"type":"zone","zone":"work","state":"deleted","live":false,"generation":2,"time":"…","device":"a","pending":0}]
            $ call rec.zones.changes
            "result":[{"zone":"default","change":"created"},{"zone":"work","change":"deleted"},{"token":"zones,default=…-0.1,work=…-0.2x","more":false}]
            """#)
    }

    @Test("the methods of files answer as the commands do")
    func files() async throws {
        try await ReplicaTests.pair().follow(
            #"""
            $ call files.save {"path":"new","content":"text\n"}
            "result":{"type":"saved","exit":0,"path":"new","version":2,"queued":false,"differs":false,"conflict_copies":[],"kind":"file","mode":"…","modified":"…","size":5,"content":"…"}
            $ show a/new
            text
            $ call files.load {"path":"new"}
            "result":{"type":"loaded","path":"new","version":2,"kind":"file","mode":"…","modified":"…","size":5,"content":"…","text":"text\n"}
            $ call files.save {"path":"bytes","content_base64":"AP8="}
            "result":{"type":"saved","exit":0,"path":"bytes","version":3,"queued":false,"differs":false,"conflict_copies":[],"kind":"file","mode":"…","modified":"…","size":2,"content":"…"}
            $ call files.load {"path":"bytes"}
            "result":{"type":"loaded","path":"bytes","version":3,"kind":"file","mode":"…","modified":"…","size":2,"content":"…","base64":"AP8="}
            $ write from.txt from\n
            $ call files.save {"path":"from","from":"WORLD/from.txt"}
            "result":{"type":"saved","exit":0,"path":"from","version":4,"queued":false,"differs":false,"conflict_copies":[],"kind":"file","mode":"…","modified":"…","size":5,"content":"…"}
            $ call files.export {"path":"from","to":"WORLD/to.txt"}
            "result":{"type":"loaded","path":"from","version":4,"kind":"file","mode":"…","modified":"…","size":5,"content":"…"}
            $ show to.txt
            from
            $ call files.load {"path":"none"}
            "error":{"code":-32000,"message":"none: No such file or folder. List the files with filesinki ls.","data":{"exitCode":1,"code":"not-found","path":"none","cause":"No such file or folder.","remedy":"List the files with filesinki ls."}}
            $ call files.save {"path":"new"}
            "error":{"code":-32602,"message":"Give one of content, content_base64 and from."}
            $ call files.save {"path":"new","content":"a","content_base64":"AA=="}
            "error":{"code":-32602,"message":"Give one of content and content_base64."}
            $ call files.save {"path":"new","content_base64":"A"}
            "error":{"code":-32602,"message":"The parameter \"content_base64\" must be base 64."}
            $ call files.save {"path":"../new","content":"a"}
            "error":{"code":-32000,"message":"../new: The path has . or .. in it. Use a path below the root, such as notes/a.txt.","data":{"exitCode":2,"code":"bad-path","path":"../new","cause":"The path has . or .. in it.","remedy":"Use a path below the root, such as notes/a.txt."}}
            $ call files.delete {"path":"bytes"}
            "result":[{"type":"step","path":"bytes","action":"publish-deletion","reason":"deleted","text":"deleted"},{"type":"result","exit":0,"plan":"…","dry_run":false,"sequence":5,"steps":1,"published_commits":1,"sent_bytes":…,"received_bytes":0,"conflict_copies":0,"conflicts":0,"problems":0,"queued":false,"has_remote":true}]
            $ call files.delete {"path":"bytes"}
            "error":{"code":-32000,"message":"bytes: No such file or folder. List the files with filesinki ls.","data":{"exitCode":1,"code":"not-found","path":"bytes","cause":"No such file or folder.","remedy":"List the files with filesinki ls."}}
            $ call files.list
            "result":[{"type":"entry","path":"from","version":4,"kind":"file","mode":"…","modified":"…","size":5,"content":"…"},{"type":"entry","path":"new","version":2,"kind":"file","mode":"…","modified":"…","size":5,"content":"…"},{"type":"entry","path":"one","version":1,"kind":"file","mode":"…","modified":"…","size":4,"content":"…"},{"type":"entry","path":"sub","version":1,"kind":"directory","mode":"…","modified":"…"},{"type":"entry","path":"sub/two","version":1,"kind":"file","mode":"…","modified":"…","size":4,"content":"…"}]
            $ call files.list {"path":"sub"}
            "result":[{"type":"entry","path":"sub","version":1,"kind":"directory","mode":"…","modified":"…"},{"type":"entry","path":"sub/two","version":1,"kind":"file","mode":"…","modified":"…","size":4,"content":"…"}]
            $ call files.status
            "result":{"type":"status","exit":0,"root":"WORLD/a","device":"a","device_id":"…","remote":"WORLD/store","store":"…","sequence":5,"last_success":"…","stale":false,"paths":5,"files":4,"bytes":18,"pending":[],"changed":[],"incoming":[],"conflicts":0,"uploaded_bytes":0}
            $ call conflicts.list
            "result":[]
            $ call conflicts.resolve {"path":"new","take":"here"}
            "error":{"code":-32000,"message":"new: No open conflict was found. See the open ones with filesinki conflicts.","data":{"exitCode":1,"code":"not-found","path":"new","cause":"No open conflict was found.","remedy":"See the open ones with filesinki conflicts."}}
            $ call conflicts.resolve {"path":"new"}
            "error":{"code":-32602,"message":"Give one of take, content, content_base64 and undo."}
            $ call sync
            "result":[{"type":"result","exit":0,"plan":"…","dry_run":false,"sequence":5,"steps":0,"published_commits":0,"sent_bytes":…,"received_bytes":0,"conflict_copies":0,"conflicts":0,"problems":0,"queued":false,"has_remote":true}]
            $ call sync {"dry_run":true}
            "result":[{"type":"result","exit":0,"plan":"…","dry_run":true,"sequence":5,"steps":0,"published_commits":0,"sent_bytes":…,"received_bytes":0,"conflict_copies":0,"conflicts":0,"problems":0,"queued":false,"has_remote":true}]
            """#)
    }
}
