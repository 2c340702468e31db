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
                        await work.stage(jobs[index])
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

/// A staged file and its task.
struct StagedTask: Sendable {
    let file: StagedFile
    let task: ApplyTask
}

/// The files of a checkout, grouped by where their contents lie.
struct CheckoutPlan {
    /// What is staged and installed together.
    private(set) var windows: [[ContentJob]] = []
    /// The tasks of each content.
    let wanted: [ContentID: [ApplyTask]]

    init(_ tasks: [ApplyTask], _ contents: ContentSource) async throws {
        var wanted: [ContentID: [ApplyTask]] = [:]
        for task in tasks { wanted[task.entry.content, default: []].append(task) }
        self.wanted = wanted
        divide(try await ContentPlan(wanted.keys, contents).jobs)
    }

    private mutating func divide(_ jobs: [ContentJob]) {
        var window: [ContentJob] = []
        var files = 0
        var bytes: Int64 = 0
        for job in jobs {
            window.append(job)
            for content in job.contents {
                let tasks = wanted[content] ?? []
                files += tasks.count
                bytes += tasks.reduce(0) { $0 + $1.entry.size }
            }
            if files >= Checkout.windowFiles || bytes >= Checkout.windowBytes {
                windows.append(window)
                window = []
                files = 0
                bytes = 0
            }
        }
        if !window.isEmpty { windows.append(window) }
    }
}

/// What one worker of a checkout has staged.
struct StagingWork: Sendable {
    let applier: Applier
    /// The tasks of each content.
    let wanted: [ContentID: [ApplyTask]]
    private(set) var staged: [StagedTask] = []
    private(set) var problems: [Problem] = []

    init(applier: Applier, wanted: [ContentID: [ApplyTask]]) {
        self.applier = applier
        self.wanted = wanted
    }

    mutating func stage(_ job: ContentJob) async {
        if case .single(let content) = job {
            for task in tasks(content) { await stageSingle(content, task) }
            return
        }
        let contents = applier.contents
        do {
            try await contents.read(job) { content, result in
                let wanting = tasks(content)
                for task in wanting { stage(result, task) }
                applier.progress.add(
                    files: wanting.count, bytes: wanting.reduce(0) { $0 + $1.entry.size })
            }
        } catch {
            for content in job.contents {
                for task in tasks(content) { fail(task, error) }
            }
        }
    }

    private func tasks(_ content: ContentID) -> [ApplyTask] { wanted[content] ?? [] }

    private mutating func stage(
        _ content: Result<UnsafeRawBufferPointer, any Error>, _ task: ApplyTask
    ) {
        let staging = applier.staging
        attempt(task) {
            let bytes = try content.get()
            try ContentSource.check(bytes.count, task.entry.content, task.entry.size)
            let file = try staging.makeFile()
            try file.write(bytes)
            return file
        }
    }

    private mutating func stageSingle(_ content: ContentID, _ task: ApplyTask) async {
        do {
            let file = try applier.staging.makeFile()
            var meter = ProgressMeter(size: task.entry.size)
            try await applier.contents.stream(content, size: task.entry.size) { bytes in
                try file.write(bytes)
                if let more = meter.add(bytes.count) { applier.progress.add(files: 0, bytes: more) }
            }
            attempt(task) { file }
            applier.progress.add(files: 1, bytes: task.entry.size - meter.told)
        } catch {
            fail(task, error)
        }
    }

    private mutating func attempt(_ task: ApplyTask, _ make: () throws -> StagedFile) {
        do {
            let file = try make()
            try file.finish(
                mode: task.entry.mode, modified: task.entry.modified, sync: applier.isEach)
            staged.append(StagedTask(file: file, task: task))
        } catch {
            fail(task, error)
        }
    }

    private mutating func fail(_ task: ApplyTask, _ error: any Error) {
        problems.append(Problem(task.path, error as? Failure ?? .unforeseen(error)))
    }
}

/// Hands out the numbers from 0 up to a count, each once, to several workers.
final class WorkCursor: Sendable {
    private let position = Mutex(0)
    private let count: Int

    init(count: Int) {
        self.count = count
    }

    func next() -> Int? {
        position.withLock { value in
            guard value < count else { return nil }
            value += 1
            return value - 1
        }
    }
}
