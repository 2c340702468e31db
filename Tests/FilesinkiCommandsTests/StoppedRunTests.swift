import FilesinkiEngine
import FilesinkiModel
import FilesinkiText
import Testing

@testable import FilesinkiCommands

@Suite("Runs that stop in a later round")
struct StoppedRunTests {
    private func report() throws -> SyncReport {
        var report = SyncReport()
        report.copies = [try RelativePath("f (conflict a 12345678)")]
        report.publishedCommits = 1
        return report
    }

    @Test("E3.1 the cause of the stop is the exit code, reported beside what was done")
    func stopped() throws {
        var report = try report()
        #expect(ExitCode(report) == .conflict)
        report.stopped = Failure(.limit, path: "r", "Too many deletions.", remedy: "Look at them.")
        #expect(ExitCode(report) == .limit)
        let line = String(decoding: report.json(exit: .limit).bytes, as: UTF8.self)
        #expect(line.contains(#""exit":6"#))
        #expect(line.contains(#""conflict_copies":1"#))
        #expect(line.contains(#""stopped":{"type":"failure""#))
        #expect(line.contains("Too many deletions."))
        #expect(!report.isIdle(SyncTotals(report)))
    }

    @Test("E3.2 retries of --wait add up to one report")
    func waited() throws {
        var last = SyncReport()
        last.publishedCommits = 2
        last.add(done: try report())
        #expect(last.copies.count == 1)
        #expect(last.publishedCommits == 3)
        last.addCopies(of: try report())
        #expect(last.copies.count == 1)
        #expect(ExitCode(last) == .conflict)
    }
}
