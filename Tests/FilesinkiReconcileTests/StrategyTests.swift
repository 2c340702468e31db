import FilesinkiModel
import FilesinkiReconcile
import Testing

/// How a chain is written, and which link decides.
@Suite struct StrategyTests {
    @Test(
        "makes the round trip as text",
        arguments: [
            "auto, keep-both", "newest", "oldest, larger, smaller", "here", "there", "text, leave",
            "json, greater:/score, newest, keep-both", "lesser:",
            "lines, csv, jsonc, ini, toml, yaml, po, markdown, ipynb, sqlite, ask, keep-both",
            "bookmarks, prefer:old laptop, prefer:a\\,b, keep-both",
            "ical, vcard, xml, union-lines, leave", "odf, ooxml, epub, keep-both",
            "exec:merge --all %O %A %B, ask", "choose:pick a\\,b, leave", "choose:c:\\\\d",
        ])
    func reads(_ text: String) throws {
        #expect(try Strategy(parsing: text).description == text)
    }

    @Test func `a backslash at the end stands for itself`() throws {
        let strategy = try Strategy(parsing: "choose:c:\\")
        #expect(strategy == Strategy([.command("c:\\")]))
        #expect(strategy.description == "choose:c:\\\\")
    }

    @Test func `a backslash before another character stands for itself`() throws {
        let strategy = try Strategy(parsing: "newest, choose:c:\\pick, leave")
        #expect(strategy == Strategy([.choice(.newest), .command("c:\\pick"), .end(.leave)]))
    }

    @Test func `ignores spaces`() throws {
        #expect(
            try Strategy(parsing: " newest,keep-both\t")
                == Strategy([.choice(.newest), .end(.keepBoth)]))
        #expect(try Strategy(parsing: "auto,keep-both") == .standard)
    }

    @Test(
        "refuses an unknown link and names it",
        arguments: [
            ("", "''"), ("newest,", "''"), ("newst", "'newst'"), ("auto, Newest", "'Newest'"),
            ("choose:", "'choose:'"), ("exec: ", "'exec:'"), ("greater:score", "'greater:score'"),
            ("keep-both, newest", "'newest'"), ("leave, keep-both", "'keep-both'"),
            ("merge", "'merge'"), ("prefer:", "'prefer:'"), ("prefer", "'prefer'"),
        ])
    func refuses(_ text: String, _ named: String) {
        let failure = #expect(throws: Failure.self) { try Strategy(parsing: text) }
        #expect(failure?.code == .usage)
        #expect(failure?.message.contains(named) ?? false)
    }

    @Test func `on-delete has three values`() throws {
        #expect(
            try ["keep", "delete", "ask"].map { try OnDelete(parsing: $0) } == [
                .keep, .delete, .ask,
            ])
        #expect(throws: Failure.self) { try OnDelete(parsing: "no") }
    }

    private static let older = file("A", time: 1)
    private static let newer = file("B", time: 2)

    @Test(
        "the first link that decides wins",
        arguments: [
            ("newest", older, newer, "there"), ("newest", newer, older, "here"),
            ("oldest", older, newer, "here"), ("oldest", newer, older, "there"),
            ("larger", older, newer, "there"), ("larger", newer, older, "here"),
            ("smaller", older, newer, "here"), ("smaller", newer, older, "there"),
            ("here", older, newer, "here"), ("there", older, newer, "there"),
            ("newest, smaller", file("A"), file("B"), "here"),
            ("larger, oldest", older, symlink("t", time: 2), "here"),
            ("json, greater:/x, newest", older, symlink("t", time: 2), "there"),
        ] as [(String, Entry, Entry, String)])
    func decides(_ chain: String, _ ours: Entry, _ theirs: Entry, _ winner: String) throws {
        let steps = try plan(chain, ours, theirs).steps
        #expect(steps.map(\.path.description) == ["f"])
        #expect(steps.first?.action == (winner == "here" ? .publish(ours) : .take(theirs)))
        #expect(steps.first?.supersededEntry == (winner == "here" ? nil : ours))
    }

    @Test("a chain without a decision keeps both", arguments: ["newest", "larger, newest"])
    func keepsBoth(_ chain: String) throws {
        let other = Entry.file(Character("B").id, size: 65, mode: 0o644, modified: older.modified)
        let steps = try plan(chain, Self.older, other).steps
        #expect(steps.map(\.reason) == [.conflictCopy(of: path("f")), .strategy("keep-both")])
        #expect(steps.first?.action == .both(Self.older))
        #expect(steps.first?.origin == path("f"))
    }

    @Test(
        "waits for the link that needs an answer",
        arguments: [
            ("auto, keep-both", "auto, keep-both"), ("larger, ask, leave", "ask, leave"),
            ("choose:x, here", "choose:x, here"), ("prefer:x, here", "prefer:x, here"),
            ("greater:/a, here", "greater:/a, here"),
        ])
    func asks(_ chain: String, _ rest: String) throws {
        let other = Entry.file(Character("B").id, size: 65, mode: 0o644, modified: older.modified)
        let conflict = Conflict(
            path: path("f"), base: file("X"), ours: Self.older, theirs: other,
            links: try Strategy(parsing: rest).links)
        #expect(try plan(chain, Self.older, other).steps.map(\.action) == [.undecided(conflict)])
    }

    private var older: Entry { Self.older }

    private func plan(_ chain: String, _ ours: Entry, _ theirs: Entry) throws -> Plan {
        reconcile(conflict(UniformRules(try Strategy(parsing: chain)), ours, theirs))
    }
}

/// An input of one path, `f`, which both sides changed from X.
func conflict(_ rules: UniformRules, _ ours: Entry?, _ theirs: Entry) -> ReconcileInput {
    ReconcileInput(
        base: [path("f"): VersionedEntry(file("X"), version: 1)],
        ours: [path("f"): LocalChange(ours)],
        theirs: [path("f"): RemoteChange(VersionedEntry(theirs, version: 2), device: .theirs)],
        rules: rules, device: .ours)
}
