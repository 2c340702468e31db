import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import Synchronization

/// One root with everything that keeps it in step: what stands behind each `FileSinki`.
final class Core: Sendable {
    let root: String
    let options: ReplicaOptions
    let resolutions = Resolutions()
    let session: Session
    let jobs = Jobs()
    /// Told what nobody waits for, such as a save in the background that was refused.
    let failed: @Sendable (FileSinkiError) -> Void
    private let opened = Mutex<RootFiles?>(nil)
    /// What the program has seen last of each file, so that a save which does not know a newer content
    /// is told from one that replaces it.
    private let seen = Mutex<[RelativePath: Sight]>([:])

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

    /// The files of the root, which is made when it is not there.
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
    /// - Throws: Code `bad-path` for the root itself and what lies outside.
    func path(_ text: String) throws -> RelativePath {
        guard text.hasPrefix("/") else { return try RelativePath(text) }
        let folder = root.hasSuffix("/") ? root : root + "/"
        guard text.hasPrefix(folder) else {
            throw Failure(
                .badPath, path: text, "It is outside of the root \(root).",
                remedy: "Use a path below the root.")
        }
        return try RelativePath(String(text.dropFirst(folder.count)))
    }

    // MARK: What the program has seen

    func seen(_ path: RelativePath) -> Sight? { seen.withLock { $0[path] } }

    /// Notes what the program has just saved, or is told in any case.
    func see(_ content: [UInt8]?, at path: RelativePath) {
        seen.withLock { $0[path] = Sight(content) }
    }

    /// Notes what the program is told in place of what it has seen so far.
    ///
    /// - Returns: False when it has saved something else meanwhile: then it is not to be told.
    func see(_ content: [UInt8]?, insteadOf old: [UInt8]?, at path: RelativePath) -> Bool {
        seen.withLock { seen in
            if let last = seen[path], last != Sight(old) { return false }
            seen[path] = Sight(content)
            return true
        }
    }
}

/// What a save came to, in bytes.
struct Saved: Sendable {
    var file: [UInt8]
    var wasLate: Bool
    var path: RelativePath
    var ran: Ran

    /// - Parameter value: Makes a value of the file's bytes.
    func outcome<Item>(_ value: ([UInt8]) throws -> Item) throws -> SaveOutcome<Item> {
        if ran.report.away != nil { return .queued }
        guard let content = ran.content, content != file else {
            return ran.report.hasRemote ? .uploaded : .stored
        }
        let item = try value(content)
        let copy = ran.report.copies.first.map { String(decoding: $0.bytes, as: UTF8.self) }
        if let copy { return .keptBoth(item, copy: copy) }
        return isMerged ? .merged(item) : .kept(item)
    }

    private var isMerged: Bool {
        wasLate
            || ran.report.steps.contains { step in
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
                .coding, path: path, message: "The file is not compressed as it should be.",
                remedy: "Load it as it is, and save it anew.")
        }
        return content
    }
}

extension Core {
    /// Saves a content, and publishes it if that can be done now.
    func save(
        _ content: [UInt8], to text: String, _ form: FileForm, _ handler: Handler
    ) async throws -> Saved {
        let path = try path(form.name(text))
        let file = try form.encode(content)
        let late = try write(file, to: path)
        let ran: Ran
        do {
            ran = try await publish(path, handler, late)
        } catch {
            // Busy or cancelled: it is here, and is not forgotten.
            submitIfPassing(error, Job(kind: .save, handler: handler, late: late), path)
            throw error
        }
        if ran.report.away != nil {
            submit(Job(kind: .save, handler: handler), path)
        } else {
            _ = see(ran.content, insteadOf: file, at: path)
        }
        return Saved(file: file, wasLate: late != nil, path: path, ran: ran)
    }

    /// The file's bytes after a look at the remote; nil when it is known to be absent.
    func load(_ text: String, _ form: FileForm, _ handler: Handler) async throws -> [UInt8]? {
        let path = try path(form.name(text))
        let ran = try await refresh(path, handler)
        if let away = ran.report.away {
            guard ran.content != nil else { throw away }
            submitWaiting(path, handler)
        }
        see(ran.content, at: path)
        return ran.content
    }

