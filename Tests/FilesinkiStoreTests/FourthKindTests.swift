import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Foundation
import Testing

/// A kind of item that the program does not have, on the zone client that files and keys have.
@Suite("A fourth kind of item in a zone")
struct FourthKindTests {
    let remote = MemoryRemote()
    let clock = ManualClock()
    let format: StoreFormat

    init() async throws {
        format = try await StoreFormat.create(at: remote, systemContext: clock.systemContext)
    }

    /// A device with a table of scores.
    private struct Player {
        let table: ScoreTable
        let client: ZoneClient

        func play(_ name: String, _ score: UInt8) throws {
            table.rows[try RelativePath(name), default: .init(best: score)].best = score
        }

        func score(_ name: String) throws -> UInt8? { table.rows[try RelativePath(name)]?.best }

        func sync() async throws {
            while true {
                var scores = FetchedScores()
                let fetched = try await client.fetch(into: &scores).get()
                table.apply(scores, fetched)
                guard !table.draft.changes.isEmpty else { break }
                if try await publish(after: fetched.end.token) { break }
            }
            guard let token = table.position?.token else { return }
            #expect(try await client.conclude(at: token).isEmpty)
        }

        /// - Returns: False when another device was faster.
        func publish(after token: ChangeToken) async throws -> Bool {
            guard let commit = try await client.publish(table.draft, after: token).commit() else {
                return false
            }
            table.record(commit)
            return true
        }
    }

    private func player(_ name: String) -> Player {
        let id = Array((name + String(repeating: ".", count: 16)).utf8.prefix(16))
        let table = ScoreTable(Device(id: id, name: name))
        let zone = Zone(
            name: "scores", carriesContents: false, remedyForOther: "", remedyForMissing: "")
        let client = ZoneClient(zone, memory: table, systemContext: clock.systemContext) {
            [remote] in remote
        }
        return Player(table: table, client: client)
    }

    @Test func `it is merged on all devices, in any order`() async throws {
        let (a, b) = (player("a"), player("b"))
        for player in [a, b] { try await player.sync() }
        try a.play("anna", 7)
        try b.play("anna", 9)
        try b.play("ben", 3)
        // `b` has read nothing of what `a` publishes meanwhile.
        let token = try #require(b.table.position?.token)
        try await a.sync()
        #expect(try await !b.publish(after: token))
        for player in [b, a] { try await player.sync() }
        for player in [a, b] {
            #expect(try player.score("anna") == 9)
            #expect(try player.score("ben") == 3)
        }
        #expect(a.table.rows == b.table.rows)
    }

    @Test func `it is read from a checkpoint, and a loss in the log is detected`() async throws {
        let a = player("a")
        for score in 1...200 as ClosedRange<UInt8> {
            try a.play("p\(score % 5)", score)
            try await a.sync()
        }
        for score in 1...60 as ClosedRange<UInt8> {
            try a.play("q", score)
            try await a.sync()
        }
        let keys = remote.objects.keys.map(\.description)
        #expect(keys.count { $0.hasPrefix("zones/scores/checkpoints/") } == 1)
        #expect(keys.count { $0.hasPrefix("devices/") && $0.contains("/scores/") } == 1)
        let b = player("b")
        try await b.sync()
        #expect(b.table.rows == a.table.rows)
        // The newest commits are gone: `b` has acknowledged them.
        let gone = keys.filter { $0.hasPrefix("zones/scores/log/") }.sorted().suffix(2)
        for key in gone { try await remote.delete(ObjectKey(key)) }
        var scores = FetchedScores()
        guard case .mismatch(let found) = try await player("c").client.fetch(into: &scores) else {
            return #expect(Bool(false), "nothing was noticed")
        }
        #expect(found.kind == .truncated)
        #expect(found.failure.code == .wrongStore)
    }

    @Test func `a fetch begins again when a later part of the checkpoint is missing`() async throws
    {
        let a = player("a")
        for score in 1...3 as ClosedRange<UInt8> {
            try a.play("p\(score)", score)
            try await a.sync()
        }
        // The log does not know the players of the checkpoint.
        let token = try #require(a.table.position?.token)
        let rows = try (100..<150).map { number in
            CheckpointRow(
                path: try RelativePath("ghost\(number)"),
                entry: VersionedEntry(Score.entry(9), version: 1))
        }
        let shelf = try CheckpointStore(
            remote: remote, zone: "scores", store: format, partLength: 2_048)
        try await shelf.save(CheckpointSource(CheckpointRows(entries: rows)), at: token)
        try await remote.removeLastPart(of: token.sequence, zone: "scores", format)
        let b = player("b")
        try await b.sync()
        #expect(b.table.rows == a.table.rows)
    }

    @Test func `it takes less than 100 lines, none of them about the log`() throws {
        let path = #filePath.replacing("FourthKindTests", with: "ScoreZone")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 100)
        for word in ["CommitLog", "LogReader", "CheckpointStore", "DeviceRegistry", "append("] {
            #expect(!text.contains(word), "\(word)")
        }
    }
}
