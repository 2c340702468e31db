import FilesinkiModel
import FilesinkiReconcile
import Testing

/// Whole plans, line by line: what is done in which order, where contents come from, and why.
@Suite struct PlanLineTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var base: Tree
        /// As base where nil.
        var ours: Tree?
        var theirs: Tree?
        var moves: [String: String] = [:]
        var strategy = Strategy.standard
        var lines: [String]

        var testDescription: String { name }
    }

    @Test("a plan", arguments: contents + orders)
    func lines(_ row: Case) {
        let input = ReconcileInput(
            base: row.base, ours: row.ours ?? row.base, theirs: row.theirs ?? row.base,
            theirMoves: row.moves, rules: UniformRules(row.strategy))
        #expect(reconcile(input).lines == row.lines)
    }

    /// Where the content of a step is.
    static let contents = [
        Case(
            name: "two files exchanged there: each is taken from the other",
            base: ["f": file("X"), "g": file("Y")], theirs: ["f": file("Y"), "g": file("X")],
            lines: ["take f from g: renamed", "take g from f: renamed"]),
        Case(
            name: "two files exchanged here: nothing is written here",
            base: ["f": file("X"), "g": file("Y")], ours: ["f": file("Y"), "g": file("X")],
            lines: ["publish f: renamed", "publish g: renamed"]),
        Case(
            name: "renamed there, edited here: the edit is taken along, and published",
            base: ["f": file("X")], ours: ["f": file("Y")], theirs: ["g": file("X")],
            lines: ["write-both g from f: renamed-and-edited", "delete f: moved"]),
        Case(
            name: "renamed here, edited there: the edit is fetched",
            base: ["f": file("X")], ours: ["g": file("X")], theirs: ["f": file("Y")],
            lines: ["write-both g: renamed-and-edited", "publish-deletion f: moved"]),
        Case(
            name: "renamed here, another mode there: the content is at the new name already",
            base: ["f": file("X")], ours: ["g": file("X")], theirs: ["f": file("X", mode: 0o600)],
            lines: ["write-both g: renamed", "publish-deletion f: moved"]),
        Case(
            name: "renamed there, another mode here: both, from the old name",
            base: ["f": file("X")], ours: ["f": file("X", mode: 0o600)], theirs: ["g": file("X")],
            lines: ["write-both g from f: renamed", "delete f: moved"]),
        Case(
            name: "renamed and edited there: the new content is fetched",
            base: ["f": file("X")], theirs: ["g": file("Y")], moves: ["g": "f"],
            lines: ["take g: renamed-and-edited", "delete f: moved"]),
        Case(
            name: "renamed on both sides to the same name: nothing to write",
            base: ["f": file("X")], ours: ["g": file("X")], theirs: ["g": file("X")],
            lines: ["agree f: moved", "agree g: renamed"]),
        Case(
            name: "a folder renamed there, a child created here: it is taken along",
            base: ["d": folder, "d/f": file("X")],
            ours: ["d": folder, "d/f": file("X"), "d/n": file("Y")],
            theirs: ["e": folder, "e/f": file("X")],
            lines: [
                "take e: created", "take e/f from d/f: renamed", "write-both e/n from d/n: created",
                "delete d/n: moved", "delete d/f: moved", "delete d: moved",
            ]),
        Case(
            name: "a folder renamed here, a child created there: it is fetched to the new one",
            base: ["d": folder, "d/f": file("X")], ours: ["e": folder, "e/f": file("X")],
            theirs: ["d": folder, "d/f": file("X"), "d/n": file("Y")],
            lines: [
                "publish e: created", "publish e/f: renamed", "write-both e/n: created",
                "publish-deletion d/n: moved", "publish-deletion d/f: moved",
                "publish-deletion d: moved",
            ]),
        Case(
            name: "both edited: the copy is made from the path before the other version takes it",
            base: ["f": file("X")], ours: ["f": file("Y")], theirs: ["f": file("Z")],
            strategy: Strategy("keep-both"),
            lines: [
                "write-both f (conflict ours 59595959) from f: conflict-copy", "take f: keep-both",
            ]),
        Case(
            name: "a folder here, a file there: the file is fetched to its conflict name",
            base: [:], ours: ["p": folder, "p/q": file("X")], theirs: ["p": file("Y")],
            lines: [
                "write-both p (conflict theirs 59595959): conflict-copy",
                "publish p: folder-keeps-name", "publish p/q: created",
            ]),
    ]

    /// In which order.
    static let orders = [
        Case(
            name: "new folders come first, the outer one before the inner one",
            base: ["z": file("X")],
            theirs: [
                "a": file("Y"), "m": folder, "m/n": folder, "m/n/o": file("Z"), "z": file("W"),
            ],
            lines: [
                "take m: created", "take m/n: created", "take a: created", "take m/n/o: created",
                "take z: edit",
            ]),
        Case(
            name: "deletions come last, what is inside before its folder",
            base: [
                "a": folder, "a/b": folder, "a/b/c": file("X"), "a/d": file("Y"), "m": file("Z"),
            ],
            theirs: ["z": file("W")],
            lines: [
                "take z: created", "delete m: deleted", "delete a/d: deleted",
                "delete a/b/c: deleted", "delete a/b: deleted", "delete a: deleted",
            ]),
        Case(
            name: "renames come before what is written anew, conflict copies before renames",
            base: ["b": file("X"), "f": file("V"), "k": folder],
            ours: ["b": file("X"), "f": file("Y"), "k": folder],
            theirs: ["a": file("W"), "c": file("X"), "f": file("Z"), "k": directory(0o700)],
            strategy: Strategy("keep-both"),
            lines: [
                "write-both f (conflict ours 59595959) from f: conflict-copy",
                "take c from b: renamed", "take a: created", "take f: keep-both",
                "take k: metadata", "delete b: moved",
            ]),
        Case(
            name: "a folder that becomes a file is emptied first, from the leaves up",
            base: [
                "p": folder, "p/q": folder, "p/q/r": file("X"), "p/s": file("Y"), "z": file("V"),
            ],
            theirs: ["p": file("W"), "a": file("U")],
            lines: [
                "delete p/s: deleted", "delete p/q/r: deleted", "delete p/q: deleted",
                "take a: created", "take p: edit", "delete z: deleted",
            ]),
        Case(
            name: "a folder that becomes a symlink is emptied first, too",
            base: ["p": folder, "p/q": file("X")], theirs: ["p": symlink("t")],
            lines: ["delete p/q: deleted", "take p: edit"]),
        Case(
            name: "what is moved out of a folder that becomes a file is gone before it",
            base: ["p": folder, "p/q": file("X")], theirs: ["p": file("W"), "z": file("X")],
            lines: ["take z from p/q: renamed", "delete p/q: moved", "take p: edit"]),
        Case(
            name: "a file that becomes a folder is replaced before what is in it",
            base: ["p": file("X")], theirs: ["p": folder, "p/a": folder, "p/a/b": file("Y")],
            lines: ["take p: edit", "take p/a: created", "take p/a/b: created"]),
        Case(
            name: "only what is written here has to be in order: a deletion there comes last",
            base: ["p": folder, "p/q": file("X"), "z": file("Y")], ours: ["p": file("W")],
            lines: [
                "publish p: edit", "publish-deletion z: deleted", "publish-deletion p/q: deleted",
            ]),
        Case(
            name: "a symlink that becomes a file needs no room",
            base: ["l": symlink("t"), "z": file("X")], theirs: ["l": file("Y")],
            lines: ["take l: edit", "delete z: deleted"]),
        Case(
            name: "steps of one kind are by the bytes of their paths",
            base: [:],
            theirs: [
                "b": file("X"), "B": file("Y"), "a-": file("Z"), "a": folder, "a/b": file("W"),
                "é": file("V"), "a.": file("U"),
            ],
            lines: [
                "take a: created", "take B: created", "take a-: created", "take a.: created",
                "take a/b: created", "take b: created", "take é: created",
            ]),
        Case(
            name: "what agrees, and what waits for an answer, is by path among the rest",
            base: ["a": file("X"), "b": file("X"), "c": file("X")],
            ours: ["a": file("Y"), "b": file("Y"), "c": file("W")],
            theirs: ["a": file("Z"), "b": file("Y"), "c": file("X")],
            lines: ["undecided a: asks", "agree b: equal", "publish c: edit"]),
    ]

    @Test func `the same trees give the same plan, in whatever order their paths are stored`() {
        var chance = Chance(state: 11)
        let world: Tree = Dictionary(
            uniqueKeysWithValues: "abcdefghijkl".map { name in
                (String(name), name > "h" ? folder : file(chance.below(2) == 0 ? "X" : "Y"))
            })
        let ours = world.filter { $0.key != "a" && $0.key != "k" }.merging(["m": file("Z")]) { $1 }
        let theirs = world.filter { $0.key != "b" }.merging(["m": file("W"), "i": file("V")]) { $1 }
        let plain = reconcile(ReconcileInput(base: world, ours: ours, theirs: theirs))
        for capacity in [16, 64, 256, 1024] {
            var other = ReconcileInput(base: world, ours: ours, theirs: theirs)
            other.ours.reserveCapacity(capacity)
            other.theirs.reserveCapacity(capacity * 2)
            #expect(reconcile(other) == plain)
        }
    }
}

