import FilesinkiModel
import FilesinkiReconcile
import Testing

@testable import FilesinkiEngine

@Suite("What a watch says once")
struct WatchMemoryTests {
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

    @Test("a standing problem is said once, and again when it was gone in between")
    func standing() {
        var memory = WatchMemory()
        #expect(memory.news(of: report("a"), isWhole: true)?.problems.count == 1)
        #expect(memory.news(of: report("a"), isWhole: true) == nil)
        #expect(memory.news(of: report("a", "b"), isWhole: false)?.problems.count == 1)
        // A run for some paths says nothing of the others.
        #expect(memory.news(of: report(), isWhole: false) == nil)
        #expect(memory.news(of: report("a", "b"), isWhole: true) == nil)
        #expect(memory.news(of: report(), isWhole: true) == nil)
        #expect(memory.news(of: report("a"), isWhole: true)?.problems.count == 1)
    }

    @Test("what was done is said each time; what both sides agree on never")
    func steps() {
        var memory = WatchMemory()
        let tombstone = Entry.tombstone
        for _ in 0..<2 {
            let done = report(steps: [step(.publish(tombstone)), step(.agree), step(.leave)])
            #expect(
                memory.news(of: done, isWhole: true)?.steps.first?.action == .publish(tombstone))
        }
        #expect(memory.news(of: report(steps: [step(.leave)]), isWhole: true) == nil)
        #expect(memory.news(of: report(steps: [step(.agree)]), isWhole: true) == nil)
    }
}
