import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiTesting
import Testing

@testable import FilesinkiRecordZones

/// Entries of the catalogue: bytes, merges, and the way from one generation to another.
@Suite("The catalogue of zones")
struct CatalogueTests {
    private static let device = Device(id: Array(repeating: 7, count: 16), name: "a b\n%c")

    /// An entry: `d`, `p` and `r` end a generation, `+` creates the next one.
    private static func entry(_ steps: String, by name: String = "a b\n%c") -> ZoneEntry {
        var entry = ZoneEntry()
        for (time, step) in steps.enumerated() {
            let mark = ZoneMark(time: Int64(time), device: Device(id: device.id, name: name))
            switch step {
            case "d", "p", "r":
                let cause: ZoneCause = step == "d" ? .deleted : step == "p" ? .purged : .reset
                entry.endings.append(ZoneEnding(cause: cause, sequence: 5, mark: mark))
                if cause == .reset { (entry.created, entry.creation) = (entry.generation, mark) }
            default: (entry.created, entry.creation) = (entry.generation, mark)
            }
        }
        return entry
    }

    /// As ``entry(_:by:)`` reads it, without the first creation.
    private static func steps(_ entry: ZoneEntry) -> String {
        let causes = entry.endings.map { String($0.cause.rawValue.prefix(1)) }.joined()
        return causes + (entry.isLive ? "" : ".")
    }

    @Test(arguments: ["", "+", "d", "d+", "r", "rr", "p+rd", "d+d+p"])
    func `an entry comes back from its bytes`(_ steps: String) throws {
        let entry = Self.entry(steps)
        let state = CatalogueKind.State(entry, time: 9)
        let bytes = try #require(state.encoded)
        #expect(CatalogueKind.State(encoded: bytes, time: 9) == state)
    }

    @Test(arguments: [
        "", "live", "live 0", "live 2", "live 1 ", "live 1 1 00 a", "live 01", "live 1\n",
        "live 1\ngone 1 1 07070707070707070707070707070707 a",
        "live 1\ndeleted x 1 07070707070707070707070707070707 a",
        "live 1\ndeleted 1 1 0707 a", "live 3\ndeleted 1 1 07070707070707070707070707070707 a",
        "live 1\ndeleted 1 1 07070707070707070707070707070707 a b",
    ])
    func `what is no entry is refused`(_ text: String) {
        #expect(ZoneEntry(text: text) == nil)
        #expect(CatalogueKind.State(encoded: [1] + Array(text.utf8), time: 0) == nil)
        #expect(CatalogueKind.State.isNewer([2]))
    }

    /// Ours, theirs, which was published first, and what comes of them.
    @Test(
        "CK-22 two entries become one",
        arguments: [
            ("d", "", "d."), ("d", "d", "d."), ("p", "d", "d."), ("d", "d+", "d"),
            ("d+", "d", "d"), ("d+", "d+", "d"), ("r", "r", "r"), ("r", "", "r"),
            ("d", "r", "rd."), ("r", "d", "d."), ("rr", "r", "rr"), ("r", "rr", "rr"),
            ("d+d", "d", "dd."), ("r", "d+", "d"), ("+", "d", "d."), ("d", "+", "d."),
            ("d+", "r", "r"), ("", "d+r", "dr"),
        ])
    func merged(_ ours: String, _ theirs: String, _ result: String) {
        let merged = ZoneEntry.merged(
            ours: Self.entry(ours, by: "ours"), theirs: Self.entry(theirs, by: "theirs"))
        #expect(Self.steps(merged) == result)
        // What they published stays as it is.
        #expect(merged.endings.starts(with: Self.entry(theirs, by: "theirs").endings))
    }

    @Test(
        "CK-22 the way to the present generation: one deletion on it is a deletion",
        arguments: [
            ("", "", nil), ("d", "", "deleted d gone"), ("d+", "", "deleted d"), ("d+", "d", nil),
            ("r", "", "reset r"), ("rr", "", "reset rr"), ("rp+r", "", "purged rdr"),
            ("rp+r", "rd", "reset rdr"), ("d", "dr", nil), ("", "r", nil),
            // Another device was first, and ended the generation in another manner.
            ("d+", "r", "deleted d"), ("r", "d", "deleted r"), ("rp", "dd", "purged rd gone"),
        ])
    func way(_ steps: String, _ former: String, _ expected: String?) {
        let move = Self.entry(steps).move(from: former)
        let found = move.map { "\($0.cause.rawValue) \($0.way)" + ($0.isLive ? "" : " gone") }
        #expect(found == expected)
    }

    @Test func `CK-18 SE-07 a token of all zones says which changed and what became of them`()
        async throws
    {
        let world = try await RecordWorld()
        let a = try world.device("a")
        let catalogue = try await a.catalogue
        var token = DatabaseToken()
        func changes() async throws -> [String] {
            let page = try await catalogue.changes(since: token)
            // As a program stores it.
            token = try DatabaseToken(parsing: page.token.description)
            return page.changes.map { change in
                "\(change.zone) \(change.state?.rawValue ?? (change.isNew ? "created" : "changed"))"
            }
        }
        #expect(try await changes() == ["default created"])
        #expect(try await changes() == [])
        try await a.save("n", "a:int=1")
        #expect(try await changes() == ["default changed"])
        let since = try await catalogue.changes(since: nil).token.marks["default"]?.feed
        try await a.save("m", "a:int=1")
        #expect(try await catalogue.changes(since: token).changes[0].since == since)
        _ = try await catalogue.create("notes")
        #expect(try await changes() == ["default changed", "notes created"])
        _ = try await catalogue.end("notes", .purged, knowing: 0)
        try await a.end(.deleted)
        let page = try await catalogue.changes(since: token, limit: 1)
        #expect(page.changes.map(\.zone) == ["default"] && page.hasMore)
        #expect(try await catalogue.changes(since: page.token).changes.map(\.zone) == ["notes"])
        #expect(try await changes() == ["default deleted", "notes purged"])
        try await a.create()
        #expect(try await changes() == ["default created"])
        try await a.end(.reset)
        #expect(try await changes() == ["default reset"])
    }

    @Test(arguments: ["", "zone", "zones,", "zones,A=.1", "zones,a", "zones,a=.", "zones,a=x.1x2"])
    func `what is no token of all zones is refused`(_ text: String) {
        let found = #expect(throws: Failure.self) { try DatabaseToken(parsing: text) }
        #expect(found?.code == .usage)
    }
}
