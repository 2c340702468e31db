import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules

/// `undelete`: back from a tombstone.
struct UndeleteCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "undelete", abstract: "Restore deleted paths.",
        discussion: """
            A folder comes back with everything that was deleted with it, also with what the same device \
            deleted in it right before, in commits without anything else; of one that is there, what was \
            deleted in it here since the last sync. A path with *, ? or [ that \
            was not deleted by that name is a pattern, as in a .gitignore of the root. The replica itself, as in filesinki \
            undelete . in its folder, brings back everything that was deleted here since the last sync, also what \
            filesinki delete has deleted and a sync has not yet sent; a notice names it. List deleted \
            paths with filesinki ls --deleted. Exits with 5 if some of several paths could not be restored.
            """)

    @Argument(help: "The paths to restore, or patterns.", completion: Candidates.asked)
    var paths: [String] = []

    @Flag(
        name: [.long, .customShort("n")],
        help: "Print what would be restored, without changing anything.")
    var dryRun = false

    @OptionGroup var list: PathsOption
    @OptionGroup var publishWait: PublishWaitOption
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    var interruptedWork: String? { dryRun ? InterruptedWork.nothing : InterruptedWork.repeated }

    func validate() throws {
        try list.require(
            paths, hint: "What can be brought back is listed by filesinki ls --deleted.")
    }

    func run(in console: Console) async throws -> ExitCode {
        do {
            return try await restoreAll(in: console)
        } catch let failure as Failure where failure.code == .away {
            throw failure.havingDeleted()
        }
    }

    private func restoreAll(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        list.null.apply(to: console)
        guard let paths = try list.all(paths, in: console) else { return .done }
        let session = try await Session.open(
            replica, naming: paths, access: .changingKnown, in: console)
        let targets = try await UndeleteTargets(paths, session)
        let named = Set(paths.compactMap { try? session.path($0) })
        let open = dryRun ? [] : try await session.replica.conflicts()
        if dryRun { return try await plan(targets, session) }
        if targets.unsent.isEmpty, targets.deleted.count == 1 {
            let (code, made) = try await restore(targets.deleted[0], named, session)
            console.say(restored: RestoredPaths(made))
            try await session.sayOpened(since: open)
            return code
        }
        var restored = RestoredPaths()
        var codes: [ExitCode] = []
        if !targets.unsent.isEmpty {
            let (code, made) = try await bringBack(targets, named, session)
            codes.append(code)
            restored.add(made)
        }
        if !targets.deleted.isEmpty {
            let (code, made) = try await restore(targets.deleted, named, session)
            codes.append(code)
            restored.add(made)
        }
        let failed = codes.first { $0 != .done && $0 != .conflict }
        // What could not be restored has been said.
        if failed == nil || !restored.isEmpty { console.say(restored: restored) }
        try await session.sayOpened(since: open)
        guard let failed else { return codes.contains(.conflict) ? .conflict : .done }
        return codes.contains(.done) || !restored.isEmpty ? .partial : failed
    }

    /// Shows what would be restored.
    private func plan(_ targets: UndeleteTargets, _ session: Session) async throws -> ExitCode {
        var plan = try await session.replica.planUndelete(targets.deleted, targets.unsent)
        var failures: [Failure] = []
        for failure in plan.takeFailures(of: targets.deleted) {
            failures.append(await session.refined(failure))
        }
        return try session.console.show(plan: plan, failures)
    }

    /// Brings back what is in no commit as deleted, all of it together.
    private func bringBack(
        _ targets: UndeleteTargets, _ named: Set<RelativePath>, _ session: Session
    ) async throws -> (code: ExitCode, made: RestoreReport) {
        let made = try await session.replica.bringBack(
            targets.unsent, before: targets.deleted, SyncOptions())
        let problems = made.problems + (made.sync?.problems ?? [])
        try session.console.show(restored: made.restored, folders: made.folders, named: named)
        try session.console.show(problems, type: "problem")
        try session.console.show(made.notices, type: "notice")
        if let sync = made.sync { try session.console.showNotices(ofReplica: sync) }
        if made.restored.isEmpty, let first = made.problems.first {
            return (ExitCode(first.failure), made)
        }
        guard problems.isEmpty else { return (.partial, made) }
        return (made.sync?.withheld.isEmpty == false ? .conflict : .done, made)
    }

    /// Restores several paths in one commit and shows them.
    private func restore(
        _ targets: [RelativePath], _ asked: Set<RelativePath>, _ session: Session
    ) async throws -> (code: ExitCode, made: RestoreReport) {
        let console = session.console
        let made = try await session.replica.undelete(targets, SyncOptions())
        let named = Set(targets)
        let failures = made.problems.filter { named.contains($0.path) }.map(\.failure)
        for failure in failures { try console.report(await session.refined(failure)) }
        let sync = try await session.retryUntilPublished(
            made.sync ?? SyncReport(), of: Array(made.states.keys), publishWait, replica.waiting)
        // For programs, what was named has an object of its own.
        let isForProgram = console.outputOptions.isJSON || console.outputOptions.isNull
        try console.show(
            restored: made.restored.filter { !isForProgram || made.states[$0] == nil },
            folders: made.folders, named: asked)
        // Of the run itself the first path tells.
        var told = sync
        told.problems += made.problems.filter { !named.contains($0.path) }
        let code =
            told.problems.isEmpty ? ExitCode(queueing: told, isWaiting: publishWait.wait) : .partial
        for (path, state) in made.states.sorted(by: { $0.key < $1.key }) {
            let saved = SaveReport(
                sync: told, entry: state.entry, version: state.version, differs: false)
            try console.show(saved, of: path, exit: code)
            told = SyncReport()
        }
        if made.states.isEmpty {
            try console.showNotices(ofReplica: told)
            try console.show(told.problems, type: "problem")
        }
        try console.show(made.notices, type: "notice")
        guard let failure = failures.first else { return (code, made) }
        return (made.states.isEmpty ? ExitCode(failure) : .partial, made)
    }

    /// Restores one path and shows it.
    private func restore(
        _ target: RelativePath, _ named: Set<RelativePath>, _ session: Session
    ) async throws -> (code: ExitCode, made: RestoreReport) {
        let console = session.console
        let made: RestoreReport
        do {
            made = try await session.replica.undelete(target, SyncOptions())
        } catch let failure as Failure {
            throw await session.refined(failure)
        }
        var saved = SaveReport(
            sync: made.sync ?? SyncReport(), entry: made.entry, version: made.version,
            differs: false)
        saved.sync.problems += made.problems
        let result = try await session.retryUntilPublished(
            saved, of: target, publishWait, replica.waiting)
        let code = ExitCode(queueing: result.sync, isWaiting: publishWait.wait)
        // A folder is listed with what was in it, as in the plan. For programs, what was named has an object of its own.
        let isForProgram = console.outputOptions.isJSON || console.outputOptions.isNull
        let isListed =
            !isForProgram && (made.folders.contains(target) || !named.contains(target))
        try console.show(
            restored: made.restored.filter { isListed || $0 != target }, folders: made.folders,
            named: named)
        try console.show(result, of: target, exit: code)
        try console.show(made.notices, type: "notice")
        return (code, made)
    }
}

