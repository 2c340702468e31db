import FilesinkiModel
import FilesinkiReconcile
import Testing

/// What a run may not delete after the root was found empty.
@Suite struct EmptiedRootTests {
    private let emptied = EmptiedRoot(sequence: 7, paths: 4)

    private func deletion(
        _ name: String, since version: UInt64, here: Entry? = nil, there: Entry? = nil
    ) -> Step {
        let known = file("X")
        return Step(
            path: RelativePath(unchecked: Array(name.utf8)),
            base: VersionedEntry(known, version: version), ours: here,
            theirs: VersionedEntry(there ?? known, version: version),
            action: .publish(.tombstone), reason: .deleted)
    }

    @Test(
        "a path that was there at that time stops the run, a later one does not",
        arguments: [(1, 1), (7, 1), (8, 0), (100, 0)] as [(UInt64, Int)])
    func versions(_ version: UInt64, _ count: Int) {
        let found = emptied.violation(of: Plan([deletion("a", since: version)]))
        #expect(found == (count > 0 ? .stillMissing(count, of: 4) : nil))
    }

    @Test func `each one is counted, and the others are not`() {
        let plan = Plan([
            deletion("a", since: 2), deletion("b", since: 3), deletion("new", since: 9),
            // It is here: another reason deletes it.
            deletion("c", since: 4, here: file("Y")),
            // It is deleted there already.
            deletion("d", since: 5, there: .tombstone),
        ])
        #expect(emptied.violation(of: plan) == .stillMissing(2, of: 4))
    }

    @Test func `a path that the base does not have was not missing`() {
        var unknown = deletion("a", since: 2)
        unknown.base = nil
        #expect(emptied.violation(of: Plan([unknown])) == nil)
    }

    @Test func `a new path, an edit and a renamed path stop nothing`() {
        let known = file("X")
        var renamed = deletion("a", since: 2)
        renamed.reason = .moved(to: RelativePath(unchecked: Array("b".utf8)))
        let plan = Plan([
            renamed,
            Step(path: renamed.path, action: .publish(known), reason: .created),
            Step(
                path: renamed.path, base: VersionedEntry(known, version: 2), ours: known,
                theirs: VersionedEntry(known, version: 2), action: .publish(file("Y")),
                reason: .edit),
        ])
        #expect(emptied.violation(of: plan) == nil)
    }

    @Test(
        "the text makes the round trip, and any other text is no note",
        arguments: ["", "7", "7 0", "7 -1", "x 4", "7 4 1", "-7 4"])
    func text(_ damaged: String) {
        #expect(EmptiedRoot(emptied.bytes) == emptied)
        #expect(EmptiedRoot(Array(damaged.utf8)) == nil)
    }
}
