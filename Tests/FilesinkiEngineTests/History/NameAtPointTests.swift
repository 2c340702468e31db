import FilesinkiModel
import FilesinkiStore
import Testing

@testable import FilesinkiEngine

/// How what is at a path came there.
@Suite struct NameAtPointTests {
    private func path(_ name: String) -> RelativePath { RelativePath(unchecked: Array(name.utf8)) }

    /// That of `b`, since a commit.
    private func arrival(since point: UInt64, _ commits: [Change]...) -> PathArrival {
        var arrival = PathArrival(at: path("b"), since: point)
        for (index, changes) in commits.enumerated() {
            arrival.fold(Commit(UInt64(index) + 1, changes))
        }
        return arrival
    }

    private func rename(_ old: String, _ new: String) -> [Change] {
        [Change(new, "text", movedFrom: old), Change(old, nil)]
    }

    private let made = [Change("b", "text")]

    @Test func `what was there at the point, or was made since, has no other name`() {
        #expect(arrival(since: 1, [Change("a", "text")]).beginning == nil)
        #expect(arrival(since: 1, made, [Change("b", "edited")]).beginning == .before)
        #expect(arrival(since: 1, [], made).beginning == .new)
        #expect(arrival(since: 2, [], rename("a", "b")).beginning == .before)
    }

    @Test func `the newest rename is the one that counts`() {
        let wanted = PathArrival.Beginning.rename(from: path("c"), version: 4)
        let edit = [Change("b", "edited")]
        let again = arrival(since: 1, made, rename("b", "a"), [], rename("c", "b"), edit)
        #expect(again.beginning == wanted)
        let left = arrival(
            since: 1, made, [Change("b", nil)], [], rename("c", "b"), rename("b", "d"))
        #expect(left.beginning == wanted && !left.isDeleted)
        let swapped = arrival(
            since: 1, made, [], [],
            [Change("b", "other", movedFrom: "c"), Change("c", "text", movedFrom: "b")])
        #expect(swapped.beginning == wanted)
    }

    @Test func `what was made after a deletion or a rename is new`() {
        #expect(arrival(since: 1, made, [Change("b", nil)]).isDeleted)
        #expect(arrival(since: 1, made, [Change("b", nil)], made).beginning == .new)
        #expect(arrival(since: 1, made, rename("b", "a"), made).beginning == .new)
    }

    @Test func `a resolve that takes the conflict copy is no rename`() {
        let copy = "b (conflict a 01234567)"
        #expect(arrival(since: 1, made, rename(copy, "b")).beginning == .before)
    }
}
