import FilesinkiModel
import FilesinkiReconcile
import Testing

/// What guards count of files that get another name and another content at once.
@Suite struct ReplacedFilesTests {
    @Test(
        "a renamed file with another content is counted as replaced where it is sent",
        arguments: [
            // old name, new name, here and there under the old one, replaced there
            (.publish(.tombstone), .publish(file("Y")), nil, file("X"), 1),
            (.publish(.tombstone), .publish(file("X")), nil, file("X"), 0),
            (.take(.tombstone), .take(file("Y")), file("X"), .tombstone, 0),
            (.take(.tombstone), .take(file("X")), file("X"), .tombstone, 0),
            (.take(.tombstone), .both(file("Y")), file("Y"), .tombstone, 0),
            (.publish(.tombstone), .both(file("Y")), nil, file("Y"), 0),
            (.leave, .leave, nil, file("X"), 0),
        ] as [(Action, Action, Entry?, Entry, Int)])
    func replaced(
        _ old: Action, _ new: Action, _ ours: Entry?, _ theirs: Entry, _ expected: Int
    ) {
        #expect(replacedTheirs(old, new, ours, theirs, as: "q") == expected)
        // In a folder that was renamed a file has its name.
        #expect(replacedTheirs(old, new, ours, theirs, as: "d/p") == 0)
    }

    private func replacedTheirs(
        _ old: Action, _ new: Action, _ ours: Entry?, _ theirs: Entry, as name: String
    ) -> Int {
        let steps = [
            Step(
                path: path("p"), base: VersionedEntry(file("X"), version: 3), ours: ours,
                theirs: VersionedEntry(theirs, version: 3), action: old,
                reason: .moved(to: path(name))),
            Step(
                path: path(name), action: new, reason: .renamedAndEdited(from: path("p")),
                movedFrom: path("p")),
        ]
        let counts = Plan(steps).counts
        #expect(counts.lostTheirs == counts.replacedTheirs)
        #expect(counts.deletedOurs + counts.deletedTheirs == 0)
        return counts.replacedTheirs
    }

    @Test func `they count against the limit of deletions`() {
        var counts = Plan.Counts()
        (counts.deletedTheirs, counts.replacedTheirs) = (20, 11)
        let violations = Guard().check(counts, baseCount: 60, missingOurs: 0)
        #expect(violations == [.deletionsTheirs(31, of: 60, limit: .standard)])
    }
}
