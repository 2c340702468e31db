import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiRules
import FilesinkiSystem
import FilesinkiText

/// An opened replica together with how it was named: what most commands begin with.
struct Session {
    let replica: Replica
    let root: RootChoice
    let console: Console
    /// How the replica was opened.
    let settings: ReplicaOptions

    /// What a command does to the replica.
    enum Access {
        case reading
        /// It waits for other runs.
        case changing
        /// The same, with what is there: where there is no replica, the current folder is the wrong one.
        case changingKnown
        /// It saves; a running process may do that for it.
        case saving
    }

    /// Finds and opens the replica. A command that may make something new makes the default one when it is not there; of one that
    /// works on what is there, the current folder is the wrong one.
    ///
    /// - Parameters:
    ///   - place: A path that may lie in the replica that is meant, as `sync DIR` has one.
    ///   - folder: A folder that must be, or lie in, the replica that is meant.
    ///   - arguments: The paths of the command. An absolute one says which replica is meant where nothing else does.
    ///   - writable: Whether the command changes the replica, and so waits for other runs.
    ///   - remote: Whether the command may go on to the remote.
    ///   - reaching: How to reach the remote, where the user says it.
    static func open(
        _ options: RootOptions, near place: String? = nil, of folder: String? = nil,
        naming arguments: [String] = [], writable: Bool, remote: Bool = true,
        with reaching: AccessOptions? = nil, in console: Console
    ) async throws -> Session {
        try await open(
            options, near: place, of: folder, naming: arguments,
            access: writable ? .changing : .reading, remote: remote, with: reaching, in: console)
    }

    /// The same, with what the command does.
    static func open(
        _ options: RootOptions, near place: String? = nil, of folder: String? = nil,
        naming arguments: [String] = [], access: Access, remote: Bool = true,
        with reaching: AccessOptions? = nil, in console: Console
    ) async throws -> Session {
        var (root, settings) = try await options.findOrMake(
            near: place ?? options.place(among: arguments, in: console), of: folder,
            makesDefault: [.changing, .saving].contains(access),
            in: console)
        _ = try reaching?.apply(to: &settings, in: console)
        let replica =
            access == .saving
            ? try await Replica.openToSave(settings)
            : try await Replica.open(settings, writable: access != .reading)
        console.state = settings.stateFolder
        if remote { try console.prepare(forRemembered: await replica.remoteAddress) }
        return Session(replica: replica, root: root, console: console, settings: settings)
    }

    /// The path that an argument names.
    ///
    /// - Parameter remedy: What to do instead where it names the root itself.
    /// - Throws: `Failure` with code `badPath` for the root itself and what lies outside.
    func path(
        _ argument: String, orElse remedy: String = "Give a path below it."
    ) throws(Failure) -> RelativePath {
        try root.requireMeantHere(argument, in: console)
        guard let path = try root.path(argument, currentFolder: console.currentFolder) else {
            throw Failure(
                .badPath, path: ArgumentText.bytes(of: argument), "The path is the root itself.",
                remedy: remedy)
        }
        return path
    }

    /// The paths that arguments name; none when there is no argument, or it is the root itself: then
    /// everything is meant.
    ///
    /// - Parameter isList: Whether the arguments are a list, such as the output of find, which has the root
    ///   beside what is in it.
    /// - Throws: `Failure` with code `badPath` for what lies outside of the root, `usage` for the root beside
    ///   other paths: a mistyped one would pass unnoticed.
    func paths(_ arguments: [String], isList: Bool = false) throws(Failure) -> [RelativePath] {
        var paths: [RelativePath] = []
        var whole: String?
        for argument in arguments {
            try root.requireMeantHere(argument, in: console)
            if let path = try root.path(argument, currentFolder: console.currentFolder) {
                paths.append(path)
            } else if isList {
                return []
            } else {
                whole = argument
            }
        }
        guard let whole else { return paths }
        if paths.isEmpty { return [] }
        throw Failure(
            .usage, path: ArgumentText.bytes(of: whole),
            "This is the replica itself; other paths cannot be named beside it.",
            remedy: "Name the replica, or paths in it.")
    }

    /// Says which of the paths are not among those found, nor hold any of them.
    ///
    /// - Parameter point: The point of the history that was asked for; nil for the last sync.
    /// - Returns: Whether all are.
    func report(
        missing paths: [RelativePath], in found: [RelativePath], at point: HistoryPoint? = nil
    ) throws -> Bool {
        let known = Set(found)
        let missing = paths.filter { path in
            !known.contains(path) && !found.contains { $0.isInside(path) }
        }
        for path in missing {
            try console.report(point == nil ? .unknown(path) : .absentThen(path))
        }
        return missing.isEmpty
    }
}

