import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import Testing

@testable import FilesinkiEngine

/// How a run ends, and what its report says.
@Suite struct SyncRunTests {
    private func run() -> SyncRun {
        SyncRun(
            options: SyncOptions(), selection: .everything,
            rules: RunRules(
                filter: EverythingFilter(), ignoring: EverythingFilter(),
                strategies: UniformRules(),
                merging: { _ in MergeSettings() }, maxDelete: .count(1)),
            started: Timestamp(nanoseconds: 0), base: BaseIndex([]))
    }

    private func failure(_ code: Failure.Code) -> Failure {
        Failure(code, path: "p", "It failed.", remedy: "Run again.")
    }

    enum End: Equatable { case thrown, away, stopped }

    @Test(
        "a failure ends the run; what was done before is reported",
        arguments: [
            (Failure.Code.away, false, false, End.thrown), (.away, true, false, .away),
            (.away, true, true, .away), (.away, false, true, .stopped),
            (.full, false, false, .thrown), (.full, true, false, .thrown),
            (.full, true, true, .stopped), (.interrupted, true, true, .thrown),
        ] as [(Failure.Code, Bool, Bool, End)])
    func ends(_ code: Failure.Code, _ hasPlanned: Bool, _ hasActed: Bool, _ end: End) {
        var run = run()
        if hasPlanned { run.hasPlanned = true }
        if hasActed { run.report.publishedCommits = 1 }
        do throws(Failure) {
            try run.end(by: failure(code))
            #expect((run.report.away != nil) == (end == .away))
            #expect((run.report.stopped != nil) == (end == .stopped))
            #expect(end != .thrown)
        } catch {
            #expect(end == .thrown)
        }
    }

    @Test func `the exit code says the worst that happened`() throws {
        let path = try RelativePath("x")
        var run = run()
        #expect(run.outcome(.nothing) == (0, "done"))
        run.report.copies = [path]
        #expect(run.outcome(.nothing) == (3, "conflict"))
        run.report.copies = []
        run.report.conflicts = [path]
        #expect(run.outcome(.nothing) == (3, "conflict"))
        run.report.problems = [Problem(path, failure(.io))]
        #expect(run.outcome(.nothing) == (5, "partial"))
        #expect(run.outcome(.lost) == (75, "not published"))
    }

    @Test func `why a link of a strategy declined is reported once in a run`() throws {
        let path = try RelativePath("x")
        let links = try Strategy(parsing: "newest,auto").links
        let reasons = (1...12).map { "reason \($0)" }
        var run = run()
        for _ in 0..<2 { run.reportDeclined(path, links.map { ($0, reasons) }) }
        run.reportDeclined(try RelativePath("y"), [(links[1], [])])
        // A choice needs no reason, and ten are enough.
        #expect(run.report.notices.count == 10)
        #expect(run.report.notices.first?.path == path)
        #expect(
            run.report.notices.first?.failure.message == "Cannot merge automatically: reason 1")
    }

    @Test func `a notice that the report has already is not added again`() throws {
        let (one, other) = (try RelativePath("x"), try RelativePath("y"))
        let another = Failure(.io, path: "p", "It failed otherwise.", remedy: "")
        let notices = [
            Problem(one, failure(.io)), Problem(other, failure(.io)), Problem(one, another),
        ]
        var run = run()
        for notice in notices + notices { run.addNotice(notice) }
        #expect(run.report.notices.map(\.path) == [one, other, one])
    }
}
