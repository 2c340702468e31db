import FilesinkiModel
import FilesinkiReconcile
import Testing

/// What only one side has: saves that were confirmed, rules that ask before a deletion, paths that are
/// blocked, and names of devices.
@Suite struct SingleSideTests {
    private func base(_ tree: Tree) -> [RelativePath: VersionedEntry] {
        Dictionary(
            uniqueKeysWithValues: tree.map { (path($0.key), VersionedEntry($0.value, version: 1)) })
    }

    private func remote(
        _ entry: Entry, movedFrom: String? = nil, former: Set<ContentID> = [],
        isSaved: Bool = false, isOtherName: Bool = false, by device: Device? = .theirs
    ) -> RemoteChange {
        RemoteChange(
            VersionedEntry(entry, version: 2), movedFrom: movedFrom.map(path), device: device,
            formerContents: former, isSaved: isSaved, isOtherName: isOtherName)
    }

    @Test("9: a confirmed save of the base's content is an edit", arguments: [false, true])
    func savedHere(_ isSaved: Bool) {
        let input = ReconcileInput(
            base: base(["f": file("X")]),
            ours: [path("f"): LocalChange(file("X"), isSaved: isSaved)],
            theirs: [path("f"): remote(.tombstone)], device: .ours)
        let steps = reconcile(input).steps
        #expect(steps.map(\.action) == [isSaved ? .publish(file("X")) : .take(.tombstone)])
        #expect(steps.map(\.reason) == [isSaved ? .editBeatsDelete : .deleted])
    }

