import FilesinkiModel
import Testing

@testable import FilesinkiItems

/// Keys, and the paths that stand for them in a zone.
@Suite struct ItemKeyTests {
    @Test(
        "the path of a key",
        arguments: [
            ("a", "a"), ("A-z_0~9", "A-z_0~9"), ("a.b", "a%2Eb"), (".", "%2E"), ("a/b", "a%2Fb"),
            ("a b", "a%20b"), ("é", "%C3%A9"), ("%", "%25"), ("\0", "%00"), ("..", "%2E%2E"),
            (".filesinki", "%2Efilesinki"),
        ])
    func path(_ text: String, _ path: String) throws {
        let key = try ItemKey(text)
        #expect(key.path.description == path)
        #expect(try RelativePath(key.path.bytes) == key.path)
        #expect(ItemKey(path: key.path) == key)
    }

    @Test(
        "a long path is divided after every 240 characters",
        arguments: [239, 240, 241, 480, 481, 1024])
    func divided(_ length: Int) throws {
        let key = try ItemKey([UInt8](repeating: 0x61, count: length))
        let names = key.path.names.map(\.count)
        #expect(names.dropLast().allSatisfy { $0 == 240 })
        #expect(names.reduce(0, +) == length)
        #expect(names.count == (length + 239) / 240)
        #expect(ItemKey(path: key.path) == key)
        // Each byte may need three characters.
        let odd = try ItemKey([UInt8](repeating: 0xFF, count: length))
        #expect(odd.path.bytes.count == length * 3 + (length * 3 - 1) / 240)
        #expect(ItemKey(path: odd.path) == odd)
    }

    @Test func `each byte has a path of its own`() throws {
        let paths = try (0...255).map { try ItemKey([UInt8($0)]).path }
        #expect(Set(paths).count == 256)
        for (byte, path) in paths.enumerated() {
            #expect(ItemKey(path: path)?.bytes == [UInt8(byte)])
        }
    }

    @Test(
        "a path that no key has",
        arguments: ["a.b", "a/b", "%2e", "%61", "%", "%2", "%zz", "a b", "+", "a%2Fb/c"])
    func foreign(_ path: String) {
        #expect(ItemKey(path: RelativePath(unchecked: Array(path.utf8))) == nil)
    }

    @Test func `a key has 1 to 1024 bytes`() throws {
        let empty = #expect(throws: Failure.self) { try ItemKey("") }
        #expect(empty?.code == .usage)
        #expect(try ItemKey([UInt8](repeating: 1, count: 1024)).bytes.count == 1024)
        let long = #expect(throws: Failure.self) { try ItemKey([UInt8](repeating: 1, count: 1025)) }
        #expect(long?.code == .usage)
        #expect(long?.message == "The key has 1025 bytes; at most 1024 are allowed.")
    }

    @Test func `keys are ordered and told apart by their bytes`() throws {
        let keys = try ["B", "a", "a/", "aa", "e\u{301}", "\u{e9}"].map { try ItemKey($0) }
        #expect(keys.reversed().sorted() == keys)
        #expect(Set(keys).count == 6)
        #expect(ItemKey(unchecked: [0x61, 0x0A]).description == "a\\x0a")
    }
}

/// The names of kinds and zones.
@Suite struct ItemNameTests {
    @Test(
        "each generation of a zone has a log of its own",
        arguments: [
            (0, "toy-box"), (1, "toy-box"), (2, "toy2-box"), (11, "toy11-box"),
        ] as [(UInt64, String)])
    func zones(_ generation: UInt64, _ name: String) {
        #expect(ToyKind.names.storeZone("box", generation: generation) == name)
    }

    @Test(
        "the name of a zone",
        arguments: [
            ("default", true), ("a", true), ("0_-", true),
            (String(repeating: "a", count: 48), true),
            (String(repeating: "a", count: 49), false), ("", false), ("A", false), ("a.b", false),
            ("a/b", false), ("..", false), ("é", false), ("a b", false),
        ])
    func zoneName(_ name: String, _ isOne: Bool) {
        if isOne {
            #expect(throws: Never.self) { try ItemPlace<ToyKind>.check(name: name) }
        } else {
            let failure = #expect(throws: Failure.self) { try ItemPlace<ToyKind>.check(name: name) }
            #expect(failure?.code == .usage)
            #expect(failure?.message == "Invalid name of a toy box.")
        }
    }

    @Test func `a zone's file is in the kind's folder of the state folder`() {
        #expect(ItemPlace<ToyKind>.folder(in: "/s") == "/s/toys")
        #expect(ItemPlace<ToyKind>.file(of: "box", in: "/s") == "/s/toys/box.sqlite")
        #expect(ItemPlace<ToyKind>.standardName == "default")
    }
}

/// Positions in the events of a zone.
@Suite struct FeedTokenTests {
    @Test(
        "is read from what it is written as",
        arguments: ["0001020304050607-0", "ffffffffffffffff-9223372036854775807"])
    func roundTrip(_ text: String) throws {
        let token = try FeedToken(parsing: text)
        #expect(token.description == text)
        #expect(token.feed.count == 8)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "-", "0001020304050607", "0001020304050607-", "00010203040506-1",
            "000102030405060708-1", "000102030405060g-1", "0001020304050607--1",
            "0001020304050607-1-2", "0001020304050607-9223372036854775808", "0001020304050607-x",
        ])
    func refused(_ text: String) {
        let failure = #expect(throws: Failure.self) { try FeedToken(parsing: text) }
        #expect(failure?.code == .usage)
        #expect(failure?.path == Array(text.utf8))
    }
}

/// The problems of an exchange.
@Suite struct ItemReportTests {
    @Test func `a problem is reported once for each item and code`() {
        var report = ItemReport<ToyKind.State>()
        for (path, code) in [
            ("a", Failure.Code.limit), ("a", .limit), ("a", .corrupt), ("b", .limit), ("a", .limit),
        ] { report.add(Failure(code, path: path, "", remedy: "")) }
        #expect(report.problems.map(\.code) == [.limit, .corrupt, .limit])
        #expect(report.problems.map(\.path) == [[0x61], [0x61], [0x62]])
    }

    @Test func `words that commands and files have`() {
        #expect(InitialPolicy.allCases.map(\.rawValue) == ["server", "local", "newest"])
        #expect(
            ChangeReason.allCases.map(\.rawValue) == [
                "server", "initial", "quota", "account", "local", "deleted", "purged",
            ])
        #expect(ZoneCause.allCases.map(\.rawValue) == ["deleted", "purged", "reset"])
    }
}
