import FilesinkiModel
import FilesinkiReconcile
import Testing

/// How conflicts end whose links had to be asked.
@Suite struct ConflictTests {
    private let ours = file("Y")
    private let theirs = file("Z")

    /// The steps when the first link that has to be asked gives this outcome; nil when it declines.
    private func steps(
        _ chain: String, _ outcome: Resolution.Outcome?, ours: Entry?, theirs: Entry
    ) throws -> [Step] {
        let rules = UniformRules(try Strategy(parsing: chain), onDelete: .ask)
        var reconciliation = Reconciliation(conflict(rules, ours, theirs))
        var conflict = try #require(reconciliation.conflicts.first)
        let link = try #require(conflict.links.first)
        if let outcome {
            reconciliation.resolve(conflict, Resolution(outcome, by: "\(link)"))
        } else if let resolution = conflict.declineFirstLink() {
            reconciliation.resolve(conflict, resolution)
        } else {
            reconciliation.keepOpen(conflict)
        }
        return reconciliation.plan().steps
    }

    @Test(
        "a resolution ends it",
        arguments: [
            (Resolution.Outcome.ours, Action.publish(file("Y")), Reason.strategy("text")),
            (.theirs, .take(file("Z")), .strategy("text")),
            (.merged(file("W")), .both(file("W")), .merged("text")),
            (.merged(file("Y")), .publish(file("Y")), .merged("text")),
            (.leave, .leave, .open),
        ])
    func resolves(_ outcome: Resolution.Outcome, _ action: Action, _ reason: Reason) throws {
        let steps = try steps("text, newest", outcome, ours: ours, theirs: theirs)
        #expect(steps.map(\.action) == [action])
        #expect(steps.map(\.reason) == [reason])
        #expect(steps.first?.supersededEntry == (action.writesOurs ? ours : nil))
    }

    @Test func `after a link that declines, the next is asked`() throws {
        let newer = file("Y", time: 5)
        let won = try steps("text, newest, leave", nil, ours: newer, theirs: theirs)
        #expect(won.map(\.action) == [.publish(newer)])
        #expect(won.map(\.reason) == [.strategy("newest")])
        let left = try steps("text, newest, leave", nil, ours: ours, theirs: theirs)
        #expect(left.map(\.action) == [.leave])
        let next = try steps("text, json, leave", nil, ours: ours, theirs: theirs)
        #expect(next.map(\.reason) == [.asks("json")])
        guard case .undecided(let conflict)? = next.first?.action else {
            Issue.record("decided: \(next)")
            return
        }
        #expect(conflict.links == [.merge(.format(.json)), .end(.leave)])
        #expect(conflict.ours == ours)
    }

    @Test(
        "at the end of the chain, or when requested, both stay",
        arguments: [
            (nil, "keep-both"), (.keepBoth, "text"),
        ] as [(Resolution.Outcome?, String)])
    func keepsBoth(_ outcome: Resolution.Outcome?, _ rule: String) throws {
        let steps = try steps("text", outcome, ours: ours, theirs: theirs)
        #expect(steps.map(\.action) == [.both(ours), .take(theirs)])
        #expect(steps.map(\.path.description) == [copy(of: "f", "Y", by: .ours), "f"])
        #expect(steps.map(\.reason) == [.conflictCopy(of: path("f")), .strategy(rule)])
    }

    @Test(
        "an edit and a deletion",
        arguments: [.ours, .theirs, .keepBoth, nil, .leave] as [Resolution.Outcome?])
    func deletion(_ outcome: Resolution.Outcome?) throws {
        let edited = try steps("auto", outcome, ours: ours, theirs: .tombstone)
        let deleted = try steps("auto", outcome, ours: nil, theirs: theirs)
        switch outcome {
        case .ours:
            #expect(edited.map(\.action) == [.publish(ours)])
            #expect(deleted.map(\.action) == [.publish(.tombstone)])
        case .theirs:
            #expect(edited.map(\.action) == [.take(.tombstone)])
            #expect(edited.first?.supersededEntry == ours)
            #expect(deleted.map(\.action) == [.take(theirs)])
        case .leave:
            #expect(edited.map(\.action) == [.leave])
            #expect(deleted.map(\.action) == [.leave])
        default:
            #expect(edited.map(\.action) == [.publish(ours)])
            #expect(deleted.map(\.action) == [.take(theirs)])
            #expect(edited.map(\.reason) == [.editBeatsDelete])
        }
    }