/// What a step and a plan say to a person and to a program.
@Suite struct StepWordTests {
    private static let reasons: [(Reason, String, String)] = [
        (.edit, "edit", "edited"), (.created, "created", "new"), (.deleted, "deleted", "deleted"),
        (.equal, "equal", "the same on both sides"),
        (.metadata, "metadata", "mode or time changed"),
        (
            .laterTime, "later-time",
            "both sides changed only the time; the later one was kept"
        ),
        (
            .committedMode, "committed-mode",
            "both sides changed the mode; the committed one was kept"
        ),
        (
            .strategy("newest"), "newest", "both sides changed it; the strategy 'newest' decided"
        ),
        (.merged("auto:json"), "auto:json", "both edits kept, merged by auto:json"),
        (
            .editBeatsDelete, "edit-beats-delete",
            "one side edited it, the other deleted it; the edit was kept"
        ),
        (
            .deleteBeatsEdit, "delete-beats-edit",
            "one side edited it, the other deleted it; deleted, as on-delete says"
        ),
        (.folderKeepsName, "folder-keeps-name", "a folder has the same name and keeps it"),
        (.holdsSurvivor, "holds-survivor", "the folder is not empty"),
        (.renamed(from: path("o")), "renamed", "renamed from o"),
        (
            .renamedAndEdited(from: path("o")), "renamed-and-edited",
            "edited, and renamed from o"
        ),
        (.moved(to: path("o")), "moved", "renamed to o"),
        (
            .bothNames(of: path("o")), "both-names", "both sides renamed o; both names were kept"
        ),
        (
            .otherName, "both-names",
            "both sides renamed the same file; both names were kept"
        ),
        (.staleCopy, "stale-copy", "an old copy of a file that was deleted there"),
        (.conflictCopy(of: path("o")), "conflict-copy", "the other version of o"),
        (
            .asks("ask"), "asks", "both sides changed it; the strategy 'ask' needs an answer"
        ),
        (.open, "open", "both sides changed it; the strategy leaves the conflict open"),
        (.blocked, "blocked", "cannot be read here: nothing was decided"),
        (
            .holdsBlocked, "holds-blocked",
            "the folder holds files that cannot be read, are not held here, or were moved out"
        ),
        (.ignored, "ignored", "ignored here: not received"),
        (.ignoredUntilNow, "ignored", "not ignored any more: comes with the next run"),
        (.holdsIgnored, "holds-ignored", "the folder holds files that are ignored here"),
    ]

