import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// What a reader of the history does if the log, which has eight commits, is not whole.
@Suite("Commits that are missing within the log")
struct HistoryReaderTests {
    private let store = MemoryRemote(address: "memory")

    private static func slot(_ sequence: UInt64) throws -> ObjectKey {
        let digits = String(sequence)
        let name = String(repeating: "0", count: 20 - digits.utf8.count) + digits
        return try ObjectKey("zones/files/log/\(name)/c")
    }

    private func reader() async throws -> HistoryReader {
        var log = try await LogFixture(at: store)
        for sequence in 1...8 as ClosedRange<Int64> { try await log.commit([], on: sequence) }
        return HistoryReader(log: log.log, view: RemoteView(token: log.token))
    }

    /// Another commit with the same parent.
    private func replaceCommit(_ sequence: UInt64) async throws {
        let other = MemoryRemote(address: "other")
        var log = try await LogFixture(at: other)
        for number in 1...Int64(sequence) {
            try await log.commit([], on: number == Int64(sequence) ? 99 : number)
        }
        store.objects[try Self.slot(sequence)] = other.objects[try Self.slot(sequence)]
    }

    private func expectMissing(_ sequence: UInt64, _ failure: Failure?) {
        #expect(failure?.code == .corrupt && failure?.path == Array("log/\(sequence)".utf8))
        #expect(failure?.message == "A commit of the log is missing.")
        #expect(failure?.remedy == "Run filesinki check.")
    }

    @Test("the commits before a missing one are read, and then it is named")
    func all() async throws {
        let reader = try await reader()
        let (sound, checkpoints) = (
            store.objects,
            try CheckpointStore(
                remote: store, zone: "files",
                store: try #require(try await StoreFormat.read(from: store)))
        )
        for gone: [UInt64] in [[8], [7, 8], [5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], [1], [4]] {
            store.objects = sound
            // What a checkpoint includes may be gone from the log.
            try await checkpoints.save(Checkpoint(token: reader.end, entries: []))
            for sequence in gone { store.objects[try Self.slot(sequence)] = nil }
            var found: [UInt64] = []
            let failure = await #expect(throws: Failure.self) {
                try await reader.forEach { commit in
                    found.append(commit.sequence)
                    return true
                }
            }
            expectMissing(gone[0], failure)
            #expect(found == Array(1..<gone[0]))
        }
    }

    @Test("who asks for the commits up to one of them does not need the later ones")
    func upTo() async throws {
        let reader = try await reader()
        for sequence: UInt64 in 6...8 { store.objects[try Self.slot(sequence)] = nil }
        var found: [UInt64] = []
        try await reader.forEach(upTo: 5) { commit in
            found.append(commit.sequence)
            return true
        }
        #expect(found == [1, 2, 3, 4, 5])
        let failure = await #expect(throws: Failure.self) {
            try await reader.forEach(upTo: 6) { _ in true }
        }
        expectMissing(6, failure)
    }

    @Test(
        "a commit that is missing among the last ones is named",
        arguments: 5...8 as ClosedRange<UInt64>)
    func last(_ gone: UInt64) async throws {
        let reader = try await reader()
        store.objects[try Self.slot(gone)] = nil
        let failure = await #expect(throws: Failure.self) {
            try await reader.forEachOfLast(4) { _ in }
        }
        expectMissing(gone, failure)
        // Those after it are whole.
        var found: [UInt64] = []
        try await reader.forEachOfLast(8 - gone) { found.append($0.sequence) }
        #expect(found == Array((gone + 1)..<9))
    }

    @Test("another commit in the place of one of the last ones is found by the one after it")
    func exchanged() async throws {
        let reader = try await reader()
        let sound = store.objects
        for (exchanged, named): (UInt64, UInt64) in [(6, 7), (8, 8), (5, 6)] {
            store.objects = sound
            try await replaceCommit(exchanged)
            #expect(store.objects != sound)
            let failure = await #expect(throws: Failure.self) {
                try await reader.forEachOfLast(4) { _ in }
            }
            expectMissing(named, failure)
        }
    }
}
