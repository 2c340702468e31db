import FilesinkiModel
import FilesinkiSQLite
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiItems

/// What a zone's file keeps of its items.
@Suite struct ItemTableTests {
    private let file: ToyFile<ToyKind>
    private let database: ItemDatabase<ToyKind>

    init() throws {
        file = try ToyFile()
        database = try file.open()
    }

    private func put(_ items: Item<ToyKind.State>...) throws {
        try database.write { for item in items { try database.put(item) } }
    }

    @Test func `an item is read as it was written`() throws {
        let item = Item<ToyKind.State>(
            "a", ours: "new", base: "old", version: .max, time: 9, batch: 4, note: "n")
        try put(item)
        let found = try #require(try database.item(item.key))
        #expect(found.ours == item.ours && found.base == item.base)
        #expect(found.ours.time == 9 && found.base.time == 3)
        #expect(found.version == .max && found.batch == 4 && found.note == [0x6E])
        #expect(try database.item(try ItemKey("b")) == nil)
    }

    @Test func `an item that is written again takes the place of the former one, field by field`()
        throws
    {
        try put(Item("a", ours: "x", base: nil, version: 1, batch: 2, note: "m"))
        try put(Item("a", ours: nil, base: "y", version: 5, time: 11, batch: 3, note: "n"))
        let found = try #require(try database.items().first)
        #expect(try database.items().count == 1)
        #expect(found.ours == ToyKind.State(text: nil, time: 11))
        #expect(found.base == ToyKind.State(text: "y", time: 3))
        #expect(found.version == 5 && found.batch == 3 && found.note == [0x6E])
    }

    @Test(
        "an item waits if its content is not the agreed one",
        arguments: [
            ("x", "x", false), ("x", "y", true), ("x", nil, true), (nil, "x", true),
            (nil, nil, false),
        ] as [(String?, String?, Bool)])
    func pending(_ ours: String?, _ base: String?, _ isPending: Bool) throws {
        try put(Item("a", ours: ours, base: base, batch: 4, note: "n"))
        let item = try #require(try database.item(try ItemKey("a")))
        #expect(item.isPending == isPending)
        #expect(try database.pending().count == (isPending ? 1 : 0))
        #expect(try database.pendingCount() == (isPending ? 1 : 0))
        #expect(try database.hasPending() == isPending)
        // What does not wait is of no batch.
        #expect(item.batch == (isPending ? 4 : 0))
        #expect(item.note.isEmpty == !isPending)
    }

    @Test func `an item that is as agreed waits, too, while the log does not have it`() throws {
        try put(Item("a", ours: "x", base: "x", version: 0), Item("b", ours: nil, version: 0))
        #expect(try database.pending().map(\.key.description) == ["a"])
        #expect(try database.items().map(\.isSentAgain) == [true, false])
    }

    @Test func `items are in the order of their keys, removed ones included`() throws {
        try put(
            Item("b", ours: "1"), Item("a", ours: nil, base: "1"), Item("B", ours: "1", base: "1"))
        #expect(try database.items().map(\.key.description) == ["B", "a", "b"])
        #expect(try database.pending().map(\.key.description) == ["a", "b"])
        #expect(try database.usage() == Usage(keys: 2, bytes: 2))
        try database.removeItems()
        #expect(try database.items().isEmpty)
        #expect(try database.usage() == Usage(keys: 0, bytes: 0))
    }

    @Test func `what waits comes batch by batch, and alone without one`() throws {
        try put(
            Item("a", ours: "1"), Item("b", ours: "1"), Item("c", ours: "1", batch: 2),
            Item("d", ours: "1", batch: 1), Item("e", ours: "1", batch: 2),
            Item("f", ours: "1", base: "1", batch: 1))
        var batches: [[String]] = []
        try database.forEachPendingBatch { batch throws(Failure) in
            batches.append(batch.map(\.key.description))
            return true
        }
        #expect(batches == [["a"], ["b"], ["d"], ["c", "e"]])
        #expect(try database.pending(ofBatch: 2).map(\.key.description) == ["c", "e"])
        #expect(try database.pending(ofBatch: 3).isEmpty)
        batches = []
        try database.forEachPendingBatch { batch throws(Failure) in
            batches.append(batch.map(\.key.description))
            return batches.count < 2
        }
        #expect(batches == [["a"], ["b"]])
    }

    @Test func `an undecodable content is damage`() throws {
        try put(Item("a", ours: "1"))
        try database.connection.execute("UPDATE item SET ours = x'02ff'")
        let failure = #expect(throws: Failure.self) { try database.items() }
        #expect(failure?.code == .corrupt)
        #expect(failure?.message.contains("a text cannot be decoded") == true)
    }