extension Failure {
    /// A path was named that did not exist at the point of the history.
    static func absentThen(_ path: RelativePath) -> Failure {
        Failure(
            .notFound, path: path.bytes, "This path did not exist then.",
            remedy: "List its versions with filesinki log \(ShellWord.path(path.bytes)).")
    }

    /// A path was named that was in no sync.
    static func unknown(_ path: RelativePath) -> Failure {
        Failure(
            .notFound, path: path.bytes, "Not found as of the last sync.",
            remedy: "Check the path; a new file is known after filesinki sync.")
    }
}

extension Console {
    /// Says what failed on one of several paths.
    func report(_ failure: Failure) throws {
        if outputOptions.isJSON { try output.json(failure.json(type: "failure")) }
        complain(failure)
    }
}

extension RootOptions {
    /// The replica that is meant and how to open it; the default one is made when it is not there.
    ///
    /// - Parameters:
    ///   - place: A path that may lie in the replica that is meant.
    ///   - folder: A folder that must be, or lie in, the replica that is meant.
    ///   - makesDefault: Whether the default replica is made; else it must be there.
    func findOrMake(
        near place: String? = nil, of folder: String? = nil, makesDefault: Bool = true,
        in console: Console
    ) async throws -> (root: RootChoice, settings: ReplicaOptions) {
        let root =
            if let folder {
                try RootChoice.of(folder, self, in: console)
            } else {
                try RootChoice.find(self, near: place, in: console)
            }
        let settings = try replicaOptions(root: root.path, in: console)
        if root.origin == .standard, RootChoice.nearestReplica(at: root.path) == nil {
            if place != nil || !makesDefault {
                let folder = try place.map { place throws(Failure) in
                    try FilePlace.absoluteText(place, in: console.currentFolder)
                }
                throw Failure.notInReplica(folder ?? console.currentFolder)
            }
            _ = try await Replica.initialize(
                settings, address: nil, deviceName: DeviceName.standard(in: console))
            console.register(root: root.path, state: settings.state, isNew: true)
            // A person may be in the wrong folder; a script that saves on a new account is not.
            let created = "Created the default replica \(printable(root.path.utf8))"
            let text = "\(created): the current folder is in no replica."
            if console.terminals.talk { console.say(text) } else { console.detail(text) }
        }
        return (root, settings)
    }

    /// What the engine needs to open a replica.
    func replicaOptions(root: String, in console: Console) throws -> ReplicaOptions {
        let wait = try TimeText.length(waiting.lockWait)
        let state = try state.map { try FilePlace.absoluteText($0, in: console.currentFolder) }
        console.hints = CommandHints(root: root, state: state, in: console)
        let pinned = StateFolder(root: root, state: state).access
        var options = ReplicaOptions(
            root: root, state: state, lockWait: .seconds(wait),
            systemContext: console.systemContext,
            configuration: Settings.userFile { console.environment[$0] },
            connect: console.connector(RemoteAccess(pinned: pinned)))
        options.connect = console.connector(RemoteAccess(pinned: pinned), of: options)
        return options
    }
}

extension Session {
    /// Opens the replica again after it was closed.
    func reopened() async throws -> Session {
        Session(
            replica: try await Replica.open(settings, writable: true), root: root,
            console: console, settings: settings)
    }

    /// Syncs again until the remote is reached or the time limit expires. The replica is unlocked between
    /// two attempts.
    ///
    /// - Returns: The report of the last run, with the work of the runs before it; `first` when it
    ///   reached the remote, or there is no limit.
    func untilReached(
        _ first: SyncReport, _ options: SyncOptions, _ waiting: WaitOptions
    ) async throws -> SyncReport {
        guard let limit = try waiting.limit() else { return first }
        var backoff = Backoff.untilReached(limit: limit)
        var session = self
        var report = first
        if let away = first.away {
            console.say("\(away.withoutRemedy) Retrying for as long as --timeout allows.")
        }
        while report.away != nil, !backoff.isOver {
            RetryReason.current?.last = report.away
            await session.replica.close()
            try await console.systemContext.sleep(backoff.next(after: report.away))
            session = try await session.reopened()
            let earlier = report
            report = try await session.replica.sync(options)
            report.add(done: earlier)
        }
        await session.replica.close()
        return report
    }

    /// Retries the publication of changed paths, when the policy is to wait for it.
    func retryUntilPublished(
        _ report: SyncReport, of paths: [RelativePath], _ publishWait: PublishWaitOption,
        _ waiting: WaitOptions
    ) async throws -> SyncReport {
        guard publishWait.wait, report.away != nil else { return report }
        var options = SyncOptions()
        options.paths = paths
        var published = try await untilReached(report, options, waiting)
        published.notices = report.notices + published.notices
        return published
    }

