import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText

/// `replicas`: the replicas of this user on this device.
struct ReplicasCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "replicas",
        abstract: "List the replicas of this user on this device.",
        usage: "filesinki replicas [--forget <dir>] [<options>]",
        discussion: """
            Each with its last complete sync, pending changes and open conflicts, and its remote. A \
            replica is listed after init, clone, or its next sync. Does not scan folders or contact \
            remotes.

            A folder that does not exist, or is not a replica any more, is shown as gone and stays \
            listed: its disk may not be mounted. --forget removes it from the list. Exits with 1 when \
            no replica is listed, with 5 when the state of one cannot be read.
            """)

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Remove this folder from the list. Nothing else changes.", valueName: "dir"),
        completion: .directory)
    var forget: String?

    @OptionGroup var null: NullOption
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        null.apply(to: console)
        let registry = try console.requiredRegistry()
        if let forget { return try remove(forget, from: registry, in: console) }
        let (replicas, problems) = try registry.read()
        var table = TextTable()
        var failures = problems
        var gone = 0
        for replica in replicas {
            switch ReplicaPresence(replica, in: console) {
            case .gone:
                gone += 1
                try show(GoneReplica(replica), in: &table, console)
            case .unreadable(let failure): failures.append(failure)
            case .present:
                do {
                    let status = try await status(of: replica, in: console)
                    try show(ListedReplica(replica, status), in: &table, console)
                } catch let failure as Failure where failure.code != .readerGone {
                    failures.append(failure)
                }
            }
        }
        for line in table.flowingLines(breaking: 1, within: console.outputColumns) {
            try console.output.line(line)
        }
        try console.output.flush()
        try console.show(failures)
        if replicas.isEmpty, failures.isEmpty {
            console.say("No replica is listed. filesinki init makes a folder a replica.")
            return .negative
        }
        if gone > 0, !console.outputOptions.isJSON, !null.null {
            console.say(
                "Gone: mount the disk, or remove the entry with filesinki replicas --forget DIR.")
        }
        return failures.isEmpty ? .done : .partial
    }

    private func status(
        of replica: RegisteredReplica, in console: Console
    ) async throws -> (status: StatusReport, items: UnsentItems) {
        let options = try replica.options(waiting)
            .replicaOptions(root: replica.root, in: console)
        let opened = try await Replica.open(options, writable: false)
        let status = try await opened.status()
        await opened.close()
        return (status, try UnsentItems(state: options.stateFolder.path))
    }

    private func remove(
        _ dir: String, from registry: ReplicaRegistry, in console: Console
    ) throws -> ExitCode {
        let root = try FilePlace.absoluteText(dir, in: console.currentFolder)
        let removed = try registry.remove(root: root)
        guard !removed.isEmpty else {
            throw Failure(
                .notFound, path: root, "Not in the list of replicas.",
                remedy: "filesinki replicas shows it.")
        }
        for replica in removed {
            if report.json {
                var object: JSONObject = ["type": "replica-forgotten"]
                object.add("root", replica.root)
                try console.output.json(object)
            }
            console.say("\(printable(replica.root.utf8)) is not listed any more.")
        }
        return .done
    }

    /// With `-0` what is gone has no line, so that other programs can use each folder.
    private func show(
        _ replica: some ShownReplica, in table: inout TextTable, _ console: Console
    ) throws {
        if report.json { return try console.output.json(replica.json) }
        if null.null {
            if !replica.isGone { try console.output.write(Array(replica.root.utf8) + [0]) }
            return
        }
        let cells = replica.cells(at: console.systemContext.now())
        let home = console.environment["HOME"]
        table.add(HomePath.shortened(replica.root, home: home), cells[0], cells[1], cells[2])
    }
}

/// A replica in the list.
private protocol ShownReplica {
    var root: String { get }
    var isGone: Bool { get }
    var json: JSONObject { get }

    /// How it stands, when it was synced, and its remote.
    func cells(at now: Timestamp) -> [String]
}

private struct GoneReplica: ShownReplica {
    private let replica: RegisteredReplica

    init(_ replica: RegisteredReplica) { self.replica = replica }

    var root: String { replica.root }
    var isGone: Bool { true }

    var json: JSONObject { replica.json(isGone: true) }

    func cells(at now: Timestamp) -> [String] { ["gone", "", ""] }
}

private struct ListedReplica: ShownReplica {
    private let replica: RegisteredReplica
    private let status: StatusReport
    private let items: UnsentItems

    init(_ replica: RegisteredReplica, _ known: (status: StatusReport, items: UnsentItems)) {
        self.replica = replica
        status = known.status
        items = known.items
    }

    var root: String { replica.root }
    var isGone: Bool { false }

    var json: JSONObject {
        var object = replica.json(isGone: false)
        object.add("device", status.device.name)
        object.add("device_id", hexadecimal(status.device.id))
        object.add("remote", status.remote)
        object.add("last_success", status.lastSuccess)
        object.add("last_failure", status.lastFailure)
        object.add("pending", status.pending.count)
        items.describe(in: &object)
        object.add("incoming", status.incoming.count)
        object.add("conflicts", status.conflicts.count)
        return object
    }

    func cells(at now: Timestamp) -> [String] {
        let last = status.lastSuccess.map { "synced " + TimeText.ago($0, now: now) }
        let remote = status.remote.map { printable($0.utf8) } ?? "(no remote)"
        return [standing, last ?? "never synced", remote]
    }

    /// `2 pending, 1 conflict`, `last run: store unavailable`, `up to date`.
    private var standing: String {
        var words = status.waiting(items.count)
        if let failure = status.lastFailure {
            words.append("last run: \(RunOutcome(failure).words)")
        }
        let isSynced = status.lastSuccess != nil
        return words.isEmpty ? isSynced ? "up to date" : "" : words.joined(separator: ", ")
    }
}

extension RegisteredReplica {
    fileprivate func json(isGone: Bool) -> JSONObject {
        var object: JSONObject = ["type": "listed"]
        object.add("root", root)
        object.add("state", state)
        object.add("gone", isGone)
        return object
    }
}

extension Console {
    /// The registry of this user.
    ///
    /// - Throws: Code `usage` if there is no place for it.
    func requiredRegistry() throws(Failure) -> ReplicaRegistry {
        if let registry { return registry }
        throw Failure(.usage, "HOME is not set.", remedy: "Set it, or set XDG_STATE_HOME.")
    }
}