    @Test("a reason is a word and a sentence", arguments: reasons)
    func words(_ reason: Reason, _ word: String, _ explanation: String) {
        #expect(reason.word == word)
        #expect(reason.explanation == explanation)
        let step = Step(path: path("p"), action: .skip, reason: reason)
        #expect(step.description == "skip p: \(explanation)")
        #expect(step.isMovedAway == (word == "moved"))
        #expect(step.isConflictCopy == (word == "conflict-copy"))
        #expect(step.copied == (word == "conflict-copy" ? path("o") : nil))
    }

    @Test(
        "what was deleted here, and has the base's content there, was brought back",
        arguments: [
            (.editBeatsDelete, .take(file("X")), "it was kept"),
            (.strategy("there"), .take(file("X")), "the version there was chosen"),
            (.strategy("here"), .publish(.tombstone), "the deletion was chosen"),
        ] as [(Reason, Action, String)])
    func broughtBack(_ reason: Reason, _ action: Action, _ what: String) {
        let step = Step(
            path: path("p"), base: VersionedEntry(file("X"), version: 1),
            theirs: VersionedEntry(file("X"), version: 3), action: action, reason: reason)
        #expect(step.explanation == "deleted here, brought back there; \(what)")
    }

    private static let asked = Action.undecided(
        Conflict(path: path("p"), base: nil, ours: file("X"), theirs: file("Y")))

    @Test(
        "an action says which sides it writes",
        arguments: [
            (.agree, "agree", false, false, nil), (.leave, "leave", false, false, nil),
            (.skip, "skip", false, false, nil), (asked, "undecided", false, false, nil),
            (.publish(file("X")), "publish", false, true, file("X")),
            (.take(file("X")), "take", true, false, file("X")),
            (.both(file("X")), "write-both", true, true, file("X")),
            (.both(.tombstone), "delete-both", true, true, .tombstone),
        ] as [(Action, String, Bool, Bool, Entry?)])
    func actions(
        _ action: Action, _ word: String, _ ours: Bool, _ theirs: Bool, _ entry: Entry?
    ) {
        #expect(action.word == word)
        #expect(action.writesOurs == ours)
        #expect(action.writesTheirs == theirs)
        #expect(action.entry == entry)
    }