    /// Retries the publication of a save, when the policy is to wait for it.
    func retryUntilPublished(
        _ report: SaveReport, of path: RelativePath, _ publishWait: PublishWaitOption,
        _ waiting: WaitOptions
    ) async throws -> SaveReport {
        guard publishWait.wait, report.sync.away != nil else { return report }
        var published = report
        published.sync = try await retryUntilPublished(
            report.sync, of: [path], publishWait, waiting)
        guard published.sync.away == nil else { return published }
        let reader = try await Replica.open(settings, writable: false)
        let known = try await reader.list([path]).first { $0.0 == path }?.1
        published.version = known?.version ?? 0
        published.differs = known?.entry.content != report.entry?.content && report.entry != nil
        published.entry = known?.entry ?? report.entry
        return published
    }
}

extension Backoff {
    /// The pauses between attempts to reach the remote.
    ///
    /// - Parameter limit: The sum of all pauses, in seconds.
    static func untilReached(limit: Int64) -> Backoff {
        Backoff(.milliseconds(200)...(.seconds(30)), limit: .seconds(limit))
    }
}

extension Session {
    /// The longest time between two polls: a change hint of the remote may be lost.
    private static let longestWait = Duration.seconds(30)
    /// The time between two polls of a remote without change hints.
    private static let unnoticedWait = Duration.milliseconds(500)
    /// The shortest time between two polls: a hint may come for every change of others.
    private static let shortestWait = Duration.milliseconds(20)

    /// Waits until a path has a version newer than `version`.
    ///
    /// The replica is not locked while it waits.
    ///
    /// - Parameter done: The work of the runs meanwhile is added to it.
    /// - Returns: A session with that version.
    /// - Throws: `Failure` with code `notFound` when the time limit expires first, `away` when the remote
    ///   could not be reached.
    func awaitNewer(
        _ path: RelativePath, than version: UInt64, _ waiting: WaitOptions,
        _ done: inout SyncReport
    ) async throws -> Session {
        let end = try waiting.limit().map { console.systemContext.now().advanced(bySeconds: $0) }
        let remote = try await replica.remoteAddress.map { try settings.connect($0) }
        var options = SyncOptions()
        options.paths = [path]
        var session = self
        var isListening = false
        while true {
            let report = try await session.replica.sync(options)
            done.addCopies(of: report)
            let found = try await session.replica.list([path]).first { $0.0 == path }
            if let found, found.1.version > version { return session }
            guard remote != nil else { throw Failure.noRemote(of: root.path) }
            let left = end.map { console.systemContext.now().duration(to: $0) }
            if let left, left <= .zero { throw report.away ?? Self.noneNewer(path, version) }
            let prefix = await session.replica.watchedPrefix
            if !isListening, let remote, let prefix {
                // The next poll finds earlier changes; later ones end the pause.
                isListening = true
                try? await remote.wait(prefix: prefix, timeout: .zero)
                continue
            }
            await session.replica.close()
            try await pause(min(left ?? Self.longestWait, Self.longestWait), remote, prefix)
            session = try await session.reopened()
        }
    }

    private static func noneNewer(_ path: RelativePath, _ version: UInt64) -> Failure {
        Failure(
            .notFound, path: path.bytes, "No version newer than \(version) arrived in time.",
            remedy: "Wait longer, or load the current version.")
    }

    /// Waits for a change hint, at most for `duration`.
    private func pause(
        _ duration: Duration, _ remote: (any Remote)?, _ prefix: String?
    ) async throws {
        let sleep = console.systemContext.sleep
        let hint: @Sendable () async throws -> Void = {
            guard let remote, let prefix else { return try await sleep(Self.unnoticedWait) }
            do { try await remote.wait(prefix: prefix, timeout: duration) } catch {
                // A remote that is away sends no hint.
                try await sleep(min(Self.unnoticedWait * 10, duration))
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await hint() }
            group.addTask { try await sleep(duration) }
            try await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
        try await sleep(min(Self.shortestWait, duration))
    }
}

extension Timestamp {
    /// Clamped to the latest representable time.
    fileprivate func advanced(bySeconds seconds: Int64) -> Timestamp {
        let (scaled, isHuge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = nanoseconds.addingReportingOverflow(scaled)
        return Timestamp(nanoseconds: isHuge || overflow ? .max : sum)
    }

    fileprivate func duration(to end: Timestamp) -> Duration {
        .nanoseconds(end.nanoseconds.subtractingReportingOverflow(nanoseconds).partialValue)
    }
}
