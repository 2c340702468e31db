import FilesinkiEngine
import FilesinkiModel
import FilesinkiSystem
import Synchronization

/// Work in the background for one path: what was done last to it counts.
struct Job: Sendable {
    enum Kind: Sendable { case save, delete }

    var kind: Kind
    var handler: Handler
    var late: LateSave?
    /// Told what came of it, unless the remote is away.
    var done: [@Sendable (PathRun) -> Void] = []

    /// The newer of two jobs, with what the older one has to say.
    func followed(by newer: Job) -> Job {
        var job = newer
        job.late = newer.kind == .save ? newer.late ?? late : nil
        job.done = newer.kind == .save && kind == .save ? done + newer.done : newer.done
        return job
    }
}

/// What waits to be published, path by path. Nothing of it has to survive the process: the queue is the
/// difference between the root and what was last agreed on.
final class Jobs: Sendable {
    struct State {
        var pending: [RelativePath: Job] = [:]
        var active: Set<RelativePath> = []
        /// Tries again while the remote is away; nil when it is not.
        var retry: Task<Void, Never>?
        /// The pause before the next try; it may be cut short.
        var pause: Task<Void, any Error>?
        var isStopped = false
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    let state = Mutex(State())

    /// Waits until everything was tried that can be done now.
    func settled() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.active.isEmpty { return true }
                state.idle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Removes and returns the next job of a path; nil, and the path is free again, after the last one.
    func next(_ path: RelativePath) -> Job? {
        let (job, idle) = state.withLock { state -> (Job?, [CheckedContinuation<Void, Never>]) in
            if let job = state.pending.removeValue(forKey: path), !state.isStopped {
                return (job, [])
            }
            return (nil, Self.free(path, &state))
        }
        for continuation in idle { continuation.resume() }
        return job
    }

    /// Puts a job back that could not be done now.
    func putBack(_ job: Job, _ path: RelativePath) {
        let idle = state.withLock { state in
            state.pending[path] = state.pending[path].map { job.followed(by: $0) } ?? job
            return Self.free(path, &state)
        }
        for continuation in idle { continuation.resume() }
    }

    private static func free(
        _ path: RelativePath, _ state: inout State
    ) -> [CheckedContinuation<Void, Never>] {
        state.active.remove(path)
        guard state.active.isEmpty else { return [] }
        defer { state.idle = [] }
        return state.idle
    }

    /// Waits so long, or until the pause is cut short.
    ///
    /// - Returns: False when the task was cancelled.
    func pause(_ length: Duration, _ systemContext: SystemContext) async -> Bool {
        let pause = Task { try await systemContext.sleep(length) }
        state.withLock { $0.pause = pause }
        await withTaskCancellationHandler {
            _ = await pause.result
        } onCancel: {
            pause.cancel()
        }
        state.withLock { $0.pause = nil }
        return !Task.isCancelled
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.retry?.cancel()
        }
    }
}

extension Core {
    /// Does the job in the background, and again and again while the remote is away.
    func submit(_ job: Job, _ path: RelativePath) {
        let isToStart = jobs.state.withLock { state in
            state.pending[path] = state.pending[path].map { $0.followed(by: job) } ?? job
            guard state.retry == nil, !state.isStopped else { return false }
            return state.active.insert(path).inserted
        }
        if isToStart { Task { await runJobs(of: path) } }
    }

    /// Tries everything that waits, without the pause.
    func retryNow() {
        let isRetrying = jobs.state.withLock { state in
            state.pause?.cancel()
            return state.retry != nil
        }
        if !isRetrying { startWaiting() }
    }

    private func runJobs(of path: RelativePath) async {
        while let job = jobs.next(path) {
            guard await carryOut(job, path) else {
                jobs.putBack(job, path)
                return startRetry()
            }
        }
    }

    /// - Returns: Whether it is done, or cannot be done at all; false when it is worth another try.
    private func carryOut(_ job: Job, _ path: RelativePath) async -> Bool {
        do {
            let result = try await runJob(job, path)
            if result.report.away != nil { return false }
            for done in job.done { done(result) }
        } catch let failure as Failure where failure.code == .away || failure.code == .busy {
            return false
        } catch is CancellationError {
            return false
        } catch {
            failed(FileSinkiError(error, "\(path)"))
        }
        return true
    }

    private func runJob(_ job: Job, _ path: RelativePath) async throws -> PathRun {
        switch job.kind {
        case .save: return try await publish(path, job.handler, job.late)
        case .delete: return try await publishDeletion(path)
        }
    }

    private func startRetry() {
        jobs.state.withLock { state in
            guard state.retry == nil, !state.isStopped else { return }
            state.retry = Task { [weak self, jobs, options] in
                var backoff = Backoff()
                while await jobs.pause(backoff.next(), options.systemContext) {
                    guard let self, await !self.isBack() else { return }
                }
            }
        }
    }

    /// Tries one path; when the remote is back, all of them.
    private func isBack() async -> Bool {
        let path = jobs.state.withLock { state in
            state.pending.keys.first.map { path in
                state.active.insert(path)
                return path
            }
        }
        if let path, let job = jobs.next(path) {
            guard await carryOut(job, path) else {
                jobs.putBack(job, path)
                return false
            }
        }
        jobs.state.withLock { $0.retry = nil }
        if let path { await runJobs(of: path) }
        startWaiting()
        return true
    }

    private func startWaiting() {
        let paths = jobs.state.withLock { state in
            guard !state.isStopped else { return [RelativePath]() }
            return state.pending.keys.filter { state.active.insert($0).inserted }
        }
        for path in paths { Task { await runJobs(of: path) } }
    }
}
