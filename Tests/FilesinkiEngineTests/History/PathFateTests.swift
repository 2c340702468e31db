import FilesinkiModel
import FilesinkiStore
import Testing

@testable import FilesinkiEngine

/// What became of a path.
@Suite struct PathFateTests {
    private func fate(asOf version: UInt64 = .max, _ commits: [Change]...) -> PathFate {
        var fate = PathFate(of: RelativePath(unchecked: Array("a".utf8)), asOf: version)
        for (index, changes) in commits.enumerated() {
            fate.fold(Commit(UInt64(index) + 1, changes))
        }
        return fate
    }

    private func rename(_ old: String, _ new: String) -> [Change] {
        [Change(new, "text", movedFrom: old), Change(old, nil)]
    }

    private let made = [Change("a", "text")]

    @Test func `a path that no commit has is not known, and one that is there has no end`() {
        #expect(!fate([Change("b", "text")]).isKnown)
        let there = fate(made, [Change("b", "text")])
        #expect(there.isKnown && there.end == nil && there.name.description == "a")
    }

    @Test func `renames are followed, also to a deletion and back from it`() {
        let renamed = fate(made, rename("a", "b"), rename("b", "c"))
        #expect(renamed.name.description == "c" && renamed.end?.version == 3)
        let deleted = fate(made, rename("a", "b"), [Change("b", nil)])
        #expect(deleted.isDeleted && deleted.name.description == "b")
        #expect(deleted.end?.version == 3)
        let back = fate(made, rename("a", "b"), [Change("b", nil)], [Change("b", "text")])
        #expect(!back.isDeleted && back.end?.version == 2)
    }

    @Test func `where two files swap their names, the one is followed`() {
        let swap = [
            Change("b", "other", movedFrom: "c"), Change("c", "text", movedFrom: "b"),
        ]
        #expect(fate(made, rename("a", "b"), swap).name.description == "c")
    }

    @Test func `what has the name again is what is asked for`() {
        let again = fate(made, rename("a", "b"), [Change("a", "new")], [Change("b", nil)])
        #expect(again.end == nil && again.name.description == "a")
        let gone = fate(made, rename("a", "b"), [Change("a", "new")], [Change("a", nil)])
        #expect(gone.isDeleted && gone.end?.version == 4 && gone.name.description == "a")
    }

    @Test func `what had the name at a version is followed, whatever has had it since`() {
        for (version, name, end) in [(1, "c", 4), (3, "b", 5), (.max, "b", 5)]
            as [(UInt64, String, UInt64)]
        {
            let fate = fate(
                asOf: version, made, rename("a", "b"), [Change("a", "new")], rename("b", "c"),
                rename("a", "b"))
            #expect(fate.name.description == name && fate.end?.version == end, "\(version)")
            #expect(!fate.isDeleted)
        }
        let gone = fate(asOf: 1, made, [Change("a", nil)], [Change("a", "new")], rename("a", "b"))
        #expect(gone.isDeleted && gone.end?.version == 2 && gone.name.description == "a")
        let back = [Change("a", "text", reason: "undelete")]
        let again = fate(asOf: 1, made, [Change("a", nil)], back, rename("a", "b"))
        #expect(!again.isDeleted && again.end?.version == 4 && again.name.description == "b")
    }

    @Test func `a file that another one has replaced by a rename is gone`() {
        let other = [Change("b", "other", movedFrom: "z"), Change("z", nil)]
        let fate = fate(made, rename("a", "b"), other, [Change("b", "edited")])
        #expect(fate.isDeleted && fate.end?.version == 3 && fate.name.description == "b")
    }
}