    @Test func `a transaction that throws changes nothing`() throws {
        struct Stop: Error {}
        try put(Item("a", ours: "1"))
        #expect(throws: Stop.self) {
            try database.write {
                try database.put(Item("a", ours: "2"))
                throw Stop()
            }
        }
        #expect(try database.items().map(\.ours.text) == ["1"])
    }
}

/// Contents that gave way.
@Suite struct SupersededTests {
    private let file: ToyFile<ToyKind>
    private let database: ItemDatabase<ToyKind>

    init() throws {
        file = try ToyFile()
        database = try file.open()
    }

    private func lose(_ key: String, _ text: String?, reason: String = "shorter") throws {
        try database.write {
            try database.recordSuperseded(
                Superseded(
                    key: try ItemKey(key), held: ToyKind.State(text: text, time: 8), version: 5,
                    reason: reason))
        }
    }

    private func unpublished() throws -> [(Int64, String?)] {
        var found: [(Int64, String?)] = []
        try database.forEachUnpublishedLoser { row, loser throws(Failure) in
            found.append((row, loser.held.text))
            return true
        }
        return found
    }

    @Test func `they are kept item by item, the newest first`() throws {
        try lose("a", "one")
        try lose("b", "other")
        try lose("a", "two", reason: "initial")
        let found = try database.losers(try ItemKey("a"))
        #expect(found.map(\.held.text) == ["two", "one"])
        #expect(found.map(\.reason) == ["initial", "shorter"])
        #expect(found.map(\.version) == [5, 5] && found.map(\.held.time) == [8, 8])
        #expect(try database.losers(try ItemKey("c")).isEmpty)
    }

    @Test func `they wait until the log has them, in the order in which they gave way`() throws {
        #expect(try !database.hasPending())
        try lose("b", "one")
        try lose("a", "two")
        #expect(try database.hasPending())
        let rows = try unpublished()
        #expect(rows.map(\.1) == ["one", "two"])
        try database.write { try database.markPublished(loser: rows[0].0) }
        #expect(try unpublished().map(\.1) == ["two"])
        try database.write { try database.markPublished(loser: rows[1].0) }
        #expect(try !database.hasPending())
        #expect(try database.losers(try ItemKey("b")).count == 1)
    }

    @Test func `of published ones a thousand are kept, of others all`() throws {
        #expect(ItemDatabase<ToyKind>.keptSuperseded == 1000)
        try lose("a", "published")
        try lose("a", "waits")
        try database.write { try database.markPublished(loser: 1) }
        try database.write {
            try database.connection.execute(
                "INSERT INTO superseded (id, key, time, version, reason, published, content) "
                    + "VALUES (1000, x'62', 0, 0, '', 1, x'01')")
        }
        try lose("b", "1001")
        #expect(try database.losers(try ItemKey("a")).map(\.held.text) == ["waits"])
        #expect(try database.losers(try ItemKey("b")).count == 2)
    }
}

/// Settings, and what the file knows of the log.
@Suite struct ItemLogTests {
    private let file: ToyFile<ToyKind>
    private let database: ItemDatabase<ToyKind>

    init() throws {
        file = try ToyFile()
        database = try file.open()
    }

    private func position(_ sequence: UInt64) throws -> LogPosition {
        let hash = try #require(ContentID([UInt8](repeating: 0x20, count: 32)))
        return LogPosition(ChangeToken(sequence: sequence, hash: hash), storedHeader: [1, 2])
    }

    @Test func `a setting is set, replaced and removed`() throws {
        #expect(try database.setting("x") == nil)
        try database.set("x", [0, 255])
        try database.set("y", [])
        #expect(try database.setting("x") == [0, 255])
        #expect(try database.setting("y") == [])
        try database.set("x", number: -5)
        #expect(try database.number("x") == -5)
        #expect(try database.number("y") == nil)
        try database.set("x", number: nil)
        #expect(try database.setting("x") == nil)
    }

    @Test func `the position is kept, also where its hash has a space`() throws {
        #expect(try database.logPosition() == nil)
        try database.setLogPosition(try position(.max))
        #expect(try database.logPosition() == position(.max))
        try database.setLogPosition(nil)
        #expect(try database.logPosition() == nil)
        try database.set("token", Array("12".utf8))
        #expect(throws: Failure.self) { try database.logPosition() }
        try database.set("token", Array("x ".utf8) + [UInt8](repeating: 1, count: 32))
        #expect(throws: Failure.self) { try database.logPosition() }
    }

