import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import Synchronization

/// One root and everything that syncs it: the implementation of `FileSinki`.
final class Core: Sendable {
    let root: String
    let options: ReplicaOptions
    let resolutions = Resolutions()
    let session: Session
    let jobs = Jobs()
    let observerStarts = ObserverStarts()
    /// Called with failures that no call returns, such as that of a save in the background.
    let failed: @Sendable (FileSinkiError) -> Void
    private let opened = Mutex<RootFiles?>(nil)
    /// The content of each file that the program has seen last. It distinguishes a save that replaces a
    /// seen content from one that replaces an unseen one.
    private let seen = Mutex<[RelativePath: SeenContent]>([:])

    init(
        _ made: ReplicaOptions, _ address: RemoteAddress?, device: String,
        failed: @escaping @Sendable (FileSinkiError) -> Void
    ) {
        var options = made
        options.resolver = resolutions
        root = options.root
        self.options = options
        self.failed = failed
        session = Session(options, address, device: device)
    }

    /// The files of the root, which is created when it does not exist.
    var files: RootFiles {
        get throws(Failure) {
            if let found = opened.withLock({ $0 }) { return found }
            let made = try RootFiles(options)
            return opened.withLock { opened in
                if opened == nil { opened = made }
                return opened ?? made
            }
        }
    }

    /// The path below the root that a program's path names: relative, or absolute and inside the root.
    ///
    /// - Throws: Code `bad-path` for the root itself and for a path outside of it.
    func path(_ text: String) throws -> RelativePath {
        guard text.hasPrefix("/") else { return try RelativePath(text) }
        let folder = root.hasSuffix("/") ? root : root + "/"
        guard text.hasPrefix(folder) else {
            throw Failure(
                .badPath, path: text, "Outside of the root \(root).",
                remedy: "Use a path below the root.")
        }
        return try RelativePath(String(text.dropFirst(folder.count)))
    }

    // MARK: What the program has seen

    func seen(_ path: RelativePath) -> SeenContent? { seen.withLock { $0[path] } }

    /// Records a content that the program has saved or is certainly going to see.
    func recordSeen(_ content: [UInt8]?, at path: RelativePath) {
        seen.withLock { $0[path] = SeenContent(content) }
    }

    /// Records a content that the program is going to see in place of `old`.
    ///
    /// - Returns: False when the program has saved something else meanwhile, and must not see it.
    func recordSeen(_ content: [UInt8]?, insteadOf old: [UInt8]?, at path: RelativePath) -> Bool {
        seen.withLock { seen in
            if let last = seen[path], last != SeenContent(old) { return false }
            seen[path] = SeenContent(content)
            return true
        }
    }
}

/// The result of a save, in bytes.
struct SaveResult: Sendable {
    var file: [UInt8]
    var wasLate: Bool
    var path: RelativePath
    var result: PathRun

    /// - Parameter value: Makes a value of the file's bytes.
    func outcome<Item>(_ value: ([UInt8]) throws -> Item) throws -> SaveOutcome<Item> {
        if result.report.away != nil { return .queued }
        guard let content = result.content, content != file else {
            return result.report.hasRemote ? .uploaded : .stored
        }
        let item = try value(content)
        let copy = result.report.copies.first.map { String(decoding: $0.bytes, as: UTF8.self) }
        if let copy { return .keptBoth(item, copy: copy) }
        return isMerged ? .merged(item) : .kept(item)
    }

    private var isMerged: Bool {
        wasLate
            || result.report.steps.contains { step in
                if case .merged = step.reason { return step.path == path }
                return false
            }
    }
}

extension FileForm {
    init(isCompressed: Bool) { self = isCompressed ? .compressed : .plain }

    /// - Throws: Code `coding` when the file is not of this form.
    func content(of file: [UInt8], _ path: String) throws(FileSinkiError) -> [UInt8] {
        guard let content = decode(file) else {
            throw FileSinkiError(
                .coding, path: path, message: "The file is not compressed.",
                remedy: "Load it uncompressed, and save it again.")
        }
        return content
    }
}

