import FilesinkiModel

/// What messages say where the current folder is in no replica, in three short sentences at most: the user's replicas first, for
/// the folder is mostly the wrong one, and the default replica last.
struct OutsideOfReplicas: Sendable {
    /// The default replica's folder, which a command finds outside of all others.
    let defaultReplica: String
    private let registry: ReplicaRegistry?
    private let home: String?

    init(_ defaultReplica: String, in console: Console) {
        self.defaultReplica = defaultReplica
        registry = console.registry
        home = console.environment["HOME"]
    }

    /// The current folder, and what to do instead.
    var sentences: [String] { [Self.here, Self.way(to: others, home: home)] }

    /// The same where the default replica has no remote.
    var withoutRemote: [String] {
        let name = HomePath.shortened(defaultReplica, home: home)
        let remedy = others.isEmpty ? "; set one with filesinki remote set URL" : ""
        return sentences + ["The default replica, \(name), has no remote\(remedy)."]
    }

    /// The roots of the user's other replicas that are there.
    var others: [String] { Self.replicas(in: registry).filter { $0 != defaultReplica } }

    static let here = "The current folder is in no replica."

    /// What a folder becomes that is in no replica, where the user has none.
    static let none = "Make it one with filesinki init or filesinki clone."

    /// The most replicas that a message names.
    private static let mostNamed = 3

    /// Where the user's replicas are.
    static func way(to replicas: [String], home: String?) -> String {
        if replicas.isEmpty { return none }
        if replicas.count > mostNamed {
            return "filesinki replicas lists yours; --root DIR names one."
        }
        let names = replicas.map { HomePath.shortened($0, home: home) }.joined(separator: ", ")
        return replicas.count == 1
            ? "Yours is \(names): go there, or add --root DIR."
            : "Yours are \(names): go to one, or add --root DIR."
    }

    /// The roots of the user's replicas that are there.
    static func replicas(in registry: ReplicaRegistry?) -> [String] {
        let listed = (try? registry?.read())?.replicas ?? []
        return listed.map(\.root).filter { RootChoice.nearestReplica(at: $0) != nil }
    }
}

extension Console {
    /// The failure as a person reads it: its commands name the replica, and of a folder in none, the user's replicas come first.
    func worded(_ failure: Failure) -> Failure {
        var worded = failure
        if failure.remedy.hasPrefix(OutsideOfReplicas.none) {
            let others = OutsideOfReplicas.replicas(in: registry)
            if !others.isEmpty {
                let way = OutsideOfReplicas.way(to: others, home: environment["HOME"])
                worded.remedy = "\(way) If it is on a disk, mount it; filesinki init makes it one."
            }
        }
        return hints.failure(worded)
    }

    /// Says to a person that there is nothing to show; outside of all replicas, also what else may be meant.
    ///
    /// - Parameter remote: That of the replica. One without a remote, outside of all replicas, is hardly the one that is meant where
    ///   the user has others; a script is told, too.
    func sayNothing(_ text: String, remote: String? = "") {
        let outside = hints.outside
        let isWrongFolder = remote == nil && outside?.others.isEmpty == false
        guard terminals.talk || isWrongFolder else { return }
        say(([text] + (outside?.sentences ?? [])).joined(separator: " "))
    }

    /// Says to a person outside of all replicas which one the command worked on: the default one is easily taken for the folder.
    func sayDefaultReplica() {
        guard terminals.talk, let replica = hints.outside?.defaultReplica else { return }
        say("\(OutsideOfReplicas.here) This was the default replica \(printable(replica.utf8)).")
    }
}
