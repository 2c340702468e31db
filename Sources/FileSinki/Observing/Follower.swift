import FilesinkiEngine
import FilesinkiModel
import FilesinkiSystem

/// A path at which something has changed.
struct FoundChange: Sendable {
    var path: RelativePath
    /// Whether the file was deleted.
    var isDeleted: Bool
}

/// Hears of what others change below a path, from now on. One task at a time asks it.
actor Follower {
    private let core: Core
    private let scope: EventScope
    private var observer: Observer?
    private var found: [FoundChange] = []
    private var asking: Task<Observed?, any Error>?
    /// The pause before the next try to reach the remote; it may be cut short.
    private var pausing: Task<Void, any Error>?

    init(_ core: Core, _ scope: EventScope) {
        self.core = core
        self.scope = scope
    }

    /// The next path at which something may have changed.
    ///
    /// - Throws: `CancellationError`, and what makes no sense to try again.
    func next() async throws -> FoundChange {
        while true {
            try Task.checkCancellation()
            if !found.isEmpty { return found.removeFirst() }
            guard let observer else {
                try await begin()
                continue
            }
            take(try await ask(observer))
        }
    }

    /// Looks at once, without waiting for the remote's hint or for the end of a pause.
    func look() {
        asking?.cancel()
        pausing?.cancel()
    }

    private func begin() async throws {
        var backoff = Backoff()
        while true {
            do {
                return try await listen()
            } catch let failure as Failure where failure.code == .away || failure.code == .busy {
                try await wait(backoff.next())
            }
        }
    }

    /// Waits so long, or until ``look()`` is called.
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
        let start = try await core.session.run { try await $0.startingPoint(of: scope) }
        var options = ObserverOptions()
        options.scope = scope
        options.start = .token(start.token)
        options.isSyncing = false
        options.resynchronises = true
        for (path, entry) in start.waiting { add(path, entry) }
        observer = Observer(core.options, options)
    }

    private func ask(_ observer: Observer) async throws -> Observed? {
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

    private func take(_ observed: Observed?) {
        let events: [Event]
        switch observed {
        case .events(let told, _): events = told
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
    /// Whether it is one path, which was named.
    var isFile: Bool {
        if case .exactly? = parts.first { return parts.count == 1 }
        return false
    }

    /// What a program's path names: a file, or with a slash behind it a folder with all that is in it.
    ///
    /// - Throws: Code `bad-path` for what lies outside of the root.
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

/// What was found at a path after it was brought here.
struct Arrival: Sendable {
    var path: RelativePath
    /// The file's bytes; nil when it was deleted.
    var content: [UInt8]?
}

/// Brings here what others change, and tells it once.
actor Arrivals {
    private let core: Core
    private let follower: Follower
    private let handler: Handler?
    /// What was told last of each path.
    private var told: [RelativePath: [UInt8]?] = [:]

    /// - Parameter handler: Resolves what was changed here, too; nil for what is registered.
    init(_ core: Core, _ scope: EventScope, _ handler: Handler?) {
        self.core = core
        self.handler = handler
        follower = Follower(core, scope)
        guard let handler else { return }
        for part in scope.parts {
            switch part {
            case .exactly(let path):
                core.resolutions.register(handler, at: path)
                told[path] = .some((try? core.files.read(path)) ?? nil)
            case .inside(let folder):
                core.resolutions.register(handler, inFolder: folder.bytes)
            }
        }
        if scope.parts.isEmpty { core.resolutions.register(handler, inFolder: []) }
    }

    func next() async throws -> Arrival {
        while true {
            let path = try await follower.next().path
            if let arrival = try await bring(path) { return arrival }
        }
    }

    nonisolated func look() { Task { await follower.look() } }

    /// Nil when there is nothing new to tell.
    private func bring(_ path: RelativePath) async throws -> Arrival? {
        let before: [UInt8]?
        let ran: Ran
        do {
            before = try core.files.read(path)
            ran = try await core.refresh(path, nil)
        } catch let failure as Failure {
            // One path that cannot be brought does not end the telling of the others.
            core.failed(FileSinkiError(failure, "\(path)"))
            return nil
        }
        if ran.report.away != nil { return nil }
        if let last = told[path], last == ran.content { return nil }
        if told[path] == nil, ran.content == nil, before == nil { return nil }
        told[path] = .some(ran.content)
        _ = core.see(ran.content, insteadOf: before, at: path)
        return Arrival(path: path, content: ran.content)
    }
}
