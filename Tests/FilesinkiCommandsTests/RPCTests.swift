import FilesinkiCommands
import FilesinkiModel
import FilesinkiTesting
import Testing

@Suite("filesinki rpc")
struct RPCTests {
    /// Two replicas of one store.
    private func world() async throws -> World {
        let world = try await World.withStore()
        for name in ["a", "b"] {
            let made = try await world.run("init", name, "--remote", "store", "--device", name)
            try #require(made.code == .done, "\(made.talk)")
        }
        return world
    }

    private func result(_ line: String, id: Int = 1) throws -> String {
        let start = #"{"jsonrpc":"2.0","id":\#(id),"result":"#
        try #require(line.hasPrefix(start), "\(line)")
        return String(line.dropFirst(start.count).dropLast())
    }

    @Test(
        "A result is what the command prints",
        arguments: [
            ("kv.get", #"{"key":"n"}"#, "kv get n"),
            ("kv.get", #"{"key":"none","default":"x"}"#, "kv get none --default x"),
            ("kv.status", "{}", "kv status"),
            ("kv.status", #"{"store":"other"}"#, "kv status --store other"),
        ])
    func results(method: String, parameters: String, command: String) async throws {
        let world = try await world()
        _ = try await world.run("kv", "set", "n", "5", "--type", "int", "--root", "a")
        let words = command.split(separator: " ").map(String.init) + ["--json", "--root", "a"]
        let printed = try await world.run(bytes: words.map { Array($0.utf8) })
        #expect(try await result(world.call(method, parameters)) == printed.lines.last)
    }

    @Test func `values of every type, several at once and null make the round trip`() async throws {
        let world = try await world()
        let set = try await world.call(
            "kv.set",
            #"{"values":{"a=b":"c","-x":{"y":[1,2.5,true]},"":null}}"#)
        // An empty key is refused, and with it all others.
        #expect(set.contains(#""exitCode":2"#), "\(set)")
        let values = #"{"values":{"a=b":"-","-x":{"y":[1,2.5,true]}}}"#
        #expect(try await result(world.call("kv.set", values)).contains(#""keys":["a=b","-x"]"#))
        #expect(try await world.call("kv.get", #"{"key":"a=b"}"#).contains(#""value":"-""#))
        let dictionary = try await world.call("kv.get", #"{"key":"-x"}"#)
        #expect(dictionary.contains(#""value":{"y":[1,2.5,true]}"#), "\(dictionary)")
        let data = try await world.call("kv.set", #"{"key":"d","value":"AP8=","type":"data"}"#)
        #expect(data.contains(#""result""#), "\(data)")
        let found = try await world.call("kv.get", #"{"key":"d"}"#)
        #expect(found.contains(#""value_type":"data","value":"AP8=""#), "\(found)")
        _ = try await world.call("kv.set", #"{"key":"a=b","value":null}"#)
        let list = try await result(world.call("kv.list"))
        #expect(list.contains(#""key":"-x""#) && !list.contains("a=b"), "\(list)")
    }

    @Test func `a key that is not UTF-8 is given in hexadecimal, as it is printed`() async throws {
        let world = try await world()
        let set = try await world.call("kv.set", #"{"key_bytes":"ff00","value":1}"#)
        #expect(set.contains(#""key_bytes":"ff00""#), "\(set)")
        let list = try await world.call("kv.list")
        #expect(list.contains(#""key_bytes":"ff00""#), "\(list)")
        let found = try await world.call("kv.get", #"{"key_bytes":"ff00"}"#)
        #expect(found.contains(#""value":1"#), "\(found)")
    }

    @Test(
        "A call that is wrong is refused before anything is done",
        arguments: [
            ("kv.gett", "{}", -32601, "Did you mean 'kv.get'?"),
            ("kv.get", "{}", -32602, #"The parameter \"key\" is missing."#),
            ("kv.get", #"{"key":null}"#, -32602, #"The parameter \"key\" is null."#),
            ("kv.get", #"{"key":7}"#, -32602, #"The parameter \"key\" must be a string."#),
            ("kv.get", #"{"key":"\ud800"}"#, -32602, #"must be a string."#),
            ("kv.get", #"{"key_bytes":"f"}"#, -32602, "must be hexadecimal."),
            ("kv.get", #"{"key":"a","stor":"x"}"#, -32602, "Did you mean 'store'?"),
            ("kv.get", #"{"key":"a","root":"/"}"#, -32602, "has no parameter"),
            ("kv.set", #"{"key":"a"}"#, -32602, "Give either key and value, or values."),
            ("kv.set", #"{"key":"a","value":1,"values":{}}"#, -32602, "Give either"),
            ("kv.set", #"{"values":[1]}"#, -32602, "must be an object."),
            ("kv.set", #"{"values":{"a":1,"a":2}}"#, -32602, "occurs twice."),
            ("kv.set", #"{"key":"a","value":1,"wait":"yes"}"#, -32602, "must be true or false."),
            ("kv.delete", "{}", -32602, "Give a key, or keys."),
            ("kv.delete", #"{"keys":"a"}"#, -32602, "must be a list."),
        ])
    func refused(method: String, parameters: String, code: Int, message: String) async throws {
        let answer = try await world().call(method, parameters)
        #expect(answer.contains(#""error":{"code":\#(code),"#), "\(answer)")
        #expect(answer.contains(message), "\(answer)")
    }

    @Test(
        "logs, limits and subscriptions are read and set by calls",
        arguments: [
            [
                ("kv.quota", "{}", #""max_keys":1024"#),
                ("kv.log", #"{"key":"k"}"#, #""result":[]"#),
                ("kv.set", #"{"key":"k","value":7}"#, #""keys":["k"]"#),
                ("kv.export", "{}", #"{"type":"exported","keys":1,"text":"{\"values\":[\n"#),
                ("kv.export", #"{"format":"plist"}"#, #"<key>k</key>"#),
                ("kv.export", #"{"format":"xml"}"#, #""exitCode":2"#),
            ],
            [("rec.log", #"{"name":"n"}"#, #""result":[]"#)],
            [
                (
                    "rec.subscribe.add",
                    #"{"subscription":"s","query":"Note","on":["create"],"once":true}"#,
                    #""subscription":"s","zone":"default","query":"Note""#
                ),
                ("rec.subscribe.list", "{}", #""on":["create"],"once":true,"fired":false"#),
                ("rec.subscribe.rm", #"{"subscription":"s"}"#, #""result":[]"#),
                ("rec.subscribe.list", "{}", #""result":[]"#),
                ("rec.subscribe.rm", #"{"subscription":"s"}"#, #""code":"not-found""#),
            ],
        ])
    func readings(_ calls: [(String, String, String)]) async throws {
        let world = try await world()
        for (method, parameters, part) in calls {
            let answer = try await world.call(method, parameters)
            #expect(answer.contains(part), "\(answer)")
        }
    }

    @Test func `a failure has the exit code, path and remedy of the command`() async throws {
        let world = try await world()
        let answer = try await world.call("kv.get", #"{"key":"none"}"#)
        #expect(
            answer.hasSuffix(
                #""data":{"exitCode":1,"code":"not-found","path":"none","#
                    + #""cause":"The key has no value here.","#
                    + #""remedy":"Set it with kv set, or give a --default."}}}"#), "\(answer)")
        let long = String(repeating: "k", count: 100)
        let refused = try await world.call("kv.set", #"{"key":"\#(long)","value":1}"#)
        #expect(refused.contains(#""exitCode":2,"code":"usage","path":"\#(long)""#), "\(refused)")
    }

    @Test func `a zone that stays open follows the replica to another address`() async throws {
        let world = try await world()
        let rpc = try RunningRPC(in: world, root: "a")
        try await rpc.request(1, "kv.set", #"{"key":"n","value":1}"#)
        #expect(try await rpc.next().contains(#""queued":false"#))
        world.rename("store", to: "elsewhere")
        let moved = try await world.run("remote", "set", "elsewhere", "--root", "a")
        try #require(moved.code == .done, "\(moved.talk)")
        // At the former address there is nothing any more.
        try await rpc.request(2, "kv.set", #"{"key":"n","value":2}"#)
        let answer = try await rpc.next()
        #expect(answer.contains(#""queued":false"#), "\(answer)")
        await rpc.end()
    }

    @Test func `zones that stay open between calls are closed with the program`() async throws {
        let world = try await world()
        let answers = try await world.rpc(
            #"{"jsonrpc":"2.0","id":1,"method":"kv.set","params":{"key":"n","value":1}}"#,
            #"{"jsonrpc":"2.0","id":2,"method":"rec.save","params":{"type":"T","fields":{"n":1}}}"#)
        #expect(answers.count == 2, "\(answers)")
        #expect(answers.allSatisfy { $0.contains(#""result":"#) }, "\(answers)")
        for folder in ["kv", "rec"] {
            // SQLite removes the log of a database that is closed.
            let isClosed = try await eventually(seconds: 20) {
                !world.names(in: "a/.filesinki/" + folder).contains("default.sqlite-wal")
            }
            #expect(isClosed, "\(world.names(in: "a/.filesinki/" + folder))")
            #expect(world.read("a/.filesinki/\(folder)/default.sqlite") != nil)
        }
    }

    @Test func `a watch reports what others change, until it is cancelled`() async throws {
        let world = try await world()
        let rpc = try RunningRPC(in: world, root: "a")
        try await rpc.request(1, "kv.watch", #"{"values":true}"#)
        #expect(
            try await rpc.next() == #"{"jsonrpc":"2.0","id":1,"result":{"type":"watch","watch":1}}"#
        )
        // Its own change is not reported, but the other's.
        try await rpc.request(2, "kv.set", #"{"key":"mine","value":1}"#)
        _ = try await rpc.next()
        _ = try await world.run("kv", "set", "theirs", "2", "--type", "int", "--root", "b")
        let event = try await rpc.next()
        #expect(
            event.hasPrefix(
                #"{"jsonrpc":"2.0","method":"kv.changed","params":{"watch":1,"event":{"#),
            "\(event)")
        #expect(event.contains(#""keys":["theirs"],"values":{"theirs":2}"#), "\(event)")
        try await rpc.request(3, "rpc.cancel", #"{"watch":1}"#)
        #expect(try await rpc.next().contains(#""cancelled":true"#))
        try await rpc.request(4, "rpc.cancel", #"{"watch":1}"#)
        #expect(try await rpc.next().contains(#""cancelled":false"#))
        await rpc.end()
    }

    @Test func `a sync tells its progress to a client that asks for it`() async throws {
        let world = try await world()
        try world.write("one", to: "a/one")
        let calls = ["true", "false"].map {
            #"{"jsonrpc":"2.0","id":"\#($0)","method":"sync","params":{"progress":\#($0)}}"# + "\n"
        }
        let outcome = try await world.run("rpc", "--root", "a", input: Array(calls.joined().utf8))
        let told = outcome.lines.dropLast(2)
        let notification = #"{"jsonrpc":"2.0","method":"rpc.progress","params":{"id":"true","#
        #expect(
            !told.isEmpty
                && told.allSatisfy { $0.hasPrefix(notification + #""progress":{"phase":""#) },
            "\(outcome.lines)")
        let answers = outcome.lines.suffix(2).map { String($0.prefix { $0 != "[" }) }
        #expect(
            answers == ["true", "false"].map { #"{"jsonrpc":"2.0","id":"\#($0)","result":"# })
    }

    @Test func `a watch whose token has expired says so, and ends`() async throws {
        let world = try await world()
        let rpc = try RunningRPC(in: world, root: "a")
        try await rpc.request(1, "kv.watch", #"{"since":"nonsense"}"#)
        #expect(try await rpc.next().contains(#""exitCode":2"#))
        await rpc.end()
    }

    @Test func `the program ends with its input`() async throws {
        let world = try await world()
        #expect(try await world.rpc() == [])
        let outcome = try await world.run("rpc", "--root", "none", input: [])
        #expect(outcome.code == .negative, "\(outcome)")
    }

    @Test func `FL-05: the calls of icloud_kv_storage have a method each`() async throws {
        let world = try await GoldenTests.pair()
        // write, read, delete and the callback of the Dart package, with the prefix of its preferences.
        let calls = [
            ("kv.set", #"{"prefix":"flutter.","key":"theme","value":"dark"}"#),
            ("kv.get", #"{"prefix":"flutter.","key":"theme"}"#),
            ("kv.get", #"{"prefix":"flutter.","key":"none"}"#),
            ("kv.set", #"{"prefix":"flutter.","key":"theme","value":null}"#),
            ("kv.get", #"{"prefix":"flutter.","key":"theme"}"#),
            ("kv.set", #"{"prefix":"flutter.","key":"","value":"lost"}"#),
            ("kv.set", #"{"prefix":"flutter.","key":"size","value":12}"#),
            ("kv.delete", #"{"prefix":"flutter.","key":"size"}"#),
            ("kv.delete", #"{"prefix":"flutter.","key":"size"}"#),
            ("kv.list", #"{"prefix":"flutter."}"#),
        ]
        let requests = calls.enumerated().map { index, call in
            #"{"jsonrpc":"2.0","id":\#(index + 1),"method":"\#(call.0)","params":\#(call.1)}"#
        }
        let input = requests.map { $0 + "\n" }.joined()
        let outcome = try await world.run("rpc", "--root", "a", input: Array(input.utf8))
        #expect(outcome.code == .done)
        let transcript = zip(requests, outcome.lines).map { "> \($0)\n< \($1)\n" }.joined()
        try Golden(name: "rpc-flutter.txt").expect(world.stripped(transcript))
    }
}
