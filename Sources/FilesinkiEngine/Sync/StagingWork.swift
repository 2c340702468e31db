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

    private mutating func takeSingle(_ content: ContentID, _ task: ApplyTask) async {
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
