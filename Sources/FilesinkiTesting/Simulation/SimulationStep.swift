/// A step of a random history.
package enum SimulationStep: Hashable, Sendable {
    /// The user changes the files of a replica.
    case user(Int, UserAction)
    /// filesinki runs for a replica.
    indirect case run(SimulatedRun)
    /// A replica loses its manifest.
    case loseManifest(Int)
    /// A user chooses which paths a replica holds; nil for all.
    case choose(Int, [String]?)
    /// A user writes the ignore file of a replica's device; nil for none.
    case ignore(Int, String?)
    /// Somebody forgets all devices: a prune waits for none of them any more.
    case forgetDevices
    /// The clock of a replica's machine is so many seconds off from now on.
    case setClock(Int, Int64)
    /// A replica's folder is copied with its state. The copy is a further replica.
    case copy(Int)
    /// Somebody makes a backup of a replica's folder with its state.
    case backUp(Int)
    /// The last backup of a replica takes its place.
    case restore(Int)
    /// A replica runs while the store is in the state that it had so many commits ago. It must refuse that if it
    /// has seen more. Afterwards the store is as before.
    case seeStore(Int, commitsAgo: Int)

    var serial: Int? {
        switch self {
        case .user(_, .write(_, let serial, _)), .user(_, .link(_, let serial)),
            .user(_, .rule(_, let serial)):
            serial
        case .user(_, .edit(_, let edit)): edit.serial
        case .run(let run): run.task.serial
        default: nil
        }
    }
}

/// A command for a replica, and the events during its run.
package struct SimulatedRun: Hashable, Sendable {
    package enum Task: Hashable, Sendable {
        /// Everything, or only some paths.
        case sync([String])
        case save(String, serial: Int)
        case load(String)
        case delete(String)
        /// Removes old versions; the trees of so many of the last commits are kept.
        case prune(keepLast: Int)

        var serial: Int? {
            if case .save(_, let serial) = self { return serial }
            return nil
        }
    }

    /// An event at one of the run's requests to the remote.
    package enum Incident: Hashable, Sendable {
        /// The request does not reach the remote.
        case failsBefore
        /// The request is executed, and its reply is lost.
        case failsAfter
        /// The listing omits what was written last.
        case isStale
        /// The request reaches the remote twice, and the second reply is received.
        case isRepeated
        /// The request seems to have failed, and is executed so many requests later, also those of other runs.
        case isLate(Int)
        /// The remote is unreachable from this request on.
        case goesAway
        /// The run is killed before the request.
        case isKilled
        /// The run is killed after the request was executed.
        case isKilledAfter
        /// Another step happens first: a user's edit, or another replica's run.
        indirect case meanwhile(SimulationStep)
    }

    package struct Event: Hashable, Sendable {
        /// The number of the request, from 1.
        package var request: Int
        package var incident: Incident

        package init(at request: Int, _ incident: Incident) {
            self.request = request
            self.incident = incident
        }
    }

    package var replica: Int
    package var task: Task
    /// The strategy for all conflicts; nil for the default.
    package var strategy: String?
    /// How many paths are carried out together: see ``SyncOptions/batchSize``; nil for the default.
    package var batchSize: Int?
    /// What the run leaves out by a pattern of its own; nil for nothing.
    package var excluded: String?
    package var events: [Event]

    package init(_ replica: Int, _ events: [Event]) { self.init(replica, .sync([]), events) }

    package init(
        _ replica: Int, _ task: Task = .sync([]), strategy: String? = nil,
        batchSize: Int? = nil, excluded: String? = nil, _ events: [Event] = []
    ) {
        self.replica = replica
        self.task = task
        self.strategy = strategy
        self.batchSize = batchSize
        self.excluded = excluded
        self.events = events
    }
}

extension SimulationStep: CustomStringConvertible {
    /// One line for the step, and one for each of its events.
    package var description: String {
        switch self {
        case .user(let replica, let action): "user \(replica) \(action)"
        case .loseManifest(let replica): "replica \(replica) loses its manifest"
        case .choose(let replica, let paths):
            "replica \(replica) holds \(paths.map { "\($0)" } ?? "everything")"
        case .ignore(let replica, let pattern):
            "replica \(replica) ignores \(pattern ?? "nothing")"
        case .forgetDevices: "all devices are forgotten"
        case .setClock(let replica, let seconds): "the clock of \(replica) is \(seconds) s off"
        case .copy(let replica): "replica \(replica) is copied"
        case .backUp(let replica): "replica \(replica) is backed up"
        case .restore(let replica): "replica \(replica) is restored from its backup"
        case .seeStore(let replica, let count):
            "replica \(replica) sees the store as it was \(count) commits ago"
        case .run(let run): run.description
        }
    }
}

extension SimulatedRun: CustomStringConvertible {
    package var description: String {
        let what =
            switch task {
            case .sync(let paths): paths.isEmpty ? "syncs" : "syncs \(paths)"
            case .save(let path, let serial): "saves \(serial) to \(path)"
            case .load(let path): "loads \(path)"
            case .delete(let path): "deletes \(path)"
            case .prune(let last): "prunes all but the last \(last)"
            }
        let how =
            (strategy.map { " by \($0)" } ?? "") + (batchSize.map { " in batches of \($0)" } ?? "")
            + (excluded.map { " without \($0)" } ?? "")
        let lines = events.map { event in
            let text = "\n    at request \(event.request): \(event.incident)"
            return text.split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: "\n    ")
        }
        return "replica \(replica) \(what)\(how)" + lines.joined()
    }
}

extension SimulatedRun.Incident: CustomStringConvertible {
    package var description: String {
        switch self {
        case .failsBefore: "fails without effect"
        case .failsAfter: "the reply is lost"
        case .isStale: "lists are stale"
        case .isRepeated: "the request arrives twice"
        case .isLate(let count): "the request arrives \(count) requests later"
        case .goesAway: "the remote goes away"
        case .isKilled: "the run is killed"
        case .isKilledAfter: "the run is killed after it"
        case .meanwhile(let step): step.description
        }
    }
}

extension SimulationStep {
    /// The replica that the step is about; nil for none.
    var replica: Int? {
        switch self {
        case .user(let number, _), .loseManifest(let number), .choose(let number, _),
            .ignore(let number, _), .setClock(let number, _), .copy(let number),
            .backUp(let number), .restore(let number), .seeStore(let number, _):
            number
        case .run(let run): run.replica
        case .forgetDevices: nil
        }
    }
}

extension SimulatedRun {
    func has(_ these: [Incident]) -> Bool { events.contains { these.contains($0.incident) } }

    /// Whether the remote fails in the run.
    var hasFaults: Bool {
        events.contains { event in
            if case .meanwhile = event.incident { false } else { true }
        }
    }

    /// The run without its events.
    var summary: String {
        SimulatedRun(replica, task, strategy: strategy, excluded: excluded).description
    }
}

extension SimulatedRun.Task {
    /// The path that the task names.
    var path: String? {
        switch self {
        case .sync(let paths): paths.first
        case .save(let path, _), .load(let path), .delete(let path): path
        case .prune: nil
        }
    }

    /// Whether the task itself changes no file.
    var isReading: Bool {
        switch self {
        case .sync, .load, .prune: true
        case .save, .delete: false
        }
    }
}
