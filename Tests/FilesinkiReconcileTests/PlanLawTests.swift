import FilesinkiModel
import FilesinkiReconcile
import Testing

/// What holds of every plan, for all trees of two paths, beside each other and one inside the other.
@Suite struct PlanLawTests {
    /// Both paths in each of these states.
    private static let worlds: [Tree] = {
        let states: [Entry?] = [nil, file("X"), file("Y", time: 4), folder]
        let beside = states.flatMap { left in
            states.map { right in
                var tree: Tree = [:]
                tree["p"] = left
                tree["q"] = right
                return tree
            }
        }
        let nested: [Tree] = states.compactMap(\.self).map { ["p": folder, "p/q": $0] }
        return beside + nested
    }()

    private static let rules: [UniformRules] = [
        UniformRules(), UniformRules(Strategy("newest"), onDelete: .delete),
    ]

    private func input(
        _ base: Tree, _ ours: Tree, _ theirs: Tree, _ rules: UniformRules = UniformRules()
    ) -> ReconcileInput {
        ReconcileInput(base: base, ours: ours, theirs: theirs, rules: rules)
    }

    /// What a plan makes of a tree, step by step, on the side that it writes to.
    private func result(_ tree: Tree, _ plan: Plan, isOurs: Bool) -> Tree {
        plan.steps.reduce(into: tree) { tree, step in
            guard isOurs ? step.action.writesOurs : step.action.writesTheirs else { return }
            let entry = step.action.entry
            tree[step.path.description] = entry?.kind == .tombstone ? nil : entry
        }
    }

    @Test("where one side is as the base, the other side's tree is the result", arguments: worlds)
    func oneSide(_ base: Tree) {
        for changed in Self.worlds {
            for rules in Self.rules {
                let taken = reconcile(input(base, base, changed, rules))
                #expect(taken.steps.allSatisfy { $0.action.writesOurs && !$0.action.writesTheirs })
                #expect(result(base, taken, isOurs: true) == changed)
                let published = reconcile(input(base, changed, base, rules))
                #expect(published.steps.allSatisfy { !$0.action.writesOurs })
                #expect(result(base, published, isOurs: false) == changed)
                #expect(taken.steps.count == published.steps.count)
            }
        }
    }

    @Test("where both sides are the same, nothing is written", arguments: worlds)
    func sameOnBothSides(_ base: Tree) {
        for changed in Self.worlds {
            let plan = reconcile(input(base, changed, changed, UniformRules(Strategy("leave"))))
            #expect(plan.steps.allSatisfy { $0.action == .agree })
            #expect(plan.isEmpty == (base == changed))
        }
    }

    @Test(
        "each path has one step, both sides are the same afterwards, and no edit is lost",
        arguments: worlds)
    func plans(_ base: Tree) {
        for ours in Self.worlds {
            for theirs in Self.worlds {
                for rules in Self.rules {
                    let plan = resolved(input(base, ours, theirs, rules))
                    let broken = [
                        "a path has two steps": Set(plan.steps.map(\.path)).count
                            < plan.steps.count,
                        "a step says what is not there": !plan.steps.allSatisfy {
                            isAsFound($0, base, ours, theirs)
                        },
                        "the sides differ, or a folder is missing": !isWhole(plan, ours, theirs),
                        "an edit is lost": !keepsEdits(plan, base, theirs),
                    ].filter(\.value).keys
                    guard broken.isEmpty else {
                        Issue.record("\(broken): \(base) | \(ours) | \(theirs): \(plan)")
                        return
                    }
                }
            }
        }
    }

    /// The plan when every link declines that has to be asked.
    private func resolved(_ input: ReconcileInput) -> Plan {
        var reconciliation = Reconciliation(input)
        for conflict in reconciliation.conflicts {
            reconciliation.resolve(conflict, conflict.resolvedByDeclining)
        }
        return reconciliation.plan()
    }

    private func isAsFound(_ step: Step, _ base: Tree, _ ours: Tree, _ theirs: Tree) -> Bool {
        let name = step.path.description
        let there = step.theirs?.entry.kind == .tombstone ? nil : step.theirs?.entry
        return step.base?.entry == base[name] && step.ours == ours[name] && there == theirs[name]
    }

    /// Whether both sides have the same, and each path its folder.
    private func isWhole(_ plan: Plan, _ ours: Tree, _ theirs: Tree) -> Bool {
        let here = result(ours, plan, isOurs: true)
        let there = result(theirs, plan, isOurs: false)
        return here.count == there.count
            && here.allSatisfy { name, entry in
                let folder = path(name).parent.map { here[$0.description]?.kind == .directory }
                return there[name]?.agrees(with: entry) ?? false && folder ?? true
            }
    }

    /// Whether each edit that is replaced here is under another name, or kept in the history.
    private func keepsEdits(_ plan: Plan, _ base: Tree, _ theirs: Tree) -> Bool {
        let kept = plan.steps.flatMap { [$0.action.entry, $0.supersededEntry] }.compactMap(\.self)
        return plan.steps.allSatisfy { step in
            guard step.action.writesOurs, let edit = step.ours, edit.kind != .directory else {
                return true
            }
            return [Array(base.values), Array(theirs.values), kept]
                .contains { $0.contains(where: edit.hasSameContent) }
        }
    }