extension Failure {
    /// The same failure of a store that cannot be reached, with what it is needed for.
    fileprivate func havingDeleted() -> Failure {
        var failure = self
        failure.message +=
            " The contents of deleted files come back from there: run the command again when it can be reached."
        return failure
    }
}

extension PathPattern {
    /// Whether an argument may be a pattern; a name may have these characters, too.
    static func isPattern(_ argument: String) -> Bool { argument.contains { "*?[".contains($0) } }
}

/// Finds the deleted paths that arguments name.
struct DeletedPathFinder {
    private let session: Session
    /// Whether conflict copies that were resolved are meant wherever they match.
    private let all: Bool
    /// All deleted paths, read for the first pattern.
    private var read: [DeletedPath]?

    init(_ session: Session, all: Bool = false) {
        self.session = session
        self.all = all
    }

    /// The deleted path of this name and those below it; else those that the argument matches as a
    /// pattern, if it looks like one. Conflict copies that were resolved only where it means nothing else.
    mutating func find(_ argument: String) async throws -> [DeletedPath] {
        let paths = try session.paths([argument])
        let named = try await session.replica.deleted(paths)
        guard named.isEmpty, PathPattern.isPattern(argument) else {
            return all ? named : named.withoutResolvedCopies(except: paths)
        }
        let pattern = try PathPattern(argument)
        let matched = try await everything().filter { pattern.covers($0.path) }
        return all ? matched : matched.withoutResolvedCopies(except: [])
    }

    mutating func everything() async throws -> [DeletedPath] {
        if let read { return read }
        let found = try await session.replica.deleted([])
        read = found
        return found
    }
}

extension [DeletedPath] {
    /// The paths without the conflict copies that were resolved; all if there is nothing else.
    ///
    /// - Parameter named: These are kept.
    fileprivate func withoutResolvedCopies(except named: [RelativePath]) -> [DeletedPath] {
        let kept = filter { !$0.isResolvedCopy || named.contains($0.path) }
        return kept.isEmpty ? self : kept
    }
}

extension Session {
    /// The deleted paths that arguments name: all without an argument.
    ///
    /// - Parameter all: Whether conflict copies that were resolved are meant, too, where they are not named.
    /// - Returns: The paths in order, each once, and the arguments that name none.
    func deleted(
        _ arguments: [String], all: Bool
    ) async throws -> (found: [DeletedPath], missing: [String]) {
        guard !arguments.isEmpty else {
            return (try await replica.deleted([]).filter { all || !$0.isResolvedCopy }, [])
        }
        var finder = DeletedPathFinder(self, all: all)
        var found: [RelativePath: DeletedPath] = [:]
        var missing: [String] = []
        for argument in arguments {
            let some = try await finder.find(argument)
            if some.isEmpty { missing.append(argument) }
            for path in some { found[path.path] = path }
        }
        return (found.values.sorted { $0.path < $1.path }, missing)
    }

    /// An argument named no deleted path: that nothing of this name is known, or that it was renamed.
    func noneDeleted(_ argument: String) async -> Failure {
        var failure = Failure(
            .notFound, path: ArgumentText.bytes(of: argument), "No deleted path was found.",
            remedy: "List deleted names with filesinki ls --deleted.")
        guard let path = try? path(argument),
            let place = try? await replica.place(ofRenamed: path)
        else { return failure }
        let (old, new) = (console.hints.word(path), console.hints.word(place.path))
        failure.message = "This is not deleted: \(path) was renamed to \(place.path)."
        failure.remedy =
            "To give it its old name again, run filesinki mv \(new) \(old); filesinki undelete \(old) makes a copy."
        if place.isDeleted {
            failure.message = "\(path) was renamed to \(place.path), and deleted there."
            failure.remedy = "To bring it back, run filesinki undelete \(new)."
        }
        return failure
    }
}