    /// Deletes a file, and publishes that if it can be done now.
    func delete(_ path: RelativePath) async throws -> DeleteOutcome {
        let wasHere = try remove(path)
        let ran = try await publishDeletion(path)
        if ran.report.away != nil {
            submit(Job(kind: .delete, handler: .rules), path)
            return .queued
        }
        let wasThere = ran.report.steps.contains { $0.path == path && $0.action.writesTheirs }
        guard wasHere || wasThere else { return .absent }
        return ran.report.hasRemote ? .deleted : .removed
    }

    /// Publishes what is here and could not be published while it was loaded.
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
    /// For what needs no word of the program's.
    static let rules = Handler { _, reply in reply.give(.declined("Nobody is asked.")) }
}

/// What a run of one path came to.
struct Ran: Sendable {
    var report: SyncReport
    /// What is in the file now; nil when there is none.
    var content: [UInt8]?
}

/// A content that is saved by who does not know what is there by now.
struct LateSave: Sendable {
    /// What the program had seen; nil where that was no file, or is not known any more.
    var base: [UInt8]?
    /// What is there by now.
    var there: [UInt8]
}

extension Core {
    /// Writes a file at once, durably, before anybody else is asked.
    ///
    /// - Returns: What the program did not know that it replaces; nil when it knew.
    func write(_ content: [UInt8], to path: RelativePath) throws -> LateSave? {
        let files = try files
        let there = try files.read(path)
        let seen = seen(path)
        try files.write(content, to: path)
        see(content, at: path)
        guard let there, let seen, there != content, seen != Sight(there) else { return nil }
        return LateSave(base: seen.base, there: there)
    }

    /// Removes a file at once; what the remote has goes with the next run.
    func remove(_ path: RelativePath) throws -> Bool {
        see(nil, at: path)
        return try files.remove(path)
    }

    /// Publishes what was saved, and merges it with what others have published.
    func publish(_ path: RelativePath, _ handler: Handler, _ late: LateSave?) async throws -> Ran {
        resolutions.register(handler, at: path)
        if let late { try await settle(late, path, handler) }
        return try await run(path, isLoading: false, "save") { replica, options in
            try await replica.publish(path, options)
        }
    }

    /// Brings the newest content of a file here, and merges it with what was saved here.
    func refresh(_ path: RelativePath, _ handler: Handler?) async throws -> Ran {
        if let handler { resolutions.register(handler, at: path) }
        return try await run(path, isLoading: true, "load") { replica, options in
            try await replica.refresh(path, options)
        }
    }

    /// Publishes that a file is deleted.
    func publishDeletion(_ path: RelativePath) async throws -> Ran {
        try await run(path, isLoading: false, "delete") { replica, options in
            try await replica.publishDeletion(of: path, options)
        }
    }

    /// Brings all files into step.
    func sync() async throws -> SyncReport {
        let reports = try await run(nil, isLoading: true, "sync") { replica, options in
            try await replica.sync(options)
        }
        return reports.last ?? SyncReport()
    }

    private func run(
        _ path: RelativePath, isLoading: Bool, _ operation: String,
        _ body: @escaping @Sendable (Replica, SyncOptions) async throws -> SyncReport
    ) async throws -> Ran {
        try ended(try await run(.some(path), isLoading: isLoading, operation, body), path)
    }

    /// Runs, and runs again when the program has answered what it was asked. Nothing is locked while it
    /// thinks.
    private func run(
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
        try await session.run { [resolutions] replica in
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

    private func ended(_ reports: [SyncReport], _ path: RelativePath) throws -> Ran {
        guard var report = reports.last else { return Ran(report: SyncReport(), content: nil) }
        if let problem = report.problems.first(where: { $0.path == path }) { throw problem.failure }
        report.steps = reports.flatMap(\.steps)
        return Ran(report: report, content: try files.read(path))
    }

    /// Merges what was saved with what the program did not know of.
    private func settle(
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

    /// Unless the program has saved anew meanwhile.
    private func replace(_ old: [UInt8], by new: [UInt8], at path: RelativePath) throws {
        guard try files.read(path) == old else { return }
        try files.write(new, to: path)
    }
}