    @Test func `a line names the action, the path, the origin and the reason`() {
        let step = Step(
            path: path("d/g"), action: .take(file("X")), reason: .renamed(from: path("f")),
            origin: path("f"))
        #expect(step.description == "take d/g from f: renamed from f")
        #expect(Plan([step, step]).description == "\(step)\n\(step)")
        let odd = RelativePath(unchecked: [0x61, 0x0A, 0xFF])
        #expect(
            Step(path: odd, action: .take(.tombstone), reason: .deleted).description
                == "delete a\\x0a\\xff: deleted")
    }

    @Test func `a step remembers its few details, each by itself`() {
        let plain = Step(path: path("p"), action: .take(file("X")), reason: .edit)
        #expect(plain.origin == nil && plain.movedFrom == nil && plain.supersededEntry == nil)
        let one = Step(
            path: path("p"), action: .take(file("X")), reason: .edit, origin: path("o"))
        let two = Step(
            path: path("p"), action: .take(file("X")), reason: .edit, movedFrom: path("m"))
        let three = Step(
            path: path("p"), action: .take(file("X")), reason: .edit, supersededEntry: file("Y"))
        #expect(one.origin == path("o") && one.movedFrom == nil && one.supersededEntry == nil)
        #expect(two.movedFrom == path("m") && two.origin == nil && two.supersededEntry == nil)
        #expect(three.supersededEntry == file("Y") && three.origin == nil)
        #expect(Set([plain, one, two, three]).count == 4)
    }

    /// What each action counts as, for what was here and there before.
    @Test(
        "a step is counted by what it takes away",
        arguments: [
            // action, here, there, deleted here, there, overwritten here, there
            (.take(.tombstone), file("X"), nil, [1, 0, 0, 0]),
            (.take(.tombstone), nil, file("X"), [0, 0, 0, 0]),
            (.take(file("Y")), file("X"), nil, [0, 0, 1, 0]),
            (.take(file("X", mode: 0o600)), file("X"), nil, [0, 0, 0, 0]),
            (.take(file("Y")), nil, nil, [0, 0, 0, 0]),
            (.publish(.tombstone), nil, file("X"), [0, 1, 0, 0]),
            (.publish(.tombstone), file("X"), .tombstone, [0, 0, 0, 0]),
            (.publish(file("Y")), nil, file("X"), [0, 0, 0, 1]),
            (.publish(file("Y")), file("Y"), .tombstone, [0, 0, 0, 0]),
            (.publish(symlink("t")), nil, symlink("u"), [0, 0, 0, 1]),
            (.both(.tombstone), file("X"), file("Y"), [1, 1, 0, 0]),
            (.both(file("Z")), file("X"), file("Y"), [0, 0, 1, 1]),
            (.both(file("Z")), file("Z"), file("Y"), [0, 0, 0, 1]),
            (.agree, file("X"), file("Y"), [0, 0, 0, 0]),
            (.leave, file("X"), file("Y"), [0, 0, 0, 0]),
        ] as [(Action, Entry?, Entry?, [Int])])
    func counts(_ action: Action, _ ours: Entry?, _ theirs: Entry?, _ expected: [Int]) {
        func counts(_ reason: Reason) -> [Int] {
            let step = Step(
                path: path("p"), ours: ours, theirs: theirs.map { VersionedEntry($0, version: 3) },
                action: action, reason: reason)
            let counts = Plan([step]).counts
            return [
                counts.deletedOurs, counts.deletedTheirs, counts.overwrittenOurs,
                counts.overwrittenTheirs,
            ]
        }
        #expect(counts(.edit) == expected)
        // The old name of a rename is no deletion.
        #expect(counts(.moved(to: path("q"))) == [0, 0, 0, 0])
    }

    @Test func `counts are added one by one`() {
        let fields: [WritableKeyPath<Plan.Counts, Int>] = [
            \.agreed, \.published, \.taken, \.writtenToBoth, \.undecided, \.left, \.skipped,
            \.conflictCopies, \.deletedOurs, \.deletedTheirs, \.replacedTheirs,
            \.overwrittenOurs, \.overwrittenTheirs,
        ]
        for (index, field) in fields.enumerated() {
            var sum = Plan.Counts()
            sum[keyPath: field] = 100
            var other = Plan.Counts()
            for (number, field) in fields.enumerated() { other[keyPath: field] = number + 1 }
            sum.add(other)
            #expect(sum[keyPath: field] == 101 + index)
            #expect(fields.reduce(0) { $0 + sum[keyPath: $1] } == 100 + 91)
        }
    }
}
