import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore
import FilesinkiSystem
import Synchronization

/// Writes files whose contents come from the store.
///
/// Contents are read in the order in which they lie there: block by block, each decoded once, by
/// two workers. A content that many paths want is decoded once for all of them. Files are staged
/// window by window; a window is made durable before any of it gets its name, while the next one is
/// being staged, so that a power cut leaves no name without its bytes.
struct Checkout: Sendable {
    let applier: Applier

    /// A window is staged and installed together: so many files, or so many bytes, at the most.
    static let windowFiles = 16_384
    static let windowBytes: Int64 = 384 << 20

    func write(_ tasks: [ApplyTask]) async throws -> ApplyResult {
        guard !tasks.isEmpty else { return ApplyResult() }
        applier.progress.expect(
            files: tasks.count, bytes: tasks.reduce(0) { $0 + $1.entry.size })
        let plan = try await CheckoutPlan(tasks, applier.contents)
        return try await withThrowingTaskGroup(of: ApplyResult.self) { group in
            var result = ApplyResult()
            for window in plan.windows {
                let (staged, failed) = try await stage(window, plan.wanted)
                result.problems += failed
                if let installed = try await group.next() { result.add(installed) }
                group.addTask { try await install(staged) }
            }
            for try await installed in group { result.add(installed) }
            return result
        }
    }

    // MARK: Staging

    private func stage(
        _ jobs: [ContentJob], _ wanted: [ContentID: [ApplyTask]]
    ) async throws -> ([StagedTask], [Problem]) {
        let cursor = WorkCursor(count: jobs.count)
        return try await withThrowingTaskGroup(of: StagingWork.self) { group in
            for _ in 0..<min(ContentUploader.workers, jobs.count) {
                group.addTask {
                    var work = StagingWork(applier: applier, wanted: wanted)
                    while let index = cursor.next() {
                        try Task.checkCancellation()
                        await work.take(jobs[index])
                    }
                    return work
                }
            }
            return try await group.reduce(into: ([], [])) { all, work in
                all.0 += work.staged
                all.1 += work.problems
            }
        }
    }

    // MARK: Installing

    private func install(_ staged: [StagedTask]) async throws -> ApplyResult {
        if !applier.isEach { try await offload { try applier.writer.flush() } }
        let cursor = WorkCursor(count: (staged.count + 255) / 256)
        return try await withThrowingTaskGroup(of: ApplyResult.self) { group in
            for _ in 0..<ContentUploader.workers {
                group.addTask {
                    var result = ApplyResult()
                    while let part = cursor.next() {
                        let end = min((part + 1) * 256, staged.count)
                        for item in staged[(part * 256)..<end] { install(item, &result) }
                    }
                    return result
                }
            }
            return try await group.reduce(into: ApplyResult()) { $0.add($1) }
        }
    }

    private func install(_ item: StagedTask, _ result: inout ApplyResult) {
        let task = item.task
        applier.attempt(task, &result) {
            let expected =
                task.here?.kind == .directory ? .absent : applier.replacementExpectation(task)
            return TaskOutcome(
                try applier.writer.install(item.file, at: task.path, expecting: expected),
                isWinner: applier.winners.contains(task.path))
        }
        result.bytes += task.entry.size
    }
}

/// A file that is ready to take its place.
struct StagedTask: Sendable {
    let file: StagedFile
    let task: ApplyTask
}