extension Core {
    /// Saves a content, and publishes it, or queues it while the remote is away.
    func save(
        _ content: [UInt8], to text: String, _ form: FileForm, _ handler: Handler
    ) async throws -> SaveResult {
        let path = try path(form.name(text))
        let file = try form.encode(content)
        let late = try write(file, to: path)
        let result: PathRun
        do {
            result = try await publish(path, handler, late)
        } catch {
            // Busy or cancelled: the file is written here, and published later.
            submitIfPassing(error, Job(kind: .save, handler: handler, late: late), path)
            throw error
        }
        if result.report.away != nil {
            submit(Job(kind: .save, handler: handler), path)
        } else {
            _ = recordSeen(result.content, insteadOf: file, at: path)
        }
        return SaveResult(file: file, wasLate: late != nil, path: path, result: result)
    }

    /// The file's bytes, after fetching from the remote; nil when the file does not exist.
    func load(_ text: String, _ form: FileForm, _ handler: Handler) async throws -> [UInt8]? {
        let path = try path(form.name(text))
        let result = try await refresh(path, handler)
        if let away = result.report.away {
            guard result.content != nil else { throw away }
            submitWaiting(path, handler)
        }
        recordSeen(result.content, at: path)
        return result.content
    }

    /// Deletes a file, and publishes the deletion, or queues it while the remote is away.
    func delete(_ path: RelativePath) async throws -> DeleteOutcome {
        let wasHere = try remove(path)
        let result = try await publishDeletion(path)
        if result.report.away != nil {
            submit(Job(kind: .delete, handler: .rules), path)
            return .queued
        }
        let wasThere = result.report.steps.contains { $0.path == path && $0.action.writesTheirs }
        guard wasHere || wasThere else { return .absent }
        return result.report.hasRemote ? .deleted : .removed
    }

    /// Queues the publication of a file that could not be published while it was loaded.
    func submitWaiting(_ path: RelativePath, _ handler: Handler) {
        guard (try? files.read(path)) != nil else { return }
        submit(Job(kind: .save, handler: handler), path)
    }

    private func submitIfPassing(_ error: any Error, _ job: Job, _ path: RelativePath) {
        let code = (error as? Failure)?.code
        guard code == .busy || code == .away || error is CancellationError else { return }
        submit(job, path)
    }
}

extension Handler {
    /// Resolves nothing: conflicts are left to the rules.
    static let rules = Handler { _, reply in reply.give(.declined("No handler is registered.")) }
}

/// The result of a sync of one path.
struct PathRun: Sendable {
    var report: SyncReport
    /// The content of the file now; nil when it does not exist.
    var content: [UInt8]?
}

/// A save that replaces a content which the program has not seen.
struct LateSave: Sendable {
    /// The content that the program had seen; nil when there was no file, or it was not kept.
    var base: [UInt8]?
    /// The content that the save replaces.
    var there: [UInt8]
}

extension Core {
    /// Writes a file at once, durably, before the remote is contacted.
    ///
    /// - Returns: The unseen content that was replaced; nil when the program had seen it.
    func write(_ content: [UInt8], to path: RelativePath) throws -> LateSave? {
        let seen = seen(path)
        let there = try files.update(path) { _ in content }
        recordSeen(content, at: path)
        guard let there, let seen, there != content, seen != SeenContent(there) else { return nil }
        return LateSave(base: seen.base, there: there)
    }

    /// Removes a file at once. The next sync removes it at the remote.
    func remove(_ path: RelativePath) throws -> Bool {
        recordSeen(nil, at: path)
        return try files.remove(path)
    }

