import FileSinkiRecords
import FilesinkiTesting
import Foundation
import Synchronization
import Testing

/// The public zone of records, on two devices.
@Suite("RecordZone")
struct RecordZoneTests {
    struct Pair {
        let folder: TemporaryFolder
        let one: RecordZone
        let two: RecordZone

        init(_ database: RecordZone.Database = .private) async throws {
            folder = try TemporaryFolder()
            one = try await RecordZone.open(
                folder: folder.path("one"), remote: folder.path("store"), database: database)
            two = try await RecordZone.open(
                folder: folder.path("two"), remote: folder.path("store"), database: database)
        }
    }

    private func note(_ name: String, _ fields: [String: RecordValue]) -> Record {
        var record = Record(type: "Note", name: name)
        for (field, value) in fields { record[field] = value }
        return record
    }

    @Test func `CK-05 every type comes back on another device`() async throws {
        let pair = try await Pair()
        let date = Date(timeIntervalSince1970: 1_714_555_800.25)
        let place = RecordLocation(latitude: 52.5, longitude: 13.4)
        let fields: [String: RecordValue] = [
            "s": "text", "i": .int(.max), "d": -0.5, "x": .data(Data([0, 255])), "t": .date(date),
            "l": .location(place), "r": .reference(RecordReference("n")),
            "ss": .strings(["a", ""]), "is": .ints([1, 2]), "ds": .doubles([0.5]),
            "xs": .datas([Data(), Data([1])]), "ts": .dates([date]), "ls": .locations([place]),
            "rs": .references([RecordReference("n")]), "none": .strings([]),
        ]
        let saved = try await pair.one.save(note("n", fields))
        #expect(saved.fields == fields && !saved.isPending && saved.changeTag != nil)
        #expect(saved.changedFields == [] && saved.creationDate == saved.modificationDate)
        #expect(try await pair.two.exchangeNow() == ["n"])
        let received = try #require(try await pair.two.record("n"))
        #expect(received.fields == fields && received.changeTag == saved.changeTag)
        #expect(received.creatorDeviceID == saved.creatorDeviceID)
        #expect(received.creatorDeviceID?.count == 32)
        #expect(try await pair.two.schema().contains("Note.is int-list"))
        var changed = received
        changed["s"] = nil
        changed["i"] = 1
        #expect(changed.changedFields == ["s", "i"])
        try await pair.two.save(changed)
        try await pair.one.exchangeNow()
        let again = try #require(try await pair.one.record("n"))
        #expect(again["s"] == nil && again["i"] == 1 && again["d"] == -0.5)
        #expect(again.lastModifiedDeviceID != again.creatorDeviceID)
        #expect(try await pair.one.record("none") == nil)
    }

