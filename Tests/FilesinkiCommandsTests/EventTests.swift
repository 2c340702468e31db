import FilesinkiCommands
import FilesinkiDirectory
import FilesinkiTesting
import Testing

@Suite("observe and changes")
struct EventTests {
    private static let author =
        #""time":"*","device":"a","device_id":"*","own":false,"applied":true"#
    private static let file = #""kind":"file","mode":"0644","modified":"*","size":4,"content":"*""#
    private static let token = #""token":"*"}"#

    /// The token behind everything there is now.
    private func now(_ world: World, root: String = "b") async throws -> String {
        let outcome = try await world.run("changes", "--root", root)
        try #require(outcome.code == .done, "\(outcome.talk)")
        return try #require(outcome.lines.last.flatMap { value(of: "token", in: $0) })
    }

    private func value(of member: String, in line: String) -> String? { line.value(of: member) }

    /// A line without what is another one each time.
    private static func masked(_ line: String) -> String {
        ["time", "device_id", "modified", "content", "token"].reduce(line) { line, member in
            guard let value = line.value(of: member) else { return line }
            return line.split(
                separator: "\"\(member)\":\"\(value)\"", omittingEmptySubsequences: false
            ).joined(separator: "\"\(member)\":\"*\"")
        }
    }

    @Test("changes without --since prints the current token and nothing else")
    func token() async throws {
        let world = try await ReplicaTests.pair()
        let outcome = try await world.run("changes", "--root", "b")
        #expect(outcome.code == .done)
        #expect(outcome.lines.map(Self.masked) == [#"{"type":"token","version":1,"token":"*"}"#])
        #expect(outcome.talk.isEmpty)
    }

