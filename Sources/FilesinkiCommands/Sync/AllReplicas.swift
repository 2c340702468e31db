import FilesinkiEngine
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText

/// A run of each registered replica: `sync --all`.
struct AllReplicas {
    private let console: Console
    private let waiting: WaitOptions
    /// Whether a run prints a summary, which has the heading itself.
    private let isSummary: Bool

    /// What was done with the replicas.
    private struct Counts {
        var code = ExitCode.done
        var synced = 0
        var failed = 0
        var gone = 0
        var withoutRemote = 0
    }

    init(_ console: Console, _ waiting: WaitOptions, isSummary: Bool) {
        self.console = console
        self.isSummary = isSummary
        self.waiting = waiting
    }

    /// Syncs one after the other. What one of them throws is reported, and the next one follows.
    ///
    /// - Returns: The worst of their exit codes.
    func sync(_ run: (Session) async throws -> ExitCode) async throws -> ExitCode {
        let (replicas, problems) = try console.requiredRegistry().read()
        guard !replicas.isEmpty || !problems.isEmpty else {
            throw Failure(
                .notFound, "No replica is listed.",
                remedy: "Make a folder a replica with filesinki init.")
        }
        let found = replicas.map { ($0, ReplicaPresence($0, in: console)) }
        prepareForRemotes(found.map(\.1))
        try console.show(problems)
        var counts = Counts()
        if !problems.isEmpty { counts.code = .partial }
        for (replica, presence) in found {
            switch presence {
            case .gone:
                counts.gone += 1
                try warn(Failure.gone(replica.root))
            case .present(remote: nil):
                counts.withoutRemote += 1
                console.detail("No remote is set: \(printable(replica.root.utf8))")
            case .present(let remote):
                try announce(replica, remote)
                count(&counts, try await outcome(of: replica, run))
            case .unreadable(let failure):
                try announce(replica, nil)
                count(&counts, try report(failure))
            }
            console.output.setHeading(nil)
        }
        try showResult(counts, of: replicas.count)
        return counts.code
    }

    /// A remote that this program does not reach makes another one take its place, which begins from the
    /// start. A replica whose remote nothing can reach fails in its turn.
    private func prepareForRemotes(_ found: [ReplicaPresence]) {
        for case .present(let remote) in found { try? console.prepare(forRemembered: remote) }
    }

    private func outcome(
        of replica: RegisteredReplica, _ run: (Session) async throws -> ExitCode
    ) async throws -> ExitCode {
        do {
            let session = try await Session.open(
                try replica.options(waiting), writable: true, in: console)
            let code = try await run(session)
            await session.replica.close()
            return code
        } catch let failure as Failure where Self.isOfAll(failure) {
            throw failure
        } catch let error as CancellationError {
            throw error
        } catch {
            return try report(error as? Failure ?? .io(error, at: replica.root))
        }
    }

    /// Whether the next replica would fail in the same way, or must not be begun.
    private static func isOfAll(_ failure: Failure) -> Bool {
        failure.code == .interrupted || failure.code == .readerGone
    }

    private func report(_ failure: Failure) throws -> ExitCode {
        try console.report(failure)
        return ExitCode(failure)
    }

    private func warn(_ failure: Failure) throws {
        if console.outputOptions.isJSON { try console.output.json(failure.json(type: "notice")) }
        console.say(failure.description)
    }

    private func count(_ counts: inout Counts, _ code: ExitCode) {
        counts.code = counts.code.worse(code)
        if code == .done || code == .conflict { counts.synced += 1 } else { counts.failed += 1 }
    }

    /// The heading is printed with the first line of the run, or at once where a person looks on.
    private func announce(_ replica: RegisteredReplica, _ remote: String?) throws {
        guard !console.outputOptions.isJSON else {
            var object: JSONObject = ["type": "syncing"]
            object.add("root", replica.root)
            object.add("remote", remote)
            return try console.output.json(object)
        }
        let root = HomePath.shortened(replica.root, home: console.environment["HOME"])
        let arrow = remote.map { "  <->  " + printable($0.utf8) } ?? ""
        console.output.setHeading(root + arrow)
        if console.isWatched, !isSummary { console.writeHeading() }
    }

    private func showResult(_ counts: Counts, of replicas: Int) throws {
        if console.outputOptions.isJSON {
            var object: JSONObject = ["type": "all"]
            object.add("exit", counts.code.rawValue)
            object.add("replicas", replicas)
            object.add("synced", counts.synced)
            object.add("failed", counts.failed)
            object.add("gone", counts.gone)
            object.add("without_remote", counts.withoutRemote)
            return try console.output.json(object)
        }
        guard counts.failed > 0 else { return }
        let count = CountText.text(counts.failed)
        console.say("Not fully synced: \(count) of \(CountText.text(replicas, "replica")).")
    }
}

extension Failure {
    fileprivate static func gone(_ root: String) -> Failure {
        Failure(
            .notFound, path: root, "The replica is gone.",
            remedy: "Mount the disk, or remove the entry with filesinki replicas --forget.")
    }
}
