import FilesinkiModel
import FilesinkiReconcile
import Testing

/// What happens to one path, for each pair of what is here and there, and each base: the whole table.
///
/// What is at the path, in a letter:
///
///     .  nothing                     l  a symlink to t
///     X  a file                      m  a symlink to u
///     x  X with another mode         d  a directory
///     Y  a file of another content   D  d with another mode
///     Z  a third content
///
/// What the run does:
///
///     .      nothing                        =      agrees: only the base moves
///     > <    publishes, takes an edit       >+ <+  what is new
///     >x <x  a deletion                     >! <!  an edit that beats a deletion
///     >m <m  mode or time                   >c <c  the committed mode, of two
///     **     an edit with the other mode    ??     asks the strategy
///     kk     keeps both, without asking a merge
///     >d <d  the directory keeps the name, the other one gets a conflict name
@Suite struct DecisionGridTests {
    @Test("the table", arguments: grids)
    func table(_ grid: Grid) {
        for (ours, expected) in zip(Grid.states, grid.rows) {
            let actual = Grid.states.map { grid.outcome(ours.entry, $0.entry) }
            #expect(
                actual.joined(separator: " ") == expected,
                "base \(grid.base.letter), here \(ours.letter), there . X x Y Z l m d D")
        }
    }

    /// Here is by row, there by column, both in the order `. X x Y Z l m d D`.
    static let grids = [
        Grid(
            base: ".",
            """
            . <+ <+ <+ <+ <+ <+ <+ <+
            >+ = <c ?? ?? kk kk <d <d
            >+ <c = ?? ?? kk kk <d <d
            >+ ?? ?? = ?? kk kk <d <d
            >+ ?? ?? ?? = kk kk <d <d
            >+ kk kk kk kk = kk <d <d
            >+ kk kk kk kk kk = <d <d
            >+ >d >d >d >d >d >d = <c
            >+ >d >d >d >d >d >d <c =
            """),
        Grid(
            base: "X",
            """
            = >x >x <! <! <! <! <! <!
            <x . <m < < < < < <
            <x >m = ** ** < < < <
            >! > ** = ?? kk kk <d <d
            >! > ** ?? = kk kk <d <d
            >! > > kk kk = kk <d <d
            >! > > kk kk kk = <d <d
            >! > > >d >d >d >d = <c
            >! > > >d >d >d >d <c =
            """),
        Grid(
            base: "l",
            """
            = <! <! <! <! >x <! <! <!
            >! = <c kk kk > kk <d <d
            >! <c = kk kk > kk <d <d
            >! kk kk = kk > kk <d <d
            >! kk kk kk = > kk <d <d
            <x < < < < . < < <
            >! kk kk kk kk > = <d <d
            >! >d >d >d >d > >d = <c
            >! >d >d >d >d > >d <c =
            """),
        Grid(
            base: "d",
            """
            = <! <! <! <! <! <! >x >x
            >! = <c kk kk kk kk > >
            >! <c = kk kk kk kk > >
            >! kk kk = kk kk kk > >
            >! kk kk kk = kk kk > >
            >! kk kk kk kk = kk > >
            >! kk kk kk kk kk = > >
            <x < < < < < < . <m
            <x < < < < < < >m =
            """),
    ]
}

/// The table of one base.
struct Grid: Sendable, CustomTestStringConvertible {
    struct State: Sendable {
        let letter: Character
        let entry: Entry?
    }

    static let states = [
        State(letter: ".", entry: nil), State(letter: "X", entry: file("X")),
        State(letter: "x", entry: file("X", mode: 0o600)), State(letter: "Y", entry: file("Y")),
        State(letter: "Z", entry: file("Z")), State(letter: "l", entry: symlink("t")),
        State(letter: "m", entry: symlink("u")), State(letter: "d", entry: folder),
        State(letter: "D", entry: directory(0o700)),
    ]

    let base: State
    let rows: [String]

    init(base letter: Character, _ text: String) {
        base = Self.states.first { $0.letter == letter } ?? Self.states[0]
        rows = text.split(separator: "\n").map(String.init)
    }

    var testDescription: String { "base \(base.letter)" }