    @Test("what the sides have, exchanged, is the same plan, exchanged", arguments: worlds)
    func exchanged(_ base: Tree) {
        let rules = UniformRules(Strategy("leave"))
        for ours in Self.worlds {
            for theirs in Self.worlds {
                let plan = reconcile(input(base, ours, theirs, rules))
                let other = reconcile(input(base, theirs, ours, rules))
                guard
                    Set(plan.steps.map(words))
                        == Set(other.steps.map { words($0, exchanged: true) })
                else {
                    Issue.record("\(base) | \(ours) | \(theirs): \(plan)\n\(other)")
                    return
                }
            }
        }
    }

    private func words(_ step: Step) -> String { words(step, exchanged: false) }

    /// What a step does, without the device in the name of a copy.
    private func words(_ step: Step, exchanged: Bool) -> String {
        let pairs = [
            "take": "publish", "publish": "take", "delete": "publish-deletion",
            "publish-deletion": "delete",
        ]
        let word = step.action.word
        let place = step.copied.map { "copy of \($0)" } ?? step.path.description
        return "\(exchanged ? pairs[word] ?? word : word) \(place) \(step.reason.word)"
    }

    @Test("what happens to one path does not depend on another one that it has nothing to do with")
    func independence() {
        let states: [Entry?] = [nil, file("X"), file("Y"), folder]
        let others: [Entry?] = [nil, file("A"), file("B"), symlink("t")]
        func tree(_ p: Entry?, _ q: Entry?) -> Tree {
            var tree: Tree = [:]
            tree["p"] = p
            tree["q"] = q
            return tree
        }
        for base in states {
            for ours in states {
                for theirs in states {
                    let alone = reconcile(
                        input(tree(base, nil), tree(ours, nil), tree(theirs, nil)))
                    for (index, other) in others.enumerated() {
                        let plan = reconcile(
                            input(
                                tree(base, other), tree(ours, others[(index + 1) % 4]),
                                tree(theirs, others[(index + 2) % 4])))
                        let same = plan.steps.filter { !$0.path.bytes.starts(with: "q".utf8) }
                        #expect(Set(same) == Set(alone.steps))
                    }
                }
            }
        }
    }

    private static let outcomes: [Resolution.Outcome] = [
        .ours, .theirs, .merged(file("M")), .keepBoth, .leave,
    ]

    @Test("conflicts may be resolved in any order", arguments: outcomes)
    func anyOrder(_ first: Resolution.Outcome) {
        let input = input(
            ["p": file("X"), "q": file("X")], ["p": file("Y"), "q": file("V")],
            ["p": file("Z"), "q": file("W")])
        for second in Self.outcomes {
            var forwards = Reconciliation(input)
            var backwards = Reconciliation(input)
            let conflicts = forwards.conflicts
            #expect(conflicts.map(\.path.description) == ["p", "q"])
            forwards.resolve(conflicts[0], Resolution(first, by: "a"))
            forwards.resolve(conflicts[1], Resolution(second, by: "b"))
            backwards.resolve(conflicts[1], Resolution(second, by: "b"))
            backwards.resolve(conflicts[0], Resolution(first, by: "a"))
            // What is decided once is decided.
            backwards.resolve(conflicts[0], Resolution(.theirs, by: "c"))
            backwards.keepOpen(conflicts[1])
            #expect(forwards.plan() == backwards.plan())
        }
    }
}

/// Random edits of two devices, both of which know the base: it does not matter which one syncs last.
@Suite struct SymmetryTests {
    @Test("the result is the same, whoever comes second", arguments: 0..<50)
    func symmetric(_ seed: UInt64) {
        for round in 0..<4 {
            var chance = Chance(state: seed * 4 + UInt64(round))
            var written: Set<ContentID> = []
            var base = Replica(device: .ours)
            for _ in 0..<(4 + chance.below(8)) { base.edit(&chance, &written) }
            base.moves = [:]
            base.keepModes()
            var (one, two) = (base, base)
            for _ in 0..<(1 + chance.below(4)) { one.edit(&chance, &written) }
            for _ in 0..<(1 + chance.below(4)) { two.edit(&chance, &written) }
            one.keepModes()
            two.keepModes()
            two.device = .theirs
            // A commit says of files only what they were renamed from.
            for name in one.moves.keys where one.local[name]?.kind == .directory {
                one.moves[name] = nil
            }
            for name in two.moves.keys where two.local[name]?.kind == .directory {
                two.moves[name] = nil
            }
            let results = [finish(base, one, two), finish(base, two, one)]
            if !agree(results[0], results[1]) {
                Issue.record(
                    """
                    base: \(text(base.local))
                    one: \(text(one.local)) \(one.moves)
                    two: \(text(two.local)) \(two.moves)
                    one came second: \(text(results[0]))
                    two came second: \(text(results[1]))
                    """)
            }
        }
    }

    /// What both have when the second one syncs after the first one.
    private func finish(_ base: Replica, _ last: Replica, _ first: Replica)
        -> [RelativePath: Entry]
    {
        var (store, begin) = (Store(), base)
        begin.base = [:]
        begin.sync(&store)
        var (first, last) = (first, last)
        for index in [0, 1] {
            var replica = index == 0 ? first : last
            replica.base = begin.base
            replica.rules = UniformRules(Strategy("newest, larger"))
            replica.sync(&store)
            if index == 0 { first = replica } else { last = replica }
        }
        first.sync(&store)
        if !agree(first.local, last.local) { Issue.record("not the same: \(text(first.local))") }
        return last.local
    }
}

extension Replica {
    /// Takes back what changed modes: of two, the committed one counts, which is not symmetric.
    fileprivate mutating func keepModes() {
        for (path, entry) in local where entry.kind == .file { local[path]?.mode = 0o644 }
    }
}
