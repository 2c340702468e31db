/// One step of a random history.
package enum SimulationStep: Hashable, Sendable {
    /// A user changes the files of a replica.
    case user(Int, UserAction)
    /// filesinki works for a replica.
    indirect case run(SimulatedRun)
    /// A replica loses its manifest.
    case loseManifest(Int)

    var serial: Int? {
        switch self {
        case .user(_, .write(_, let serial, _)), .user(_, .link(_, let serial)): serial
        case .run(let run): run.task.serial
        case .user, .loseManifest: nil
        }
    }
}

/// One command for one replica, and what happens while it works.
package struct SimulatedRun: Hashable, Sendable {
    package enum Task: Hashable, Sendable {
        /// Everything, or only some paths.
        case sync([String])
        case save(String, serial: Int)
        case load(String)
        case delete(String)

        var serial: Int? {
            if case .save(_, let serial) = self { return serial }
            return nil
        }
    }

    /// What happens at one of the run's requests to the remote.
    package enum Happening: Hashable, Sendable {
        /// The request does not reach the remote.
        case failsBefore
        /// The request does its work, and the answer is lost.
        case failsAfter
        /// This list does not yet show what was written last.
        case isStale
        /// The remote is away from here on.
        case goesAway
        /// The run ends before the request.
        case isKilled
        /// The run ends just after the request did its work.
        case isKilledAfter
        /// Something else happens first: a user's edit, or another replica's run.
        indirect case meanwhile(SimulationStep)
    }

    package struct Event: Hashable, Sendable {
        /// The number of the request, from 1 on.
        package var request: Int
        package var happening: Happening

        package init(at request: Int, _ happening: Happening) {
            self.request = request
            self.happening = happening
        }
    }

    package var replica: Int
    package var task: Task
    /// The chain for all conflicts; nil for the usual one.
    package var strategy: String?
    package var events: [Event]

    package init(_ replica: Int, _ events: [Event]) { self.init(replica, .sync([]), events) }

    package init(
        _ replica: Int, _ task: Task = .sync([]), strategy: String? = nil, _ events: [Event] = []
    ) {
        self.replica = replica
        self.task = task
        self.strategy = strategy
        self.events = events
    }
}

extension SimulationStep: CustomStringConvertible {
    /// The step in a line, or one more for each thing that happens meanwhile.
    package var description: String {
        switch self {
        case .user(let replica, let action): "user \(replica) \(action)"
        case .loseManifest(let replica): "replica \(replica) loses its manifest"
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
            }
        let how = strategy.map { " by \($0)" } ?? ""
        let lines = events.map { event in
            let text = "\n    at request \(event.request): \(event.happening)"
            return text.split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: "\n    ")
        }
        return "replica \(replica) \(what)\(how)" + lines.joined()
    }
}

extension SimulatedRun.Happening: CustomStringConvertible {
    package var description: String {
        switch self {
        case .failsBefore: "fails without effect"
        case .failsAfter: "the answer is lost"
        case .isStale: "lists are stale"
        case .goesAway: "the remote goes away"
        case .isKilled: "the run is killed"
        case .isKilledAfter: "the run is killed after it"
        case .meanwhile(let step): step.description
        }
    }
}
