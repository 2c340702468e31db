import FilesinkiEngine
import FilesinkiModel
import FilesinkiSystem

/// A path at which something has changed.
struct FoundChange: Sendable {
    var path: RelativePath
    /// Whether the file was deleted.
    var isDeleted: Bool
}

/// Follows the changes of other devices below a path, from now on. One task at a time calls ``next()``.
actor Follower {
    private let core: Core
    private let scope: EventScope
    private var observer: Observer?
    /// Held until it is known where this starts.
    private var start: ObserverStart?
    private var found: [FoundChange] = []
    private var asking: Task<Observed?, any Error>?
    /// The pause before the next try to reach the remote; it may be cut short.
    private var pausing: Task<Void, any Error>?

    init(_ core: Core, _ scope: EventScope) {
        self.core = core
        self.scope = scope
        start = core.observerStarts.begin()
    }

    /// The next path at which something may have changed.
    ///
    /// - Throws: `CancellationError`, and failures that a retry cannot mend.
    func next() async throws -> FoundChange {
        while true {
            try Task.checkCancellation()
            if !found.isEmpty { return found.removeFirst() }
            guard let observer else {
                try await begin()
                continue
            }
            addChanges(in: try await askOnce(observer))
        }
    }

    /// Polls the remote now, without waiting for a change hint or the end of a pause.
    func poll() {
        asking?.cancel()
        pausing?.cancel()
    }

    private func begin() async throws {
        var backoff = Backoff()
        while true {
            do {
                return try await listen()
            } catch let failure as Failure where failure.code == .away || failure.code == .busy {
                start = nil
                try await wait(backoff.next())
            }
        }
    }

    /// Waits for `length`, or until ``poll()`` is called.
    private func wait(_ length: Duration) async throws {
        let sleep = core.options.systemContext.sleep
        let task = Task { try await sleep(length) }
        pausing = task
        defer { pausing = nil }
        await withTaskCancellationHandler {
            _ = await task.result
        } onCancel: {
            task.cancel()
        }
        try Task.checkCancellation()
    }

    private func listen() async throws {
        let scope = scope
        let start = try await core.session.withReplica { try await $0.startingPoint(of: scope) }
        var options = ObserverOptions()
        options.scope = scope
        options.start = .token(start.token)
        options.isSyncing = false
        options.resynchronises = true
        for (path, entry) in start.waiting { add(path, entry) }
        observer = Observer(core.options, options)
        self.start = nil
    }

    private func askOnce(_ observer: Observer) async throws -> Observed? {
        let task = Task { try await observer.next(.forever) }
        asking = task
        defer { asking = nil }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError {
            return nil
        }
    }

    private func addChanges(in observed: Observed?) {
        let events: [Event]
        switch observed {
        case .events(let found, _): events = found
        case .difference(let difference): events = difference.events
        case .position, nil: events = []
        }
        for event in events { add(event.path, event.entry) }
    }

    private func add(_ path: RelativePath, _ entry: Entry) {
        guard entry.kind != .directory else { return }
        found.removeAll { $0.path == path }
        found.append(FoundChange(path: path, isDeleted: entry.kind == .tombstone))
    }
}

extension EventScope {
    /// Whether the scope is exactly one path.
    var isFile: Bool {
        if case .exactly? = parts.first { return parts.count == 1 }
        return false
    }

    /// Parses a program's path: a file, or with a trailing slash a folder with everything below it.
    ///
    /// - Throws: Code `bad-path` for a path outside of the root.
    init(_ text: String, in core: Core, _ form: FileForm) throws {
        if text.isEmpty || text == "/" || text == core.root + "/" || text == "./" {
            self = .everything
        } else if text.hasSuffix("/") {
            let folder = String(text.dropLast())
            self = EventScope([.inside(try core.path(folder))])
        } else {
            self = EventScope([.exactly(try core.path(form.name(text)))])
        }
    }
}

/// The state of a path after a change of another device was fetched and merged.
struct FetchedChange: Sendable {
    var path: RelativePath
    /// The file's bytes; nil when it was deleted.
    var content: [UInt8]?
}

/// Fetches the changes of other devices, and returns each state of a path once.
actor FetchedChanges {
    private let core: Core
    private let follower: Follower
    private let handler: Handler?
    /// The content that was returned last for each path.
    private var delivered: [RelativePath: [UInt8]?] = [:]

    /// - Parameter handler: Resolves conflicts with changes here; nil for the registered handlers.
    init(_ core: Core, _ scope: EventScope, _ handler: Handler?) {
        self.core = core
        self.handler = handler
        follower = Follower(core, scope)
        guard let handler else { return }
        for part in scope.parts {
            switch part {
            case .exactly(let path):
                core.resolutions.register(handler, at: path)
                delivered[path] = .some((try? core.files.read(path)) ?? nil)
            case .inside(let folder):
                core.resolutions.register(handler, inFolder: folder.bytes)
            }
        }
        if scope.parts.isEmpty { core.resolutions.register(handler, inFolder: []) }
    }

    func next() async throws -> FetchedChange {
        while true {
            let path = try await follower.next().path
            if let arrival = try await fetch(path) { return arrival }
        }
    }

    nonisolated func poll() { Task { await follower.poll() } }

    /// Fetches one path; nil when its content was returned before.
    private func fetch(_ path: RelativePath) async throws -> FetchedChange? {
        let before: [UInt8]?
        let result: PathRun
        do {
            await core.observerStarts.wait()
            before = try core.files.read(path)
            result = try await core.refresh(path, nil)
        } catch let failure as Failure {
            // One path that cannot be fetched does not end the observation of the others.
            core.failed(FileSinkiError(failure, "\(path)"))
            return nil
        }
        if result.report.away != nil { return nil }
        if let last = delivered[path], last == result.content { return nil }
        if delivered[path] == nil, result.content == nil, before == nil { return nil }
        delivered[path] = .some(result.content)
        _ = core.recordSeen(result.content, insteadOf: before, at: path)
        return FetchedChange(path: path, content: result.content)
    }
}