    /// What the run does, in the letters of the table.
    func outcome(_ ours: Entry?, _ theirs: Entry?) -> String {
        let tree: (Entry?) -> Tree = { entry in entry.map { ["f.txt": $0] } ?? [:] }
        let plan = reconcile(
            ReconcileInput(base: tree(base.entry), ours: tree(ours), theirs: tree(theirs)))
        guard let step = plan.step("f.txt") else { return plan.isEmpty ? "." : "\(plan)" }
        let copies = plan.steps.count - 1
        switch (step.action, step.reason) {
        case (.agree, .equal) where copies == 0: return "="
        case (.undecided, .asks("auto")) where copies == 0: return "??"
        case (.take, .strategy("keep-both")) where copies == 1: return "kk"
        case (.both(let entry), .edit) where copies == 0 && entry.mode == 0o600: return "**"
        case (.publish, let reason): return direction(">", reason, copies) ?? "\(plan)"
        case (.take, let reason): return direction("<", reason, copies) ?? "\(plan)"
        default: return "\(plan)"
        }
    }

    private func direction(_ arrow: String, _ reason: Reason, _ copies: Int) -> String? {
        let suffixes: [Reason: String] = [
            .edit: "", .created: "+", .deleted: "x", .editBeatsDelete: "!", .metadata: "m",
            .committedMode: "c", .folderKeepsName: "d",
        ]
        guard copies == (reason == .folderKeepsName ? 1 : 0) else { return nil }
        return suffixes[reason].map { arrow + $0 }
    }
}

/// Which link of a strategy decides between which kinds: rows 7, 8, 12 and 21.
@Suite struct StrategyGridTests {
    /// What a strategy of one link makes of each pair: `here` or `there` for the version that both sides
    /// get, `both` for two names, `ask` where the link needs an answer, `folder` where the directory keeps
    /// the name, `open` for a conflict that stays.
    @Test(
        "one link",
        arguments: [
            //              Y@4 Z@2  Z@2 Y@4  same    Y@4 link@2  link@2 Y@4  two links  Y folder
            ("newest", "here there both here there here folder"),
            ("oldest", "there here both there here there folder"),
            ("larger", "there here both both both both folder"),
            ("smaller", "here there both both both both folder"),
            ("here", "here here here here here here folder"),
            ("there", "there there there there there there folder"),
            ("keep-both", "both both both both both both folder"),
            ("leave", "open open open open open open folder"),
            ("ask", "ask ask ask ask ask ask folder"),
            ("choose:x", "ask ask ask ask ask ask folder"),
            ("prefer:ours", "ask ask ask ask ask ask folder"),
            ("auto", "ask ask ask both both both folder"),
            ("text", "ask ask ask both both both folder"),
            ("exec:x", "ask ask ask both both both folder"),
            ("greater:/a", "ask ask ask both both both folder"),
            ("lesser:/a", "ask ask ask both both both folder"),
        ])
    func oneLink(_ chain: String, _ expected: String) {
        let outcomes = pairs.map { outcome(Strategy(chain), $0, $1) }
        #expect(outcomes.joined(separator: " ") == expected)
    }

    /// Likewise of chains: the first link decides that does not decline.
    @Test(
        "a chain",
        arguments: [
            ("newest, there", "here there there here there here folder"),
            ("larger, newest, leave", "there here open here there here folder"),
            ("smaller, oldest, here", "here there here there here there folder"),
            ("text, here", "ask ask ask here here here folder"),
            ("json, csv, exec:x, newest, leave", "ask ask ask here there here folder"),
            ("greater:/a, oldest", "ask ask ask there here there folder"),
            ("larger, ask", "there here ask ask ask ask folder"),
            ("newest, smaller, keep-both", "here there both here there here folder"),
        ])
    func chains(_ chain: String, _ expected: String) {
        let outcomes = pairs.map { outcome(Strategy(chain), $0, $1) }
        #expect(outcomes.joined(separator: " ") == expected)
    }

    private let pairs: [(Entry, Entry)] = [
        (file("Y", time: 4), file("Z", time: 2)), (file("Z", time: 2), file("Y", time: 4)),
        (sized("Y"), sized("Z")), (file("Y", time: 4), symlink("t", time: 2)),
        (symlink("t", time: 2), file("Y", time: 4)),
        (symlink("t", time: 4), symlink("u", time: 2)), (file("Y", time: 4), folder),
    ]

