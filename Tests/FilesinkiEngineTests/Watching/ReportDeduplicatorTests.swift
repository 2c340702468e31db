import FilesinkiModel
import FilesinkiReconcile
import Testing

@testable import FilesinkiEngine

@Suite("What a watch reports once")
struct ReportDeduplicatorTests {
    private func report(_ problems: String..., steps: [Step] = []) -> SyncReport {
        var report = SyncReport()
        report.problems = problems.map {
            Problem(
                RelativePath(unchecked: Array($0.utf8)), Failure(.io, path: $0, "No.", remedy: ""))
        }
        report.steps = steps
        return report
    }

    private func step(_ action: Action) -> Step {
        Step(path: RelativePath(unchecked: Array("f".utf8)), action: action, reason: .edit)
    }

    @Test("a lasting problem is reported once, and again after it had ended")
    func standing() {
        var deduplicator = ReportDeduplicator()
        #expect(deduplicator.unreported(in: report("a"), isWhole: true)?.problems.count == 1)
        #expect(deduplicator.unreported(in: report("a"), isWhole: true) == nil)
        #expect(deduplicator.unreported(in: report("a", "b"), isWhole: false)?.problems.count == 1)
        // A run over some paths does not report the others.
        #expect(deduplicator.unreported(in: report(), isWhole: false) == nil)
        #expect(deduplicator.unreported(in: report("a", "b"), isWhole: true) == nil)
        #expect(deduplicator.unreported(in: report(), isWhole: true) == nil)
        #expect(deduplicator.unreported(in: report("a"), isWhole: true)?.problems.count == 1)
    }

    @Test("an action is reported each time, an agreement never")
    func steps() {
        var deduplicator = ReportDeduplicator()
        let tombstone = Entry.tombstone
        for _ in 0..<2 {
            let done = report(steps: [step(.publish(tombstone)), step(.agree), step(.leave)])
            #expect(
                deduplicator.unreported(in: done, isWhole: true)?.steps.first?.action
                    == .publish(tombstone))
        }
        #expect(deduplicator.unreported(in: report(steps: [step(.leave)]), isWhole: true) == nil)
        #expect(deduplicator.unreported(in: report(steps: [step(.agree)]), isWhole: true) == nil)
    }
}