    @Test func `CK-06 a save that the policy refuses has ancestor, client and server`()
        async throws
    {
        let pair = try await Pair()
        let first = try await pair.one.save(note("n", ["title": "a", "count": 1]))
        try await pair.two.exchangeNow()
        var theirs = try #require(try await pair.two.record("n"))
        theirs["count"] = 5
        try await pair.two.save(theirs)
        var mine = first
        mine["title"] = "b"
        let error = await #expect(throws: RecordError.self) {
            try await pair.one.save(mine, policy: .ifServerRecordUnchanged)
        }
        #expect(error?.kind == .conflict)
        let conflict = try #require(error?.conflict)
        #expect(conflict.ancestor?["title"] == "a" && conflict.ancestor?["count"] == 1)
        #expect(conflict.client?["title"] == "b" && conflict.client?["count"] == 1)
        #expect(conflict.server?["title"] == "a" && conflict.server?["count"] == 5)
        #expect(try await pair.one.conflicts().count == 1)
        // CloudKit's way: merge into the server's record, and save that.
        var merged = try #require(conflict.server)
        merged["title"] = "b"
        let saved = try await pair.one.save(merged, policy: .ifServerRecordUnchanged)
        #expect(saved["title"] == "b" && saved["count"] == 5)
        #expect(try await pair.one.conflicts() == [])
        // An old record, and a new one of a name that is there.
        let old = await #expect(throws: RecordError.self) {
            try await pair.one.save(mine, policy: .ifServerRecordUnchanged)
        }
        #expect(old?.kind == .conflict && old?.conflict?.reason == "tag")
        let new = await #expect(throws: RecordError.self) {
            try await pair.one.save(note("n", [:]), policy: .ifServerRecordUnchanged)
        }
        #expect(new?.kind == .exists)
    }

    @Test func `CK-06 other policies merge, or let the save win`() async throws {
        let policies: [(RecordZone.SavePolicy, [String: RecordValue])] = [
            (.merge, ["a": 2, "b": 3]), (.changedKeys, ["a": 2, "b": 3]),
            (.allKeys, ["a": 2, "b": 1]),
        ]
        for (policy, fields) in policies {
            let pair = try await Pair()
            let first = try await pair.one.save(note("n", ["a": 1, "b": 1]))
            try await pair.two.exchangeNow()
            var theirs = try #require(try await pair.two.record("n"))
            theirs["b"] = 3
            try await pair.two.save(theirs)
            var mine = first
            mine["a"] = 2
            #expect(try await pair.one.save(mine, policy: policy).fields == fields)
        }
    }

    @Test func `CK-07 CK-11 a deletion takes those that refer to it, and succeeds twice`()
        async throws
    {
        let pair = try await Pair()
        let child = RecordReference("parent", deletesSelf: true)
        let results = try await pair.one.modify(
            saving: [note("child", ["of": .reference(child)]), note("parent", [:])])
        #expect(try results.saved["child"]?.get()["of"] == .reference(child))
        #expect(try await pair.one.delete("parent") == ["child"])
        #expect(try await pair.one.delete("parent") == [])
        try await pair.two.exchangeNow()
        #expect(try await pair.two.record("child") == nil)
    }

    @Test func `CK-08 an atomic batch is done whole or not at all`() async throws {
        let pair = try await Pair()
        let wrong = note("b", ["of": .reference(RecordReference("nowhere"))])
        let failed = try await pair.one.modify(saving: [note("a", ["x": 1]), wrong])
        func kind(_ name: String, _ results: RecordZone.BatchResults) -> RecordError.Kind? {
            guard case .failure(let error) = results.saved[name] else { return nil }
            return error.kind
        }
        #expect(kind("a", failed) == .batchFailed && kind("b", failed) == .invalid)
        #expect(try await pair.one.record("a") == nil)
        let partly = try await pair.one.modify(
            saving: [note("a", ["x": 1]), wrong], deleting: ["c"], atomically: false)
        #expect(kind("a", partly) == nil && kind("b", partly) == .invalid)
        #expect(try partly.deleted["c"]?.get() == [])
        #expect(try await pair.one.record("a")?["x"] == 1)
        await #expect(throws: RecordError.self) { try await pair.one.save(note("_a", [:])) }
    }

    @Test func `CK-13 CK-15 CK-16 a query has a predicate, an order and pages`() async throws {
        let pair = try await Pair()
        let records = (1...5).map {
            note("n\($0)", ["count": .int(Int64($0)), "title": .string("T\($0)")])
        }
        _ = try await pair.one.modify(saving: records)
        var query = Query("Note", where: "count > 1 AND title BEGINSWITH 'T'")
        query.sort = [.descending("count")]
        query.limit = 3
        let first = try await pair.one.records(matching: query)
        #expect(first.records.map(\.name) == ["n5", "n4", "n3"])
        let second = try await pair.one.records(matching: query, after: first.cursor)
        #expect(second.records.map(\.name) == ["n2"] && second.cursor == nil)
        query.predicate = "count >"
        let error = await #expect(throws: RecordError.self) {
            try await pair.one.records(matching: query)
        }
        #expect(error?.kind == .invalid)
        query.predicate = "count = 1"
        query.isStrict = true
        await #expect(throws: RecordError.self) { try await pair.one.records(matching: query) }
    }

    @Test func `CK-19 pages of changes lead to what the zone holds`() async throws {
        let pair = try await Pair()
        for number in 1...3 { try await pair.one.save(note("n\(number)", ["x": 1])) }
        var all = try await pair.one.fetchChanges()
        #expect(all.saved.map(\.name) == ["n1", "n2", "n3"] && !all.moreComing)
        let token = all.token
        try await pair.one.delete("n1")
        try await pair.one.save(note("n4", ["x": 2]))
        all = try await pair.one.fetchChanges(since: token, limit: 1)
        #expect(all.deleted == ["n1"] && all.saved == [] && all.moreComing)
        all = try await pair.one.fetchChanges(since: all.token)
        #expect(all.deleted == [] && all.saved.map(\.name) == ["n4"] && !all.moreComing)
        let error = await #expect(throws: RecordError.self) {
            try await pair.one.fetchChanges(since: "0000000000000000-1")
        }
        #expect(error?.kind == .tokenExpired)
    }

    @Test func `CK-20 changes of others arrive while they are read, each once`() async throws {
        let pair = try await Pair()
        let token = try await pair.two.fetchChanges().token
        try await pair.one.save(note("n", ["x": 1]))
        try await pair.one.save(note("m", ["x": 1]))
        try await pair.one.delete("m")
        var names: Set<String> = []
        for try await change in pair.two.changes(since: token) {
            names.formUnion(change.saved.map(\.name))
            #expect(change.reason != .localChange && change.deleted.isEmpty)
            if names.contains("n") { break }
        }
        #expect(names == ["n"])
        #expect(try await pair.two.record("n")?["x"] == 1)
    }

    /// Keeps what it is told, in few words.
    private final class Listener: SyncDelegate {
        let told = Mutex<[String]>([])

        func handleEvent(_ event: SyncEvent, of zone: RecordZone) async {
            let text =
                switch event {
                case .fetchedRecordZoneChanges(let change):
                    "fetched \(change.reason.rawValue) \(change.saved.map(\.name)) \(change.deleted)"
                case .sentRecordZoneChanges(let sent):
                    "sent \(sent.saved.map(\.name)) \(sent.deleted) \(sent.refused)"
                default: "\(event)"
                }
            told.withLock { $0.append(text) }
        }
    }

    @Test func `SE-04 a delegate is told what an exchange does, in its order`() async throws {
        let pair = try await Pair()
        try await pair.one.save(note("n", ["x": 1]))
        try await pair.one.save(note("m", ["x": 1]))
        try await pair.two.exchangeNow()
        var theirs = try #require(try await pair.one.record("n"))
        theirs["x"] = 2
        try await pair.one.save(theirs)
        try await pair.one.delete("m")
        var ours = try #require(try await pair.two.record("n"))
        ours["x"] = 3
        let store = (pair.folder.path("store"), pair.folder.path("away"))
        try FileManager.default.moveItem(atPath: store.0, toPath: store.1)
        try await pair.two.save(ours, policy: .ifServerRecordUnchanged)
        try await pair.two.save(note("new", ["x": 1]))
        let listener = Listener()
        let away = await #expect(throws: RecordError.self) {
            try await pair.two.exchangeNow(telling: listener)
        }
        #expect(away?.kind == .away)
        try FileManager.default.moveItem(atPath: store.1, toPath: store.0)
        #expect(try await pair.two.pendingRecordNames() == ["n", "new"])
        listener.told.withLock { $0 = [] }
        try await pair.two.exchangeNow(telling: listener)
        #expect(
            listener.told.withLock { $0 } == [
                "willFetchChanges", #"fetched server ["n"] ["m"]"#, "didFetchChanges",
                "willSendChanges", #"sent ["new"] [] ["n"]"#, "didSendChanges",
            ])
        #expect(try await pair.two.pendingRecordNames().isEmpty)
    }

    @Test func `CK-26 an asset is read on another device, from data and from a file`()
        async throws
    {
        let pair = try await Pair()
        let bytes = Data(noise(100_000))
        let file = URL(filePath: pair.folder.path("picture"))
        try bytes.write(to: file)
        let told = Mutex<[AssetProgress]>([])
        let saved = try await pair.one.save(
            note(
                "n",
                [
                    "photo": .asset(RecordAsset(fileURL: file)),
                    "pages": .assets([RecordAsset(Data([1])), RecordAsset(bytes)]),
                ])
        ) { progress in told.withLock { $0.append(progress) } }
        // Equal bytes are sent once.
        let progress = told.withLock { $0 }
        #expect(progress.map(\.assets) == [1, 2])
        #expect(progress.last?.bytes == 100_001 && progress.last?.totalBytes == 100_001)
        #expect(progress.last?.fraction == 1 && progress.first?.totalAssets == 2)
        try FileManager.default.removeItem(at: file)
        #expect(saved["photo"]?.asset?.size == 100_000)
        #expect(saved["photo"]?.asset?.sha256?.count == 64)
        try await pair.two.exchangeNow()
        let record = try #require(try await pair.two.record("n"))
        #expect(try await pair.two.contents(of: "photo", in: record) == bytes)
        #expect(try await pair.two.contents(of: "pages.1", in: record) == Data([1]))
        let copy = URL(filePath: pair.folder.path("copy"))
        try await pair.two.copyContents(of: "pages.2", in: record, to: copy)
        #expect(try Data(contentsOf: copy) == bytes)
        for field in ["title", "photo.1", "pages", "pages.3", "pages.0", ""] {
            let error = await #expect(throws: RecordError.self) {
                try await pair.two.contents(of: field, in: record)
            }
            #expect(error?.kind == .notFound, "\(field)")
        }
        // What a record names is kept when it is saved again.
        var other = record
        other["title"] = "x"
        try await pair.two.save(other)
        try await pair.one.exchangeNow()
        let again = try #require(try await pair.one.record("n"))
        #expect(try await pair.one.contents(of: "photo", in: again) == bytes)
    }

    @Test func `CK-01 databases are apart`() async throws {
        let pair = try await Pair(.shared("team"))
        try await pair.one.save(note("n", ["x": 1]))
        let own = try await RecordZone.open(folder: pair.folder.path("one"))
        #expect(try await own.record("n") == nil)
        #expect(try await own.exchangeNow() == [])
        #expect(try await pair.two.exchangeNow() == ["n"])
        let wrong = await #expect(throws: RecordError.self) {
            try await RecordZone.open(
                folder: pair.folder.path("one"), database: .shared("Not this"))
        }
        #expect(wrong?.kind == .invalid)
    }

    @Test func `what is saved without the remote waits, and is sent later`() async throws {
        let pair = try await Pair()
        try await pair.one.save(note("n", ["x": 1]))
        let (store, away) = (pair.folder.path("store"), pair.folder.path("away"))
        try FileManager.default.moveItem(atPath: store, toPath: away)
        let saved = try await pair.one.save(note("m", ["x": 1]))
        #expect(saved.isPending)
        let error = await #expect(throws: RecordError.self) { try await pair.one.exchangeNow() }
        #expect(error?.kind == .away)
        try FileManager.default.moveItem(atPath: away, toPath: store)
        try await pair.one.exchangeNow()
        #expect(try await pair.one.record("m")?.isPending == false)
        #expect(Set(try await pair.two.exchangeNow()) == ["m", "n"])
    }

    struct Note: Codable, Equatable {
        var title: String
        var count = 0
        var tags: [String]?
    }

    @Test func `a value is saved as a record, and found by a predicate`() async throws {
        let pair = try await Pair()
        let first = Note(title: "a", count: 3, tags: ["x"])
        let saved = try await pair.one.save(first, as: "n")
        #expect(saved.type == "Note" && saved.fields["count"] == 3)
        try await pair.two.exchangeNow()
        #expect(try await pair.two.load(Note.self, "n") == first)
        // Each device changes another property.
        try await pair.two.save(Note(title: "b", count: 3, tags: ["x"]), as: "n")
        try await pair.one.save(Note(title: "a", count: 4, tags: nil), as: "n")
        #expect(try await pair.one.load(Note.self, "n") == Note(title: "b", count: 4))
        try await pair.one.save(Note(title: "c"), as: "m")
        #expect(try await pair.one.loadAll(Note.self, where: "count > 1").keys.sorted() == ["n"])
        #expect(try await pair.one.loadAll(Note.self).count == 2)
        #expect(try await pair.one.load(Note.self, "none") == nil)
    }
}