    private func outcome(_ strategy: Strategy, _ ours: Entry, _ theirs: Entry) -> String {
        let plan = reconcile(
            ReconcileInput(
                base: ["f": file("X")], ours: ["f": ours], theirs: ["f": theirs],
                rules: UniformRules(strategy)))
        guard let step = plan.step("f") else { return "nothing" }
        let copied = plan.steps.first(where: \.isConflictCopy)?.action
        switch step.action {
        case .publish(ours) where step.supersededEntry == nil: return "here"
        case .take(theirs) where copied == nil && step.supersededEntry == ours: return "there"
        case .take(theirs) where copied == .both(ours) && step.supersededEntry == nil:
            return step.reason == .folderKeepsName ? "folder" : "both"
        case .undecided(let conflict) where conflict.ours == ours: return "ask"
        case .leave where step.reason == .open: return "open"
        default: return "\(plan)"
        }
    }

    @Test(
        "9, 10: no strategy is asked about a deletion",
        arguments: ["here", "there", "newest", "leave", "ask", "keep-both", "auto", "choose:x"])
    func deletions(_ chain: String) {
        let rules = UniformRules(Strategy(chain))
        let edited = ReconcileInput(
            base: ["f": file("X")], ours: ["f": file("Y")], theirs: [:], rules: rules)
        #expect(reconcile(edited).lines == ["publish f: edit-beats-delete"])
        let deleted = ReconcileInput(
            base: ["f": file("X")], ours: [:], theirs: ["f": file("Y")], rules: rules)
        #expect(reconcile(deleted).lines == ["take f: edit-beats-delete"])
    }

    @Test(
        "2, 3: no strategy is asked about an edit on one side",
        arguments: ["here", "there", "newest", "oldest", "leave", "ask", "keep-both", "larger"])
    func oneSide(_ chain: String) {
        let rules = UniformRules(Strategy(chain))
        for edit in [file("Y", time: 0), file("Y", time: 9), symlink("t"), folder] {
            let here = ReconcileInput(
                base: ["f": file("X")], ours: ["f": edit], theirs: ["f": file("X")], rules: rules)
            #expect(reconcile(here).lines == ["publish f: edit"])
            let there = ReconcileInput(
                base: ["f": file("X")], ours: ["f": file("X")], theirs: ["f": edit], rules: rules)
            #expect(reconcile(there).lines == ["take f: edit"])
        }
    }

    /// What an edit of each kind meets in a deletion on the other side, by what `on-delete` says.
    @Test(
        "9, 10: on-delete",
        arguments: [
            (OnDelete.keep, file("Y"), "edit-beats-delete", "edit-beats-delete"),
            (.delete, file("Y"), "delete-beats-edit", "delete-beats-edit"),
            (.ask, file("Y"), "asks", "asks"),
            (.keep, symlink("t"), "edit-beats-delete", "edit-beats-delete"),
            (.delete, symlink("t"), "delete-beats-edit", "delete-beats-edit"),
            (.ask, symlink("t"), "asks", "asks"),
            // A directory is no content that could be lost: it stays for what is in it.
            (.delete, folder, "edit-beats-delete", "edit-beats-delete"),
            (.ask, folder, "edit-beats-delete", "edit-beats-delete"),
            // Another mode or time is no edit.
            (.keep, file("X", mode: 0o600), "deleted", "deleted"),
            (.ask, file("X", time: 9), "deleted", "deleted"),
        ])
    func onDelete(_ onDelete: OnDelete, _ edit: Entry, _ here: String, _ there: String) {
        let rules = UniformRules(onDelete: onDelete)
        let edited = reconcile(
            ReconcileInput(base: ["f": file("X")], ours: ["f": edit], theirs: [:], rules: rules))
        #expect(edited.steps.map(\.reason.word) == [here])
        let isLost = here == "delete-beats-edit"
        #expect(edited.steps.map(\.supersededEntry) == [isLost ? edit : nil])
        let deleted = reconcile(
            ReconcileInput(base: ["f": file("X")], ours: [:], theirs: ["f": edit], rules: rules))
        #expect(deleted.steps.map(\.reason.word) == [there])
        #expect(deleted.steps.map(\.supersededEntry) == [nil])
    }
}

/// A file of one byte, with the time of all others of its kind.
private func sized(_ content: Character) -> Entry {
    .file(content.id, size: 1, mode: 0o644, modified: Timestamp(nanoseconds: 1))
}

