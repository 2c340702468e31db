import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Who wrote the versions of conflicts, for links that prefer a device.
struct ConflictWriters: Sendable {
    /// This replica, which wrote every version of its own.
    let own: Device
    /// Who committed the versions there, by their paths; none for a commit that was pruned.
    let theirs: [RelativePath: Device]
    /// The devices of the store by their ids, each with a name that no other has.
    private let names: [[UInt8]: String]

    /// - Parameter known: The devices of the store.
    init(own: Device, theirs: [RelativePath: Device], known: [Device]) {
        self.own = own
        self.theirs = theirs
        names = Device.names(of: known + [own])
    }

    /// The version that the device wrote.
    ///
    /// - Returns: Declined without a reason if the device wrote neither version, and with one if it is unknown.
    func version(by name: String, of conflict: Conflict) -> LinkResult {
        let writer = theirs[conflict.theirsPath]
        let isOurs = isNamed(own, name)
        let isTheirs = writer.map { isNamed($0, name) } ?? false
        let rule = StrategyLink.device(name).description
        switch (isOurs, isTheirs) {
        case (true, false): return .resolved(Resolution(.ours, by: rule))
        case (false, true): return .resolved(Resolution(.theirs, by: rule))
        case (true, true): return .declined(["Two devices have this name. \(knownNames)"])
        case (false, false):
            if !isKnown(name) { return .declined(["No device has this name. \(knownNames)"]) }
            return .declined(
                writer == nil ? ["It is not known who wrote the committed version."] : [])
        }
    }

    private func isNamed(_ device: Device, _ name: String) -> Bool {
        device.name == name || names[device.id] == name
    }

    /// Whether a device of the store, or the writer of a version, has the name.
    private func isKnown(_ name: String) -> Bool {
        names.values.contains(name) || theirs.values.contains { isNamed($0, name) }
    }

    private var knownNames: String {
        let known = names.values.sorted().map { printable($0.utf8) }
        return "Known devices: \(known.joined(separator: ", "))."
    }
}

extension SyncEngine {
    /// Looks up who wrote the versions of the conflicts whose strategy prefers a device: one request for the commits
    /// that this run has not read, and one for each device of the store.
    ///
    /// - Returns: Nil if no strategy prefers a device.
    func writers(of conflicts: [Conflict], _ view: RemoteView) async throws -> ConflictWriters? {
        let asked = conflicts.filter { $0.links.contains { $0.preferredDevice != nil } }
        guard !asked.isEmpty else { return nil }
        var view = view
        let paths = asked.map(\.theirsPath)
        let unknown = paths.filter { view.changes[$0]?.device == nil }
        _ = try await findWriters(&view, at: unknown)
        let theirs = Dictionary(
            paths.compactMap { path in view.changes[path]?.device.map { (path, $0) } }
        ) { first, _ in first }
        let known = try await Devices(replica).list().map(\.device)
        return ConflictWriters(own: config.device, theirs: theirs, known: known)
    }

    /// Looks up the devices that committed what is at paths of the remote tree, with one request.
    ///
    /// - Returns: Whether a device was found. A commit that was pruned, or cannot be read, leaves its writer unknown.
    func findWriters(_ view: inout RemoteView, at paths: [RelativePath]) async throws -> Bool {
        let unknown = paths.compactMap { path in
            view.changes[path].map { (path: path, version: $0.entry.version) }
        }
        guard !unknown.isEmpty else { return false }
        var writers: [UInt64: Device] = [:]
        try await connected().log.read(Set(unknown.map(\.version)).sorted()) { sequence, commit in
            if let found = try? commit.get() { writers[sequence] = found.device }
        }
        for (path, version) in unknown { view.changes[path]?.device = writers[version] }
        return !writers.isEmpty
    }
}
