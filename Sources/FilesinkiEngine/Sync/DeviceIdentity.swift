import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiText

/// Ensures that the id and the name of this device are its own alone.
struct DeviceIdentity: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Ensures that no other replica uses this one's id or name. Called after each fetch, before the plan is
    /// made.
    ///
    /// A commit by this replica's id that neither the manifest nor the note knows was published by a
    /// copy of this replica: a copied folder, a cloned machine, or the replica itself before it was
    /// restored from a backup. Then this one takes a new id, and the commit counts as another device's.
    func keepIdentity(_ run: inout SyncRun, _ view: RemoteView) throws {
        guard replica.lock != nil, !run.options.isDryRun, let check = view.identity else { return }
        if let fetched = view.fetched, let start = fetched.start, try zone.detectsCopy(fetched) {
            let own = try memory.recordedOwn(fetched.claimed).map(\.sequence)
            let former = config.device.id
            try takeNewID(after: max(start.token.sequence, own.max() ?? 0))
            return run.report.note(
                options.root,
                "Another replica publishes with this one's device id: a copy of this folder, or a "
                    + "state before it was restored.",
                remedy:
                    "This one is the device \(config.device.name) from now on. If the other one is gone "
                    + "for good, run filesinki devices forget \(hexadecimal(former).prefix(8)).")
        }
        guard check.hasNamesake, config.device.distinctName != config.device.name else { return }
        let name = config.device.name
        config.device.name = config.device.distinctName
        try saveConfig()
        // Without it, another replica would be made in the folder.
        let state = options.state.map { " --state \(ShellWord.shown($0.utf8))" } ?? ""
        run.report.note(
            options.root, "Another device of the store is also named \(name).",
            remedy: "This one is \(config.device.name) now; "
                + "filesinki init \(ShellWord.shown(options.root.utf8))\(state) --device NAME renames it."
        )
    }

    /// - Parameter sequence: The last commit of the log that is known to be this replica's own, or
    ///   that was seen before a copy was noticed.
    private func takeNewID(after sequence: UInt64) throws {
        let former = config.device.id
        config.formerDevices.append(FormerDevice(id: former, last: sequence))
        config.device.id = systemContext.randomBytes(16)
        config.device.name = config.device.distinctName
        // First the configuration: a root that is marked with a former id is accepted.
        try saveConfig()
        try RootMarker(root: root).write(config.device.id)
        try memory.set([.acknowledgement: 0, .acknowledgementTime: 0])
    }

    /// Gives the replica a new device id, because a copy of it was noticed outside of its files' zone.
    ///
    /// - Parameter former: The id that both use. If the replica has another one by now, that stays.
    func renew(insteadOf former: [UInt8]) throws -> Device {
        if config.device.id == former { try takeNewID(after: manifest.token?.sequence ?? 0) }
        return config.device
    }
}

extension SyncReport {
    /// Adds a notice about the replica as a whole.
    fileprivate mutating func note(_ root: String, _ message: String, remedy: String) {
        notices.append(
            Problem(
                RelativePath(unchecked: Array(root.utf8)),
                Failure(.exists, path: root, message, remedy: remedy)))
    }
}

extension Problem {
    /// Whether the problem is about the replica as a whole, such as its name.
    package var isOfReplica: Bool {
        failure.code == .exists && path.bytes.first == UInt8(ascii: "/")
    }
}

/// Collects from the commits that a run fetches whether this replica's name is its own alone.
struct IdentityCheck: Sendable {
    private let config: ReplicaConfig
    /// Whether another device has this one's name.
    private(set) var hasNamesake = false

    init(_ config: ReplicaConfig) { self.config = config }

    mutating func note(_ commit: Commit) { note(commit.device, at: commit.sequence) }

    /// - Parameter sequence: A commit of the device.
    mutating func note(_ device: Device, at sequence: UInt64) {
        guard device.name == config.device.name, device.id != config.device.id,
            !config.wasOwn(device.id, at: sequence)
        else { return }
        hasNamesake = true
    }
}