/// Rows 17 to 20: mode and time, each by itself, for every combination of the three trees.
@Suite struct MetadataTests {
    private static let modes: [UInt16] = [0o644, 0o600, 0o755]
    private static let times: [Int64] = [1, 5, 9]

    /// What both sides get of a value: that of the side which changed it; of two changes, this one.
    private func merged<Value: Equatable>(
        _ base: Value?, _ ours: Value, _ theirs: Value, both: (Value, Value) -> Value
    ) -> Value {
        if ours == theirs || ours == base { return theirs }
        return theirs == base ? ours : both(ours, theirs)
    }

    private func both(_ base: Entry?, _ ours: Entry, _ theirs: Entry) -> (Entry, Reason) {
        let plan = reconcile(
            ReconcileInput(
                base: base.map { ["f": $0] } ?? [:], ours: ["f": ours], theirs: ["f": theirs]))
        guard let step = plan.step("f"), plan.steps.count == 1 else { return (ours, .equal) }
        return (step.action.entry ?? ours, step.reason)
    }

    @Test("of the same content", arguments: modes)
    func sameContent(_ mode: UInt16) {
        for time in Self.times {
            let base = file("X", mode: mode, time: time)
            for pair in pairs {
                let (ours, theirs) = (file("X", pair.ours), file("X", pair.theirs))
                let (entry, reason) = both(base, ours, theirs)
                #expect(entry.mode == merged(mode, ours.mode, theirs.mode) { $1 })
                let later = merged(base.modified, ours.modified, theirs.modified, both: max)
                #expect(entry.modified == later)
                guard ours != theirs else { continue }
                let twoModes = Set([mode, ours.mode, theirs.mode]).count == 3
                let twoTimes = Set([base.modified, ours.modified, theirs.modified]).count == 3
                #expect(reason == (twoModes ? .committedMode : twoTimes ? .laterTime : .metadata))
            }
        }
    }

    @Test("of the same content, which neither side had, or had as another kind")
    func withoutBase() {
        for base in [nil, symlink("t", time: 5), directory(0o600), file("V", mode: 0o640, time: 7)]
        {
            for pair in pairs {
                let (ours, theirs) = (file("X", pair.ours), file("X", pair.theirs))
                let (entry, _) = both(base, ours, theirs)
                #expect(entry.mode == theirs.mode, "base \(String(describing: base))")
                #expect(entry.modified == max(ours.modified, theirs.modified))
            }
        }
    }

    @Test("18: the content is edited on one side: its time, and the mode that was set, are kept")
    func edited() {
        let base = file("X")
        for edit in values {
            for other in values {
                let (ours, theirs) = (file("Y", edit), file("X", other))
                let expected = merged(base.mode, ours.mode, theirs.mode) { edited, _ in edited }
                for entry in [both(base, ours, theirs).0, both(base, theirs, ours).0] {
                    #expect(entry.content == ours.content)
                    #expect(entry.modified == ours.modified)
                    #expect(entry.mode == expected, "\(ours) \(theirs)")
                }
            }
        }
    }

    @Test("a symlink has a time only, a directory a mode only")
    func otherKinds() {
        for time in Self.times {
            let link = symlink("t", time: time)
            #expect(
                both(symlink("t"), symlink("t", time: 5), link).0.modified.nanoseconds
                    == max(5, time))
        }
        for mode in Self.modes {
            var there = directory(mode)
            there.modified = Timestamp(nanoseconds: 99)
            let here = directory(0o700)
            #expect(both(folder, here, there).0.mode == (mode == 0o755 ? 0o700 : mode))
        }
        var later = folder
        later.modified = Timestamp(nanoseconds: 99)
        let input = ReconcileInput(base: ["d": folder], ours: ["d": later], theirs: ["d": folder])
        #expect(reconcile(input).isEmpty)
    }

    private typealias Values = (mode: UInt16, time: Int64)

    private var values: [Values] {
        Self.modes.flatMap { mode in Self.times.map { (mode, $0) } }
    }

    private var pairs: [(ours: Values, theirs: Values)] {
        values.flatMap { ours in values.map { (ours, $0) } }
    }

    private func file(_ content: Character, _ values: Values) -> Entry {
        file(content, mode: values.mode, time: values.time)
    }

    private func file(_ content: Character, mode: UInt16 = 0o644, time: Int64 = 1) -> Entry {
        FilesinkiReconcileTests.file(content, mode: mode, time: time)
    }
}
