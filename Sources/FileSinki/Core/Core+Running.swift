import FilesinkiEngine
import FilesinkiModel

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