    @Test func `a conflict that is not open is ignored`() throws {
        let input = conflict(UniformRules(Strategy([.choice(.ours)])), ours, theirs)
        var reconciliation = Reconciliation(input)
        #expect(reconciliation.conflicts.isEmpty)
        let decided = Conflict(path: path("f"), base: nil, ours: ours, theirs: theirs)
        reconciliation.resolve(decided, Resolution(.theirs, by: "there"))
        reconciliation.keepOpen(decided)
        #expect(reconciliation.plan() == reconcile(input))
        let elsewhere = Conflict(path: path("g"), base: nil, ours: ours, theirs: theirs)
        reconciliation.resolve(elsewhere, Resolution(.theirs, by: "there"))
        #expect(reconciliation.plan() == reconcile(input))
    }

    @Test
    func `a folder stays for a conflict in it, and is deleted when the conflict ends with nothing`()
        throws
    {
        let base: [RelativePath: VersionedEntry] = [
            path("d"): VersionedEntry(folder, version: 1),
            path("d/f"): VersionedEntry(file("X"), version: 2),
        ]
        let tombstones = [path("d"), path("d/f")].map {
            ($0, RemoteChange(VersionedEntry(.tombstone, version: 3), device: .theirs))
        }
        let input = ReconcileInput(
            base: base, ours: [path("d/f"): LocalChange(file("Y"))],
            theirs: Dictionary(uniqueKeysWithValues: tombstones),
            rules: UniformRules(onDelete: .ask), device: .ours)
        var reconciliation = Reconciliation(input)
        let open = reconciliation.plan()
        #expect(open.steps.first { $0.path == path("d") }?.reason == .holdsSurvivor)
        let conflict = try #require(reconciliation.conflicts.first)
        reconciliation.resolve(conflict, Resolution(.theirs, by: "ask"))
        #expect(
            reconciliation.plan().steps.map(\.action) == [.take(.tombstone), .take(.tombstone)])
    }

    @Test func `conflict copies are named by path, not in the order of the resolutions`()
        throws
    {
        // Names that are cut to the same one, and contents whose hashes begin with the same digits.
        let names = ["a", "b"].map { path(String(repeating: "n", count: 254) + $0) }
        let ours = try [UInt8(1), 2].map { byte in
            let id = [UInt8](repeating: 0x59, count: 4) + [UInt8](repeating: byte, count: 28)
            return Entry.file(
                try #require(ContentID(id)), size: 1, mode: 0o644,
                modified: Timestamp(nanoseconds: 1))
        }
        let theirs = RemoteChange(VersionedEntry(file("Z"), version: 1), device: .theirs)
        let input = ReconcileInput(
            base: [:] as [RelativePath: VersionedEntry],
            ours: [names[0]: LocalChange(ours[0]), names[1]: LocalChange(ours[1])],
            theirs: [names[0]: theirs, names[1]: theirs], device: .ours)
        var forwards = Reconciliation(input)
        var backwards = forwards
        #expect(forwards.conflicts.map(\.path) == names)
        for conflict in forwards.conflicts { forwards.resolve(conflict, .keepBoth) }
        for conflict in backwards.conflicts.reversed() { backwards.resolve(conflict, .keepBoth) }
        #expect(forwards.plan() == backwards.plan())
        let copies = forwards.plan().steps.filter(\.isConflictCopy)
        #expect(copies.map(\.copied) == [names[1], names[0]])
        #expect(copies.first?.path.description.hasSuffix(" 5959595902020202)") ?? false)
    }
}
