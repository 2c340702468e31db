import FilesinkiHashing
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

/// The record of a prune in a commit.
@Suite("Commits of a prune")
struct PruningTests {
    private let coder = CommitCoder(store: Array(repeating: 1, count: 16), zone: "files")
    private let parent = ChangeToken(sequence: 8, hash: ContentHasher.hash([2]))

    private func draft(_ pruning: Pruning?) -> CommitDraft {
        var draft = CommitDraft(
            device: Device(id: Array(repeating: 3, count: 16), name: "a"),
            time: Timestamp(nanoseconds: 5), changes: [], operation: "prune")
        draft.pruning = pruning
        return draft
    }

    private func decoded(_ pruning: Pruning?) throws -> Commit {
        let id = [UInt8](repeating: 4, count: 16)
        return try coder.encodeVerified(draft(pruning), after: parent, id: id, key: "c").commit
    }

    @Test("retired packs and kept versions are read as they were written")
    func roundTrip() throws {
        let packs = (0..<3).map { [UInt8](repeating: $0, count: 16) }
        let pruning = Pruning(
            retired: packs, kept: KeptVersions(trees: [1...1, 3...5, 8...8], versions: 7))
        #expect(try decoded(pruning).pruning == pruning)
        let lost = Pruning(
            retired: packs, kept: KeptVersions(trees: [1...8]),
            lost: [ContentHasher.hash([1]), ContentHasher.hash([2])], ended: 8)
        #expect(try decoded(lost).pruning == lost)
        #expect(try decoded(nil).pruning == nil)
        let empty = Pruning(retired: [], kept: KeptVersions())
        #expect(try decoded(empty).pruning == empty)
    }

    @Test("an older program stops at the commit of a prune, and only there")
    func form() throws {
        let id = [UInt8](repeating: 4, count: 16)
        let empty = Pruning(retired: [], kept: KeptVersions())
        #expect(try coder.encode(draft(empty), after: parent, id: id)[7] == 1)
        #expect(try coder.encode(draft(nil), after: parent, id: id)[7] == 0)
    }

    private static func prune(_ change: (inout StoredPrune) -> Void) -> StoredPrune {
        var message = StoredPrune()
        change(&message)
        return message
    }

    @Test(
        "a damaged record of a prune is refused",
        arguments: [
            prune { $0.retired = field([UInt8](repeating: 0, count: 15)) },
            prune { $0.kept = [1] }, prune { $0.kept = [2, 1] }, prune { $0.kept = [1, 2, 2, 3] },
            prune { $0.kept = [9, 9] }, prune { $0.kept = [1, .max] },
            prune { $0.versions = .max },
            prune { $0.lost = field([UInt8](repeating: 0, count: 33)) },
            prune { $0.ended = 9 },
        ])
    func damaged(_ message: StoredPrune) throws {
        let failure = #expect(throws: Failure.self) {
            try Pruning(message, before: 9, key: "c")
        }
        #expect(failure?.code == .corrupt)
    }

    @Test("the form of a prune without its record, and a record without the form, are refused")
    func mixed() throws {
        let id = [UInt8](repeating: 4, count: 16)
        for pruning in [nil, Pruning(retired: [], kept: KeptVersions())] {
            var stored = try coder.encode(draft(pruning), after: parent, id: id)
            stored[7] ^= 1
            #expect(throws: Failure.self) { try coder.decode(stored, sequence: 9, key: "c") }
        }
    }
}
