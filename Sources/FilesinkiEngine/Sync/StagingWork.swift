import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiStore

/// What one worker of a checkout has staged.
struct StagingWork: Sendable {
    let applier: Applier
    /// Who wants a content.
    let wanted: [ContentID: [ApplyTask]]
    private(set) var staged: [StagedTask] = []
    private(set) var problems: [Problem] = []

    init(applier: Applier, wanted: [ContentID: [ApplyTask]]) {
        self.applier = applier
        self.wanted = wanted
    }

    mutating func take(_ job: ContentJob) async {
        if case .single(let content) = job {
            for task in tasks(content) { await takeSingle(content, task) }
            return
        }
        let contents = applier.contents
        do {
            try await contents.read(job) { content, result in
                for task in tasks(content) { stage(result, task) }
                applier.progress(1, tasks(content).first?.entry.size ?? 0)
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

    private mutating func takeSingle(_ content: ContentID, _ task: ApplyTask) async {
        do {
            let file = try applier.staging.makeFile()
            try await applier.contents.stream(content, size: task.entry.size) {
                try file.write($0)
            }
            attempt(task) { file }
            applier.progress(1, task.entry.size)
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
