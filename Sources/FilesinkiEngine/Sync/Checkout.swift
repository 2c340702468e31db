import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore
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
        let windows = try await CheckoutPlan(tasks, applier.contents).windows
        return try await withThrowingTaskGroup(of: ApplyResult.self) { group in
            var result = ApplyResult()
            for window in windows {
                let (staged, failed) = try await stage(window)
                result.problems += failed
                if let installed = try await group.next() { result.add(installed) }
                group.addTask { try await install(staged) }
            }
            for try await installed in group { result.add(installed) }
            return result
        }
    }

    // MARK: Staging

    private func stage(_ jobs: [CheckoutJob]) async throws -> ([StagedTask], [Problem]) {
        let cursor = WorkCursor(count: jobs.count)
        return try await withThrowingTaskGroup(of: StagingWork.self) { group in
            for _ in 0..<min(ContentIntake.workers, jobs.count) {
                group.addTask {
                    var work = StagingWork(applier: applier)
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
            for _ in 0..<ContentIntake.workers {
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
                try applier.writer.install(item.file, at: task.path, expecting: expected))
        }
        result.bytes += task.entry.size
    }
}

/// A file that is ready to take its place.
struct StagedTask: Sendable {
    let file: StagedFile
    let task: ApplyTask
}

/// What one worker has staged.
struct StagingWork: Sendable {
    let applier: Applier
    var staged: [StagedTask] = []
    var problems: [Problem] = []

    init(applier: Applier) {
        self.applier = applier
    }

    mutating func take(_ job: CheckoutJob) async {
        switch job {
        case .block(let pack, let number, let members):
            await takeBlock(pack, number, members)
        case .content(let content, let tasks):
            for task in tasks { await takeContent(content, task) }
        }
    }

    private mutating func takeBlock(
        _ pack: PackReader, _ number: Int, _ members: [CheckoutJob.Member]
    ) async {
        let block: [UInt8]
        do {
            block = try await pack.readBlock(number)
        } catch {
            let failure = error as? Failure ?? .unforeseen(error)
            problems += members.flatMap(\.tasks).map { Problem($0.path, failure) }
            return
        }
        block.withUnsafeBytes { bytes in
            for member in members {
                let piece = UnsafeRawBufferPointer(rebasing: bytes[member.place.range])
                for task in member.tasks { stage(piece, of: member.content, task) }
            }
        }
        applier.progress(members.count, members.reduce(0) { $0 + Int64($1.place.length) })
    }

    private mutating func stage(
        _ bytes: UnsafeRawBufferPointer, of content: ContentID, _ task: ApplyTask
    ) {
        let staging = applier.staging
        attempt(task) {
            guard Int64(bytes.count) == task.entry.size, ContentHasher.hash(bytes) == content else {
                throw Failure(
                    .corrupt, path: task.path.bytes,
                    "The store's bytes for it do not match its size or hash.",
                    remedy: "Run filesinki check; the other files are not concerned.")
            }
            let file = try staging.makeFile()
            try file.write(bytes)
            return file
        }
    }

    private mutating func takeContent(_ content: ContentID, _ task: ApplyTask) async {
        do {
            let file = try applier.staging.makeFile()
            try await applier.contents.stream(content, size: task.entry.size) {
                try file.write($0)
            }
            attempt(task) { file }
            applier.progress(1, task.entry.size)
        } catch {
            problems.append(Problem(task.path, error as? Failure ?? .unforeseen(error)))
        }
    }

    private mutating func attempt(_ task: ApplyTask, _ make: () throws -> StagedFile) {
        do {
            let file = try make()
            try file.finish(
                mode: task.entry.mode, modified: task.entry.modified, sync: applier.isEach)
            staged.append(StagedTask(file: file, task: task))
        } catch {
            problems.append(Problem(task.path, error as? Failure ?? .unforeseen(error)))
        }
    }
}
