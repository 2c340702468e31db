import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// Where in the log a time is. The log has 300 commits, about one a day.
@Suite("The search for a time in the log")
struct TimeSearchTests {
    private static let count: UInt64 = 300
    private static let interval: UInt64 = 32
    private static let sample: UInt64 = 4
    private let remote = CountingRemote(MemoryRemote(address: "memory"))

    /// A log whose commits are of these days.
    private func reader(_ day: (UInt64) -> Int64) async throws -> HistoryReader {
        var log = try await LogFixture(at: remote)
        for sequence in 1...Self.count { try await log.commit([], on: day(sequence)) }
        return HistoryReader(log: log.log, view: RemoteView(token: log.token))
    }

    private func expect(
        _ wanted: UInt64, on day: Int64, in reader: HistoryReader,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let search = TimeSearch(reader, interval: Self.interval, sample: Self.sample)
        let span = try await search.span(of: LogFixture.day(day))
        #expect(
            span.start < max(wanted, 1) && wanted <= span.last, "\(day)",
            sourceLocation: sourceLocation)
        #expect(span.last <= Self.count, "\(day)", sourceLocation: sourceLocation)
        #expect(
            span.last - span.start <= 2 * Self.interval + Self.sample, "\(day)",
            sourceLocation: sourceLocation)
    }

    @Test("the span holds the last commit of the time, and costs few requests")
    func inOrder() async throws {
        let reader = try await reader { Int64($0) }
        for day: Int64 in [0, 1, 28, 31, 32, 33, 127, 128, 255, 256, 257, 287, 288, 299, 300] {
            remote.reset()
            try await expect(UInt64(day), on: day, in: reader)
            #expect(remote.counts.requests <= 8)
        }
        try await expect(Self.count, on: 10_000, in: reader)
    }

    @Test("clocks that differ by some days move nothing")
    func apart() async throws {
        let days: (UInt64) -> Int64 = { Int64($0) + ($0.isMultiple(of: 2) ? 0 : 10) }
        let reader = try await reader(days)
        for day: Int64 in [15, 31, 32, 33, 34, 128, 129, 200, 256, 290] {
            let last = (1...Self.count).last { days($0) <= day }
            try await expect(try #require(last), on: day, in: reader)
        }
    }

    @Test("a tree of a time begins with a checkpoint before the commits that were searched")
    func tree() async throws {
        let store = MemoryRemote(address: "memory")
        var log = try await LogFixture(at: store)
        let shelf = try CheckpointStore(remote: store, zone: "files", store: log.format)
        let (f, old) = (try LogFixture.file("f", "400"), try LogFixture.file("old", "old"))
        for day in 1...1100 as ClosedRange<Int64> {
            try await log.commit([LogFixture.file("f", "\(day)")], on: day)
            guard day == 400 else { continue }
            let rows = [(f, 400), (old, 3)].map { change, version in
                CheckpointRow(
                    path: change.path, entry: VersionedEntry(change.entry, version: version))
            }
            try await shelf.save(Checkpoint(token: log.token, entries: rows))
        }
        for number in 1...390 {
            let digits = String(number)
            let name = String(repeating: "0", count: 20 - digits.utf8.count) + digits
            store.objects[try ObjectKey("zones/files/log/\(name)/c")] = nil
        }
        let reader = HistoryReader(
            log: log.log, view: RemoteView(token: log.token), checkpoints: shelf)
        let tree = try await TreeAtPoint(at: .time(LogFixture.day(700)), of: [], in: reader)
        #expect(tree.sequence == 700 && tree.warning == nil)
        #expect(try tree.entry(f.path).version == 700)
        #expect(try tree.entry(old.path).version == 3)
    }

    @Test("a commit whose clock was a year ahead misleads nobody")
    func ahead() async throws {
        let marks: Set<UInt64> = [32, 64, 128, 256]
        let reader = try await reader { Int64($0) + (marks.contains($0) ? 365 : 0) }
        for day: Int64 in [40, 100, 130, 200, 260, 299] {
            try await expect(UInt64(day), on: day, in: reader)
        }
    }
}
