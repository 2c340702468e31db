import FilesinkiModel
import FilesinkiReconcile
import Testing

/// Conflict copies that are there already: they are recognised by name and content, on any device.
@Suite struct KnownCopyTests {
    private static let keepBoth = UniformRules(Strategy([.end(.keepBoth)]))

    /// Two edits of `f`, where a copy of what is here stands at these places.
    private func input(
        base: Bool = false, ours: Bool = false, theirs: Bool = false, content: Character = "Y",
        by device: Device = .theirs, _ rules: UniformRules = keepBoth
    ) -> ReconcileInput {
        let copied = path(copy(of: "f.txt", content, by: device))
        let entry = VersionedEntry(file("Y"), version: 1)
        var tree: [RelativePath: VersionedEntry] = [
            path("f.txt"): VersionedEntry(file("X"), version: 1)
        ]
        if base { tree[copied] = entry }
        var locals = [path("f.txt"): LocalChange(file("Y"))]
        if ours { locals[copied] = LocalChange(file("Y")) }
        var remotes = [path("f.txt"): RemoteChange(VersionedEntry(file("Z"), version: 2))]
        if theirs { remotes[copied] = RemoteChange(VersionedEntry(file("Y"), version: 2)) }
        return ReconcileInput(
            base: tree, ours: locals, theirs: remotes, rules: rules, device: .ours)
    }

    private func made(_ input: ReconcileInput) -> [String] {
        reconcile(input).steps.filter { $0.isConflictCopy && $0.action.writesOurs }
            .map(\.path.description)
    }

    @Test func `E3.7 a content is not kept twice, on any side`() {
        #expect(made(input(base: true)) == [])
        #expect(made(input(ours: true)) == [])
        #expect(made(input(theirs: true)) == [])
        #expect(made(input(ours: true, theirs: true)) == [])
        #expect(made(input()) == [copy(of: "f.txt", "Y", by: .ours)])
    }

    @Test func `E3.7 a copy in the base counts in a folder, too`() {
        let copied = path(copy(of: "d/f.txt", "Y", by: .theirs))
        let tree: [RelativePath: VersionedEntry] = [
            path("d"): VersionedEntry(folder, version: 1),
            path("d/f.txt"): VersionedEntry(file("X"), version: 1),
            copied: VersionedEntry(file("Y"), version: 1),
        ]
        let input = ReconcileInput(
            base: tree, ours: [path("d/f.txt"): LocalChange(file("Y"))],
            theirs: [path("d/f.txt"): RemoteChange(VersionedEntry(file("Z"), version: 2))],
            rules: Self.keepBoth, device: .ours)
        #expect(made(input) == [])
    }

    @Test func `E3.7 a copy that is being deleted does not count`() {
        var gone = input(base: true)
        gone.ours[path(copy(of: "f.txt", "Y", by: .theirs))] = LocalChange(nil)
        #expect(made(gone) == [copy(of: "f.txt", "Y", by: .ours)])
    }

    @Test func `E3.7 nor does a copy with another content or of another path`() {
        var other = input(base: true)
        other.ours[path(copy(of: "f.txt", "Y", by: .theirs))] = LocalChange(file("W"))
        #expect(made(other) == [copy(of: "f.txt", "Y", by: .ours)])
        var elsewhere = input()
        elsewhere.theirs[path(copy(of: "f.md", "Y", by: .theirs))] = RemoteChange(
            VersionedEntry(file("Y"), version: 2))
        #expect(made(elsewhere) == [copy(of: "f.txt", "Y", by: .ours)])
    }

    @Test func `E3.7 the same when a link had to be asked`() throws {
        let input = input(
            theirs: true, UniformRules(Strategy([.merge(.format(.text)), .end(.keepBoth)])))
        var reconciliation = Reconciliation(input)
        var conflict = try #require(reconciliation.conflicts.first)
        let resolution = conflict.declineFirstLink()
        #expect(resolution == .keepBoth)
        reconciliation.resolve(conflict, .keepBoth)
        let step = reconciliation.plan().steps.first { $0.path == path("f.txt") }
        #expect(step?.action == .take(file("Z")))
        #expect(!reconciliation.plan().steps.contains { $0.action.writesOurs && $0.isConflictCopy })
    }

    @Test func `E3.2 a new file that is a copy by name and content is reported as one`() {
        let name = copy(of: "f.txt", "Y", by: .ours)
        func reason(_ name: String, _ entry: Entry, original: Bool = true) -> Reason? {
            let base: [RelativePath: VersionedEntry] =
                original ? [path("f.txt"): VersionedEntry(file("X"), version: 1)] : [:]
            let input = ReconcileInput(
                base: base, ours: [path(name): LocalChange(entry)], theirs: [:], device: .ours)
            return reconcile(input).steps.first?.reason
        }
        #expect(reason(name, file("Y")) == .conflictCopy(of: path("f.txt")))
        #expect(reason(name, file("Z")) == .created)
        #expect(reason(name, file("Y"), original: false) == .created)
        #expect(reason("g.txt", file("Y")) == .created)
    }

    @Test func `E3.1 a guard counts what was done before, and stops only planned steps`() {
        var done = Plan.Counts()
        done.deletedOurs = 40
        var planned = Plan.Counts()
        let usual = Guard()
        #expect(usual.check(planned, after: done, baseCount: 60, missingOurs: 0) == [])
        planned.deletedOurs = 1
        #expect(
            usual.check(planned, after: done, baseCount: 60, missingOurs: 0)
                == [.deletionsOurs(41, of: 60, limit: .standard, earlier: 40)])
        #expect(usual.check(planned, after: done, baseCount: 100, missingOurs: 0) == [])
        #expect(usual.check(planned, baseCount: 60, missingOurs: 0) == [])
        // What runs before this one have deleted was in the base when they began.
        #expect(usual.check(planned, and: done, baseCount: 60, missingOurs: 0) == [])
        #expect(
            usual.check(planned, and: done, baseCount: 20, missingOurs: 0)
                == [.deletionsOurs(41, of: 60, limit: .standard, earlier: 40)])
    }
}
