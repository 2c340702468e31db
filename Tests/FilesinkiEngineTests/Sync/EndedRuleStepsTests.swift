import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

/// What a run says of the paths that it leaves out by a rule whose end it receives.
@Suite struct EndedRuleStepsTests: EndedRuleScene {
    let world: World

    init() throws { world = try World() }

    private func reason(_ path: String, _ report: SyncReport) -> Reason? {
        report.steps.last { "\($0.path)" == path }?.reason
    }

    @Test("a path that no rule ignores any more comes with the next run")
    func endedRule() async throws {
        let (a, b) = try await scene()
        // The rules that end have ignored the one path; a rule of the device still ignores the other.
        try b.write([".filesinki": .directory(["ignore": .file("kept.env\n")])])
        try await endRule(a, deleting: true)
        try a.write(["new.env": .file("new"), "kept.env": .file("kept")])
        try await a.sync()
        let report = try await b.sync()
        #expect(reason("new.env", report) == .ignoredUntilNow)
        #expect(reason("kept.env", report) == .ignored)
        #expect(b.text("new.env") == nil)
        let next = try await b.sync()
        #expect(reason("new.env", next) == .created)
        #expect(reason("kept.env", next) == .ignored)
        #expect(b.text("new.env") == "new" && b.text("kept.env") == nil)
    }

    @Test("the same where the file of rules has another name from now on")
    func renamedRules() async throws {
        let (a, b) = try await scene()
        // A file that was written in the moment of a scan is not known by its inode.
        try await a.sync()
        a.rename(".filesinkiignore", "rules.txt")
        try await a.sync()
        try a.write(["new.env": .file("new")])
        try await a.sync()
        let report = try await b.sync()
        let renamed = report.steps.first { "\($0.path)" == "rules.txt" }
        #expect(renamed?.movedFrom?.description == ".filesinkiignore")
        #expect(reason("new.env", report) == .ignoredUntilNow)
        #expect(try await reason("new.env", b.sync()) == .created)
    }

    @Test("what is withheld at its end is not said to come")
    func withheldPath() async throws {
        let (a, b) = try await scene()
        try await endRule(a, deleting: true)
        try a.write(["d": .directory(["p.env": .file("theirs")])])
        try await a.sync()
        let report = try await b.sync()
        #expect(withheld(report) == ["d/p.env"])
        #expect(reason("d/p.env", report) == .ignored)
        #expect(b.text("d/p.env") == "secret")
    }

    @Test("an ignored version is recorded once, however often a run meets it")
    func recordedOnce() async throws {
        let (a, b) = try await scene()
        try b.write([".filesinki": .directory(["ignore": .file("x\n")])])
        let path = try RelativePath("x")
        for text in ["1", "2"] {
            try a.write(["x": .file(text)])
            try await a.sync()
            for _ in 0..<3 { try await b.sync() }
            let found = try await b.with { try await $0.explain(path) }
            let skips = found.actions.filter { $0.action == "skip" }
            #expect(skips.count == Int(text), "\(skips)")
            #expect(skips.allSatisfy { $0.note == "ignored here: not received" }, "\(skips)")
        }
    }
}