    /// Publishes a saved file, and merges it with what other devices have published.
    func publish(_ path: RelativePath, _ handler: Handler, _ late: LateSave?) async throws
        -> PathRun
    {
        resolutions.register(handler, at: path)
        if let late { try await mergeLateSave(late, path, handler) }
        return try await runSync(path, isLoading: false, "save") { replica, options in
            try await replica.publish(path, options)
        }
    }

    /// Fetches the newest content of a file, and merges it with unpublished changes.
    func refresh(_ path: RelativePath, _ handler: Handler?) async throws -> PathRun {
        if let handler { resolutions.register(handler, at: path) }
        return try await runSync(path, isLoading: true, "load") { replica, options in
            try await replica.refresh(path, options)
        }
    }

    /// Publishes the deletion of a file.
    func publishDeletion(_ path: RelativePath) async throws -> PathRun {
        try await runSync(path, isLoading: false, "delete") { replica, options in
            try await replica.publishDeletion(of: path, options)
        }
    }

    /// Syncs all files.
    func sync() async throws -> SyncReport {
        let reports = try await runSync(nil, isLoading: true, "sync") { replica, options in
            try await replica.sync(options)
        }
        return reports.last ?? SyncReport()
    }

    private func runSync(
        _ path: RelativePath, isLoading: Bool, _ operation: String,
        _ body: @escaping @Sendable (Replica, SyncOptions) async throws -> SyncReport
    ) async throws -> PathRun {
        try ended(try await runSync(.some(path), isLoading: isLoading, operation, body), path)
    }

    /// Syncs, and syncs again when the program has resolved the conflicts it was asked about. The replica
    /// is not locked meanwhile.
    private func runSync(
        _ path: RelativePath?, isLoading: Bool, _ operation: String,
        _ body: @escaping @Sendable (Replica, SyncOptions) async throws -> SyncReport
    ) async throws -> [SyncReport] {
        var options = SyncOptions()
        options.operation = operation
        var reports: [SyncReport] = []
        while true {
            reports.append(try await attempt(path, isLoading: isLoading, options, body))
            let pending = resolutions.postponed(path)
            if pending.isEmpty { return reports }
            for answer in pending { try await answer.wait() }
        }
    }

    private func attempt(
        _ path: RelativePath?, isLoading: Bool, _ options: SyncOptions,
        _ body: @escaping @Sendable (Replica, SyncOptions) async throws -> SyncReport
    ) async throws -> SyncReport {
        try await session.withReplica { [resolutions] replica in
            resolutions.begin(path, isLoading: isLoading)
            do {
                let report = try await body(replica, options)
                resolutions.end(path, isDone: report.away == nil)
                return report
            } catch {
                resolutions.end(path, isDone: false)
                throw error
            }
        }
    }

    private func ended(_ reports: [SyncReport], _ path: RelativePath) throws -> PathRun {
        guard var report = reports.last else { return PathRun(report: SyncReport(), content: nil) }
        if let problem = report.problems.first(where: { $0.path == path }) { throw problem.failure }
        report.steps = reports.flatMap(\.steps)
        return PathRun(report: report, content: try files.read(path))
    }

    /// Merges a save with the unseen content that it replaced.
    private func mergeLateSave(
        _ late: LateSave, _ path: RelativePath, _ handler: Handler
    ) async throws {
        guard let here = try files.read(path), here != late.there else { return }
        let pending = PendingAnswer()
        let question = Question(base: late.base, here: here, there: late.there, isLoading: false)
        handler.ask(question, Reply(pending))
        try await pending.wait()
        switch pending.answer {
        case .merged(let bytes): try replace(here, by: bytes, at: path)
        case .theirs: try replace(here, by: late.there, at: path)
        case .ours, .declined, .postponed, nil: return
        }
    }

    /// Replaces the content, unless the program has saved another one meanwhile.
    private func replace(_ old: [UInt8], by new: [UInt8], at path: RelativePath) throws {
        _ = try files.update(path) { $0 == old ? new : nil }
    }
}