    @Test func `the store is known by id and epoch`() throws {
        #expect(try database.knownStore() == nil)
        let store = KnownStore(id: [UInt8](repeating: 4, count: 16), epoch: .max)
        try database.setKnownStore(store)
        #expect(try database.knownStore() == store)
        try database.set("store", [1])
        #expect(try database.knownStore() == nil)
    }

    @Test func `own commits are known until the position has passed them`() throws {
        let (first, second) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
        try database.recordPublishing(first, sequence: 4)
        try database.recordPublishing(second, sequence: 5)
        #expect(try database.isOwn(first) && database.isOwn(second))
        try database.setLogPosition(try position(3))
        #expect(try database.isOwn(first))
        try database.setLogPosition(try position(4))
        #expect(try !database.isOwn(first) && database.isOwn(second))
    }

    @Test func `a checkpoint has the agreed items, by path, at the position that is asked for`()
        throws
    {
        let memory = ItemMemory(database, file.place)
        try database.write {
            try database.put(Item("b", ours: "mine", base: "agreed", version: 3))
            try database.put(Item("a.", ours: "x", base: "x", version: 2))
            try database.put(Item("new", ours: "x"))
            try database.put(Item("gone", ours: nil, base: nil, version: 4))
            try database.setLogPosition(try position(4))
        }
        #expect(try memory.checkpoint(at: position(3).token) == nil)
        #expect(try memory.checkpoint(at: position(4).token) != nil)
    }

    @Test func `counters are numbers, of which zero is none`() throws {
        let memory = ItemMemory(database, file.place)
        for counter in ZoneCounter.allCases {
            #expect(try memory.number(counter) == 0)
            try memory.set([counter: 7])
            #expect(try memory.number(counter) == 7)
            try memory.set([counter: 0])
            #expect(try database.setting(counter.rawValue) == nil)
        }
    }
}

/// The events of a zone's file.
@Suite struct ItemEventTests {
    private let file: ToyFile<ToyKind>
    private let database: ItemDatabase<ToyKind>
    private let time = Timestamp(nanoseconds: 99)

    init() throws {
        file = try ToyFile()
        database = try file.open()
    }

    private func record(_ keys: String...) throws {
        try database.recordEvent(.server, try keys.map { try ItemKey($0) }, at: time)
    }

    @Test func `events come in order, behind the token`() throws {
        let start = try database.position()
        #expect(start.number == 0 && start.feed.count == 8)
        try record("a", "b")
        try record("c")
        let events = try database.events(after: start)
        #expect(events.map { $0.keys.map(\.description) } == [["a", "b"], ["c"]])
        #expect(events.map(\.token.number) == [1, 2] && events.map(\.time) == [time, time])
        #expect(events.map(\.reason) == [.server, .server])
        #expect(try database.events(after: events[0].token) == [events[1]])
        #expect(try database.events(after: database.position()).isEmpty)
    }

    @Test func `nothing that changed is no event`() throws {
        try record()
        #expect(try database.position().number == 0)
    }

    @Test func `at most a thousand are given at once`() throws {
        try database.write { for _ in 0..<1001 { try record("a") } }
        let start = FeedToken(feed: try database.position().feed, number: 0)
        #expect(try database.events(after: start).last?.token.number == 1000)
    }

    @Test func `a token of another file, of the future or of what is not kept has expired`() throws
    {
        try record("a")
        let feed = try database.position().feed
        let others = [
            FeedToken(feed: [UInt8](repeating: 0, count: 8), number: 0),
            FeedToken(feed: feed, number: 2),
        ]
        for token in others {
            let failure = #expect(throws: Failure.self) { try database.events(after: token) }
            #expect(failure?.code == .tokenExpired)
            #expect(failure?.remedy.contains("toy list") == true)
        }
        try database.connection.execute(
            "UPDATE sqlite_sequence SET seq = 10000 WHERE name = 'event'")
        #expect(throws: Never.self) { try database.events(after: FeedToken(feed: feed, number: 0)) }
        try record("b")
        #expect(throws: Failure.self) {
            try database.events(after: FeedToken(feed: feed, number: 0))
        }
        // The first one is not kept any more.
        let left = try database.events(after: FeedToken(feed: feed, number: 1))
        #expect(left.map(\.token.number) == [10_001])
    }

    @Test func `damaged events are damage`() throws {
        try record("a")
        let start = FeedToken(feed: try database.position().feed, number: 0)
        for damage in ["reason = 'unknown'", "keys = x'00'"] {
            try database.connection.execute("UPDATE event SET \(damage)")
            let failure = #expect(throws: Failure.self) { try database.events(after: start) }
            #expect(failure?.code == .corrupt)
            try database.connection.execute("UPDATE event SET reason = 'server'")
        }
    }
}
