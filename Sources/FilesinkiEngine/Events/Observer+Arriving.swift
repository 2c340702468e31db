import FilesinkiModel
import FilesinkiReconcile

extension Observer {
    /// More events than this are brought by a run over all that is observed.
    private static let singlePaths = 200
    /// After so many tries another run that goes on and on is not waited for any longer, if it has
    /// seen the commit.
    private static let busyTries = 3
    /// So many paths that did not arrive are named.
    private static let namedPaths = 10
    /// What keeps changes from arriving, but not from being told.
    private static let troubles: Set<Failure.Code> = [.limit, .io, .full, .changing, .notFound]

    /// The events, once their files are here or are known not to come.
    ///
    /// - Throws: Code `away` and `busy` when that has to be tried again.
    func arrived(_ events: [Event]) async throws -> [Event] {
        guard !events.isEmpty else { return [] }
        let now = try await withEvents { try $0.markApplied(events) }
        guard wishes.isSyncing, now.contains(where: { !$0.isApplied }) else { return now }
        let paths = Set(events.map(\.path)).sorted()
        let problems: [Problem]
        do {
            problems = try await run(paths.count > Self.singlePaths ? wishes.scope.roots : paths)
        } catch let failure as Failure where failure.code == .busy {
            let seen = try await withEvents { try await $0.reachedEventToken() }
            guard failures >= Self.busyTries, seen?.version ?? 0 >= events.last?.version ?? 0 else {
                throw failure
            }
            problems = []
        }
        let marked = try await withEvents { try $0.markApplied(events) }
        nameAbsent(marked, except: Set(problems.map(\.path)))
        return marked
    }

    /// Brings here all that is observed.
    ///
    /// - Returns: The position up to which everything is here; nil when the run did not work.
    func bringAll() async throws -> EventToken? {
        let roots = wishes.scope.roots
        return try await withEvents(writable: true) { [self] events in
            guard try await attempt(events, roots) != nil else { return nil }
            return try await events.reachedEventToken()
        }
    }

    /// One run; what it could not do on single paths.
    private func run(_ paths: [RelativePath]) async throws -> [Problem] {
        try await withEvents(writable: true) { [self] events in
            try await attempt(events, paths) ?? []
        }
    }

    /// One run with an open replica; nil when it was stopped before it did anything.
    private func attempt(_ events: Events, _ paths: [RelativePath]) async throws -> [Problem]? {
        do {
            let report = try await events.bring(paths)
            if let failure = report.away ?? report.stopped { throw failure }
            for problem in report.problems { notice(.trouble(problem.failure)) }
            for found in report.notices where found.isOfReplica { notice(.trouble(found.failure)) }
            return report.problems
        } catch let failure as Failure where Self.troubles.contains(failure.code) {
            notice(.trouble(failure))
            return nil
        }
    }

    /// Says which changes are told although they are not here.
    private func nameAbsent(_ events: [Event], except named: Set<RelativePath>) {
        let absent = events.filter { !$0.isApplied && !named.contains($0.path) }
        for event in absent.prefix(Self.namedPaths) {
            notice(
                .trouble(
                    Failure(
                        .differs, path: event.path.bytes,
                        "The change is told, but is not here yet.",
                        remedy: "See filesinki status, and filesinki conflicts.")))
        }
    }

    /// Opens the replica for the duration of `body`.
    func withEvents<Answer>(
        writable: Bool = false, _ body: (Events) async throws -> Answer
    ) async throws -> Answer {
        let context = try await ReplicaContext.open(replica, writable: writable)
        defer { context.close() }
        return try await body(Events(context))
    }
}