    @Test("10: a confirmed remote save is an edit", arguments: [false, true])
    func savedThere(_ isSaved: Bool) {
        let input = ReconcileInput(
            base: base(["f": file("X")]), ours: [path("f"): LocalChange(nil)],
            theirs: [path("f"): remote(file("X", mode: 0o755), isSaved: isSaved)], device: .ours)
        let steps = reconcile(input).steps
        #expect(
            steps.map(\.action)
                == [isSaved ? .take(file("X", mode: 0o755)) : .publish(.tombstone)])
        #expect(steps.map(\.reason) == [isSaved ? .editBeatsDelete : .deleted])
    }

    @Test("15: what the commit says of another name is the reason, and does not change the plan")
    func otherName() {
        let plans = [false, true].map { isOtherName in
            reconcile(
                ReconcileInput(
                    base: base(["g": file("X")]), ours: [:],
                    theirs: [path("h"): remote(file("X"), isOtherName: isOtherName)],
                    device: .ours))
        }
        #expect(plans.map { $0.steps.map(\.reason) } == [[.created], [.otherName]])
        #expect(plans.map { $0.steps.map(\.action) } == [[.take(file("X"))], [.take(file("X"))]])
        let pieces = plans.map { plan in
            var pieces: [[UInt8]] = []
            plan.forEachCanonicalPiece { pieces.append($0) }
            return pieces
        }
        #expect(pieces[0] == pieces[1])
    }

    @Test("23: a confirmed save is no stale copy", arguments: [false, true])
    func savedStaleCopy(_ isSaved: Bool) {
        let input = ReconcileInput(
            base: base([:]), ours: [path("f"): LocalChange(file("X"), isSaved: isSaved)],
            theirs: [path("f"): remote(.tombstone, former: [Character("X").id])], device: .ours)
        let steps = reconcile(input).steps
        #expect(steps.map(\.action) == [isSaved ? .publish(file("X")) : .take(.tombstone)])
        #expect(steps.map(\.reason) == [isSaved ? .created : .staleCopy])
    }

    @Test("23: without a base, a confirmed save is no received version", arguments: [false, true])
    func savedFormerVersion(_ isSaved: Bool) {
        let input = ReconcileInput(
            base: base([:]), ours: [path("f"): LocalChange(file("X"), isSaved: isSaved)],
            theirs: [path("f"): remote(file("Y"), former: [Character("X").id])], device: .ours)
        let isTaken = reconcile(input).steps.map(\.action) == [.take(file("Y"))]
        #expect(isTaken == !isSaved)
    }

    /// Rules that want an answer before a file is deleted.
    private struct AskingRules: StrategyRules {
        var onDelete = OnDelete.ask

        func strategy(for path: RelativePath) -> Strategy { .standard }
        func onDelete(for path: RelativePath) -> OnDelete { onDelete }
        func asksBeforeDeleting(_ path: RelativePath) -> Bool { true }
    }

    @Test func `a rule that asks does so before an unedited file is deleted here, and only then`() {
        let world: Tree = ["f": file("X"), "d": folder, "l": symlink("t"), "g": file("Y")]
        let input = ReconcileInput(
            base: base(world), ours: [path("g"): LocalChange(nil)],
            theirs: Dictionary(
                uniqueKeysWithValues: ["f", "d", "l"].map { (path($0), remote(.tombstone)) }),
            rules: AskingRules(), device: .ours)
        let reconciliation = Reconciliation(input)
        #expect(reconciliation.conflicts.map(\.path) == [path("f")])
        #expect(reconciliation.conflicts.map(\.kind) == [.deletion])
        #expect(reconciliation.conflicts.first?.links == [.end(.ask)])
        let actions = reconciliation.plan().steps.map(\.action.word)
        #expect(actions.sorted() == ["delete", "delete", "publish-deletion", "undecided"])
    }

    @Test("a rule that asks follows on-delete", arguments: [OnDelete.keep, .delete])
    func asksByOnDelete(_ onDelete: OnDelete) {
        let input = ReconcileInput(
            base: base(["f": file("X")]), ours: [:], theirs: [path("f"): remote(.tombstone)],
            rules: AskingRules(onDelete: onDelete), device: .ours)
        let action: Action = onDelete == .keep ? .publish(file("X")) : .take(.tombstone)
        #expect(reconcile(input).steps.map(\.action) == [action])
    }

    @Test("24: no rename is followed from or to a blocked path", arguments: ["f", "g", "s"])
    func blockedRename(_ name: String) {
        let input = ReconcileInput(
            base: base(["f": file("X"), "s": folder]),
            ours: [path("f"): LocalChange(nil), path("s/g"): LocalChange(file("X"))],
            theirs: [path("f"): remote(file("Y"))],
            blocked: [path(name == "g" ? "s/g" : name)], device: .ours)
        let steps = reconcile(input).steps
        #expect(!steps.contains { $0.movedFrom != nil || $0.origin != nil })
        let skipped = name == "f" ? "f" : "s/g"
        #expect(steps.first { $0.path == path(skipped) }?.action == .skip)
        #expect(steps.first { $0.path == path(skipped) }?.reason == .blocked)
    }

    @Test(
        "24: of a folder and what blocks it, the reason is what a person has to see to",
        arguments: [
            (["d/x"], [], [], Reason.blocked, Reason.holdsBlocked),
            (["d/x"], ["d/x"], [], .ignored, .holdsIgnored),
            (["d/x"], [], ["d"], .excluded, .holdsIgnored),
            (["d/x", "d/y"], ["d/y"], [], .blocked, .holdsBlocked),
        ] as [([String], [String], [String], Reason, Reason)])
    func blockedReasons(
        _ blocked: [String], _ ignored: [String], _ excluded: [String], _ file: Reason,
        _ folder: Reason
    ) {
        let entry = FilesinkiReconcileTests.file("X")
        // The files inside are planned only if they changed; then they keep the folder by themselves.
        for (deleted, reason) in [("d/x", file), ("d", folder)] {
            let input = ReconcileInput(
                base: base(["d": FilesinkiReconcileTests.folder, "d/x": entry, "d/y": entry]),
                ours: [:], theirs: [path(deleted): remote(.tombstone)],
                blocked: Set(blocked.map(path)), ignored: Set(ignored.map(path)),
                excluded: Set(excluded.map(path)), device: .ours)
            let step = reconcile(input).steps.first { $0.path == path(deleted) }
            #expect(step?.reason == reason)
            #expect(step?.action == .skip)
        }
    }

    @Test("12: a copy of the committed version is named after its committing device")
    func sender() {
        for (device, name) in [(Device.theirs, "theirs"), (nil, "unknown")] as [(Device?, String)] {
            let input = ReconcileInput(
                base: base([:]), ours: [path("p"): LocalChange(folder)],
                theirs: [path("p"): remote(file("Y"), by: device)], device: .ours)
            let copies = reconcile(input).steps.filter(\.isConflictCopy)
            #expect(copies.map(\.path.description) == ["p (conflict \(name) 59595959)"])
            #expect(copies.map(\.action) == [.both(file("Y"))])
            #expect(copies.map(\.origin) == [nil])
        }
    }

    @Test("a conflict knows its kind and whether its contents can be merged")
    func kinds() {
        func conflict(_ base: Entry?, _ ours: Entry?, _ theirs: Entry?) -> Conflict {
            Conflict(path: path("f"), base: base, ours: ours, theirs: theirs)
        }
        let rows: [(Conflict, Conflict.Kind, Bool)] = [
            (conflict(file("X"), file("Y"), file("Z")), .content, true),
            (conflict(nil, file("Y"), file("Z")), .content, true),
            (conflict(symlink("t"), file("Y"), file("Z")), .content, false),
            (conflict(file("X"), symlink("t"), file("Z")), .content, false),
            (conflict(file("X"), file("Y"), symlink("t")), .content, false),
            (conflict(file("X"), file("Y"), nil), .deletion, false),
            (conflict(file("X"), nil, file("Z")), .deletion, false),
            (conflict(file("X"), folder, file("Z")), .folder, false),
            (conflict(nil, file("Y"), folder), .folder, false),
        ]
        for (conflict, kind, isOfFiles) in rows {
            #expect(conflict.kind == kind)
            #expect(conflict.isOfFiles == isOfFiles)
            #expect(conflict.oursPath == path("f") && conflict.theirsPath == path("f"))
        }
    }

    @Test(
        "the links are tried in order, and those that decline are removed",
        arguments: [
            ("text, keep-both", nil, "text, keep-both"), ("newest, text", nil, "text"),
            ("newest, larger", "keep-both", ""), ("newest, there", "there", "there"),
            ("smaller, leave", "leave", "leave"), ("ask, here", nil, "ask, here"),
            ("choose:x", nil, "choose:x"), ("keep-both", "keep-both", "keep-both"),
        ] as [(String, String?, String)])
    func resolvesByEntries(_ chain: String, _ rule: String?, _ rest: String) throws {
        var conflict = Conflict(
            path: path("f"), base: nil, ours: file("Y"), theirs: file("Y", mode: 0o755),
            links: try Strategy(parsing: chain).links)
        #expect(conflict.resolveByEntries()?.rule == rule)
        #expect(Strategy(conflict.links).description == rest)
    }
}