    @Test("the lines match Docs/Events.md")
    func golden() async throws {
        let world = try await ReplicaTests.pair()
        let since = try await now(world)
        try world.write("new\n", to: "a/sub/three")
        try world.write("odd\n", to: "a/name\nof two lines")
        world.remove("a/one")
        world.rename("a/sub/two", to: "a/sub/2")
        _ = try await world.run("sync", "a")
        let outcome = try await world.run("observe", "--root", "b", "--since", since, "--once")
        #expect(outcome.code == .done)
        let events = outcome.lines.dropFirst().dropLast().map(Self.masked).sorted()
        #expect(
            events
                == [
                    #"{"type":"changed","path":"name\nof two lines","version":2,\#(Self.author),\#(Self.file),\#(Self.token)"#,
                    #"{"type":"changed","path":"sub/2","version":2,\#(Self.author),"moved_from":"sub/two",\#(Self.file),\#(Self.token)"#,
                    #"{"type":"changed","path":"sub/three","version":2,\#(Self.author),\#(Self.file),\#(Self.token)"#,
                    #"{"type":"deleted","path":"one","version":2,\#(Self.author),\#(Self.token)"#,
                    #"{"type":"deleted","path":"sub/two","version":2,\#(Self.author),\#(Self.token)"#,
                ])
        #expect(
            outcome.lines.first.map(Self.masked) == #"{"type":"token","version":1,"token":"*"}"#)
        #expect(outcome.lines.last.map(Self.masked) == #"{"type":"token","version":2,"token":"*"}"#)
        #expect(world.readText("b/sub/three") == "new\n")
        #expect(world.names(in: "b") == [".filesinki", "name\nof two lines", "sub"])
    }

    @Test("a path that is not UTF-8 is printed with all its bytes, and can be selected")
    func bytes() async throws {
        let world = try await ReplicaTests.pair()
        let since = try await now(world)
        let name: [UInt8] = Array("caf".utf8) + [0xE9]
        let saved = try await world.run(
            bytes: [
                Array("save".utf8), Array("--root".utf8), Array("a".utf8), name + [0x2F, 0x78],
            ],
            input: Array("new\n".utf8))
        try #require(saved.code == .done)
        for argument in [name + [0x2F], name + [0x2F, 0x78]] {
            let outcome = try await world.run(
                bytes: ["changes", "--root", "b", "--since", since].map { Array($0.utf8) }
                    + [argument])
            #expect(
                outcome.lines.contains {
                    $0.contains(#""path":"caf\\xe9/x","path_bytes":"636166e92f78","version":2,"#)
                }, "\(outcome)")
        }
    }

    /// An argument, and which of the paths below it selects; nil when it is refused.
    static let scopes: [(argument: String, paths: [String]?)] = [
        ("a/", ["a/x", "a/y", "a/y/z"]), ("a//", ["a/x", "a/y", "a/y/z"]), ("a", ["a"]),
        ("a/y/", ["a/y/z"]), ("ba/", ["ba/x"]), ("b/", []), ("a*", []), ("none", []),
        (".", ["a", "a/x", "a/y", "a/y/z", "ab", "ba", "ba/x"]),
        ("./", ["a", "a/x", "a/y", "a/y/z", "ab", "ba", "ba/x"]),
        ("", nil), ("/", nil), ("../", nil), ("a/../ba", nil),
    ]

    @Test(
        "a trailing slash selects everything inside the folder, and 'a/' never 'ba/'",
        arguments: scopes)
    func scope(_ argument: String, _ paths: [String]?) async throws {
        let world = try await World.withStore()
        for name in ["a/x", "a/y/z", "ab", "ba/x"] { try world.write("x", to: "r/" + name) }
        for command in [["init", "r", "--remote", "store"], ["sync", "r"]] {
            _ = try await world.run(bytes: command.map { Array($0.utf8) })
        }
        let outcome = try await world.run(
            "changes", "--root", "r", "--own", "--since", "0", argument)
        guard let paths else {
            #expect(outcome.code == .usage, "\(outcome)")
            return
        }
        #expect(outcome.lines.compactMap { value(of: "path", in: $0) }.sorted() == paths)
    }

    @Test("a path begins at the current folder when the root is above it")
    func currentFolder() async throws {
        let world = try await ReplicaTests.pair()
        world.currentFolder += "/b/sub"
        for (argument, count) in [("two", 1), (".", 1), ("./", 1), ("..", 3), ("../one", 1)] {
            let outcome = try await world.run("changes", "--since", "0", argument)
            #expect(
                outcome.lines.filter { $0.contains(#""type":"changed""#) }.count == count,
                "\(argument): \(outcome)")
        }
    }

    @Test("own changes are printed with --own only")
    func own() async throws {
        let world = try await ReplicaTests.pair()
        let silent = try await world.run("changes", "--root", "a", "--since", "0")
        #expect(silent.lines.count == 2)
        #expect(silent.lines.allSatisfy { $0.hasPrefix(#"{"type":"token""#) })
        let told = try await world.run("changes", "--root", "a", "--since", "0", "--own", "one")
        #expect(told.lines.count == 3)
        #expect(told.text.contains(#""own":true,"#))
    }

    @Test("each line's token resumes after that line")
    func resume() async throws {
        let world = try await ReplicaTests.pair()
        let all = try await world.run("changes", "--root", "b", "--since", "0")
        #expect(all.lines.count == 5)
        for (index, line) in all.lines.enumerated() {
            let since = try #require(value(of: "token", in: line))
            let rest = try await world.run("changes", "--root", "b", "--since", since)
            // The first line repeats the token; the last one is the batch's end.
            let expected = all.lines[(index + 1)...].filter { $0.contains("changed") }
            #expect(rest.lines.filter { $0.contains("changed") } == Array(expected))
        }
    }

    @Test("an invalid token is 2, an unavailable remote 75, no remote 1")
    func codes() async throws {
        let world = try await ReplicaTests.pair()
        let wrong = try await world.run("changes", "--root", "b", "--since", "abc")
        #expect(wrong.code == .usage)
        #expect(
            wrong.lines.last?.hasPrefix(#"{"type":"failure","path":"abc","code":"usage""#) == true)
        for time in ["soon", "-1s"] {
            #expect(
                try await world.run("observe", "--root", "b", "--timeout=" + time).code == .usage)
        }
        let since = try await now(world)
        world.rename("store", to: "gone")
        let away = try await world.run("changes", "--root", "b", "--since", since)
        #expect(away.code == .away)
        #expect(away.lines.last?.contains(#""code":"away""#) == true)
        let alone = try World()
        _ = try await alone.run("init", "r")
        for command in ["changes", "observe"] {
            #expect(try await alone.run(command, "--root", "r").code == .negative)
        }
    }

    @Test("an expired token is 9 and a failure as the last line; --resync prints the difference")
    func expired() async throws {
        let world = try await ReplicaTests.pair()
        let since = try await now(world)
        world.remove("a/one")
        _ = try await world.run("sync", "a")
        try world.write("new\n", to: "a/three")
        _ = try await world.run("sync", "a")
        // Small contents lie in the commits that go.
        _ = try await world.run("sync", "b")
        try await PrunedLog.prune(DirectoryRemote(path: world.folder + "/store"), to: 3)
        for command in ["changes", "observe"] {
            let outcome = try await world.run(command, "--root", "b", "--since", since)
            #expect(outcome.code == .tokenExpired, "\(outcome)")
            #expect(outcome.lines.count == 1)
            #expect(outcome.text.hasPrefix(#"{"type":"failure","code":"token-expired","#))
            #expect(outcome.talk.contains("--resync"))
        }
        let outcome = try await world.run(
            "observe", "--root", "b", "--since", since, "--resync", "--once")
        #expect(outcome.code == .done)
        #expect(
            outcome.lines.map(Self.masked)
                == [
                    #"{"type":"resync","since":1,"complete":false}"#,
                    #"{"type":"deleted","path":"one","version":2,"applied":true}"#,
                    #"{"type":"changed","path":"three","version":3,"applied":true,\#(Self.file)}"#,
                    #"{"type":"token","version":3,"token":"*"}"#,
                ])
        #expect(world.names(in: "b") == [".filesinki", "sub", "three"])
    }

    @Test("a token of a replaced store is 9; --resync prints everything")
    func otherStore() async throws {
        let world = try await ReplicaTests.pair()
        let since = try await now(world)
        try world.write("other\n", to: "x/other")
        _ = try await world.run("init", "x", "--remote", "second", "--device", "x")
        _ = try await world.run("sync", "x")
        let set = try await world.run(
            "remote", "set", "--root", "b", "--accept", world.folder + "/second")
        try #require(set.code == .done, "\(set)")
        let expired = try await world.run("changes", "--root", "b", "--since", since)
        #expect(expired.code == .tokenExpired)
        let all = try await world.run("changes", "--root", "b", "--since", since, "--resync")
        #expect(all.lines.first == #"{"type":"resync","complete":true}"#)
        #expect(all.lines.dropFirst().compactMap { value(of: "path", in: $0) } == ["other"])
    }
}

extension String {
    /// The text of a member of a line of JSON; nil without that name.
    fileprivate func value(of member: String) -> String? {
        let parts = split(
            separator: "\"\(member)\":\"", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : nil
    }
}
