import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiRules

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
        /// It saves, and whoever is at work may do that for it.
        case saving
    }

    /// Finds and opens the replica; the default one is made when it is not there.
    ///
    /// - Parameters:
    ///   - place: A path that may lie in the replica that is meant, as `sync DIR` has one.
    ///   - folder: A folder that must be, or lie in, the replica that is meant.
    ///   - writable: Whether the command changes the replica, and so waits for other runs.
    ///   - remote: Whether the command may go on to the remote.
    ///   - reaching: How to reach the remote, where the user says it.
    static func open(
        _ options: RootOptions, near place: String? = nil, of folder: String? = nil,
        writable: Bool, remote: Bool = true, with reaching: AccessOptions? = nil,
        in console: Console
    ) async throws -> Session {
        try await open(
            options, near: place, of: folder, access: writable ? .changing : .reading,
            remote: remote, with: reaching, in: console)
    }

    /// The same, with what the command does.
    static func open(
        _ options: RootOptions, near place: String? = nil, of folder: String? = nil,
        access: Access, remote: Bool = true, with reaching: AccessOptions? = nil,
        in console: Console
    ) async throws -> Session {
        var (root, settings) = try await options.findOrMake(near: place, of: folder, in: console)
        _ = try reaching?.apply(to: &settings, in: console)
        let replica =
            access == .saving
            ? try await Replica.openToSave(settings)
            : try await Replica.open(settings, writable: access == .changing)
        if remote { try console.prepare(forRemembered: await replica.remoteAddress) }
        return Session(replica: replica, root: root, console: console, settings: settings)
    }

    /// The path that an argument names.
    ///
    /// - Throws: `Failure` with code `badPath` for the root itself and what lies outside.
    func path(_ argument: String) throws(Failure) -> RelativePath {
        guard let path = try root.path(argument, currentFolder: console.currentFolder) else {
            throw Failure(
                .badPath, path: ArgumentText.bytes(of: argument), "This is the root itself.",
                remedy: "Name something in it.")
        }
        return path
    }

    /// The paths that arguments name; none when there is no argument, or one is the root itself:
    /// then everything is meant.
    func paths(_ arguments: [String]) throws(Failure) -> [RelativePath] {
        var paths: [RelativePath] = []
        for argument in arguments {
            guard let path = try root.path(argument, currentFolder: console.currentFolder) else {
                return []
            }
            paths.append(path)
        }
        return paths
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
            remedy: "List its versions with filesinki log.")
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
    func findOrMake(
        near place: String? = nil, of folder: String? = nil, in console: Console
    ) async throws -> (root: RootChoice, settings: ReplicaOptions) {
        let root =
            if let folder {
                try RootChoice.of(folder, self, in: console)
            } else {
                try RootChoice.find(self, near: place, in: console)
            }
        let settings = try replicaOptions(root: root.path, in: console)
        if root.origin == .standard, RootChoice.nearestReplica(at: root.path) == nil {
            if let place {
                throw Failure.notInReplica(
                    try FilePlace.absoluteText(place, in: console.currentFolder))
            }
            _ = try await Replica.initialize(
                settings, address: nil, deviceName: DeviceName.standard(in: console))
            console.detail("Made the default replica \(printable(root.path.utf8)).")
        }
        return (root, settings)
    }

    /// What the engine needs to open a replica.
    func replicaOptions(root: String, in console: Console) throws -> ReplicaOptions {
        let wait = try TimeText.length(waiting.lockWait)
        let state = try state.map { try FilePlace.absoluteText($0, in: console.currentFolder) }
        let pinned = StateFolder(root: root, state: state).access
        return ReplicaOptions(
            root: root, state: state, lockWait: .seconds(wait),
            systemContext: console.systemContext,
            configuration: Settings.userFile { console.environment[$0] },
            connect: console.connector(RemoteAccess(pinned: pinned)))
    }
}
