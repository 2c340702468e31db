import ArgumentParser
import FilesinkiEngine
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRules
import FilesinkiSystem
import FilesinkiText

/// `deinit`: the folder stays, the replica goes.
struct DeinitCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "deinit",
        abstract: "Make a replica an ordinary folder again.",
        usage: "filesinki deinit [<dir>] [--force] [<options>]",
        discussion: """
            Removes the state of the replica (.filesinki): what it knows of the store, credentials, \
            and this device's settings for it. All files stay, and so does the store.

            Exits with 1 and removes nothing if changes, values or records are not published or are of a \
            former store, conflicts are open, something is withheld, its own ignore file has rules or commits \
            of the store were not received here, unless --force is given. Scans the folder; a store that cannot be read is said, and does not hinder. If it is interrupted, run it again.
            """)

    @Argument(help: "The replica's folder.", completion: .directory)
    var dir: String?

    @Flag(name: .long, help: "Also with unpublished changes and open conflicts.")
    var force = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let root = try folder(in: console)
        let options = try replica.replicaOptions(root: root, in: console)
        if try Replica.removeRest(options) {
            unregister(root, in: console)
            try show(root, nil, in: console)
            return .done
        }
        let opened = try await Replica.open(options, writable: true)
        let status = try await opened.status()
        let hasRules = try Self.hasIgnoreRules(options)
        if !force {
            if hasRules { throw Failure.losesRules(options) }
            if let first = status.withheld.first {
                throw Failure.forgetsWithheld(first, besides: status.withheld.count - 1, options)
            }
            try await refuseUnpublished(opened, options)
            if let unread = try await opened.requireReceivedBeforeRemoval() {
                console.complain(unread)
            }
        }
        try await opened.removeState()
        unregister(root, in: console)
        try show(root, status, in: console)
        if hasRules {
            console.say("Its own ignore file is removed: a replica that is made here syncs it all.")
        }
        return .done
    }

    /// Whether the replica's own ignore file has rules: without them, a later replica would send what they ignore.
    private static func hasIgnoreRules(_ options: ReplicaOptions) throws -> Bool {
        guard let bytes = try StateFile.read(options.stateFolder.ignore, followingSymlinks: true)
        else { return false }
        return !IgnoreRules(bytes).isEmpty
    }

    /// The root itself: a folder in a replica is not meant.
    private func folder(in console: Console) throws(Failure) -> String {
        guard let dir else {
            let root = try RootChoice.find(replica, in: console)
            guard RootChoice.nearestReplica(at: root.path) != nil else {
                throw .notInReplica(root.path)
            }
            return root.path
        }
        let place = try FilePlace.absoluteText(dir, in: console.currentFolder)
        let root = try RootChoice.of(dir, replica, in: console).path
        guard root == place else {
            throw Failure(
                .usage, path: place, "The folder is in the replica \(printable(root.utf8)).",
                remedy: "Give that one, if you mean it.")
        }
        return root
    }

    private func refuseUnpublished(_ opened: Replica, _ options: ReplicaOptions) async throws {
        let state = try await opened.unpublished()
        if let first = state.paths.first {
            let others = state.paths.count > 1 ? " and \(state.paths.count - 1) more" : ""
            throw Failure.refused(
                options.root, "Not published: \(first)\(others).", "Run filesinki sync")
        }
        try await refuseLeft(opened, options)
        let values = try LocalValues.pendingCount(state: options.stateFolder.path)
        if values > 0 {
            throw Failure.refused(
                options.root, "Not published: \(CountText.text(values, "value")).",
                "Run filesinki kv sync")
        }
        let records = try LocalZones<RecordKind>.pendingCount(state: options.stateFolder.path)
        if records > 0 {
            throw Failure.refused(
                options.root, "Not published: \(CountText.text(records, "record")).",
                "Run filesinki rec sync in each zone")
        }
        let zones = try LocalZones<CatalogueKind>.pendingCount(state: options.stateFolder.path)
        if zones > 0 {
            throw Failure.refused(
                options.root, "Not published: what was done to \(CountText.text(zones, "zone")).",
                "Run filesinki rec sync")
        }
        if let first = state.conflicts.first {
            throw Failure.refused(
                options.root, "A conflict is open: \(first).", "Resolve it with filesinki resolve")
        }
    }

    /// Refuses to remove what only this device may have: values and records of a store that the replica has left, and what
    /// `--accept-account` has archived of them.
    private func refuseLeft(_ opened: Replica, _ options: ReplicaOptions) async throws {
        let state = options.stateFolder.path
        let left = try LeftItems(state: state, store: await opened.storeID)
        if let first = left.notices().first {
            throw Failure(
                .differs, path: options.root, first.message,
                remedy: first.remedy + " Or give --force: they are removed, and all files stay.")
        }
        let archives =
            try LocalZones<ValueKind>.archives(state: state)
            + LocalZones<RecordKind>.archives(state: state)
        if let first = archives.first {
            throw Failure.refused(
                first, "This archive of values or records of a former store would go.",
                "Move it to another place")
        }
    }

    /// An entry that stays is shown as gone, and `replicas --forget` removes it.
    private func unregister(_ root: String, in console: Console) {
        do throws(Failure) { _ = try console.registry?.remove(root: root) } catch {
            console.complain(error)
        }
    }

    private func show(_ root: String, _ status: StatusReport?, in console: Console) throws {
        if report.json {
            var object: JSONObject = ["type": "deinit"]
            object.add("root", root)
            object.add("device", status?.device.name)
            object.add("device_id", status.map { hexadecimal($0.device.id) })
            object.add("remote", status?.remote)
            try console.output.json(object)
        }
        console.say("\(printable(root.utf8)) is an ordinary folder now; its files are unchanged.")
        guard let status, let remote = status.remote else { return }
        let name = ShellWord.shown(status.device.name.utf8)
        console.detail(
            "The store at \(printable(remote.utf8)) is unchanged.",
            other:
                " On another device, filesinki devices forget \(name) removes this one from its list."
        )
    }
}

extension Failure {
    fileprivate static func losesRules(_ options: ReplicaOptions) -> Failure {
        refused(
            options.stateFolder.ignore,
            "The rules in this ignore file would go: a replica that is made here later sends what they ignore.",
            "Copy it, or move its rules to \(IgnoreFilter.fileName)")
    }

    fileprivate static func forgetsWithheld(
        _ path: RelativePath, besides others: Int, _ options: ReplicaOptions
    ) -> Failure {
        let more = others > 0 ? " and \(others) more" : ""
        return refused(
            options.root,
            "Withheld, and sent by a replica that is made here later: \(path)\(more).",
            "List it in \(IgnoreFilter.fileName)")
    }

    /// - Parameter remedy: What to do instead of forcing it.
    fileprivate static func refused(
        _ root: String, _ message: String, _ remedy: String
    ) -> Failure {
        Failure(
            .differs, path: root, message,
            remedy: remedy + ", or give --force: all files stay.")
    }
}
