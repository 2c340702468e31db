import FilesinkiFileSystem
package import FilesinkiModel
import FilesinkiSystem

/// The identity of a replica, in a small text file. Everything else in the state folder can be
/// rebuilt.
///
/// The file is written durably and only when it changes.
package struct ReplicaConfig: Hashable, Sendable {
    package var device: Device
    /// The remote's address as the user gave it; nil without a remote.
    package var remote: String?
    /// The id of the replica's store, 16 bytes; empty before the first connection.
    package var store: [UInt8]
    /// The store's epoch at the last connection.
    package var epoch: UInt64
    /// Identifies the key of an encrypted store; nil for a store that is not encrypted.
    package var keyFingerprint: String?
    /// Former ids of the replica.
    package var formerDevices: [FormerDevice] = []

    package init(device: Device, remote: String?, store: [UInt8] = [], epoch: UInt64 = 0) {
        self.device = device
        self.remote = remote
        self.store = store
        self.epoch = epoch
    }

    /// The configuration as `key = value` lines.
    var text: String {
        var lines = [
            "filesinki replica", "device = \(hexadecimal(device.id))", "name = \(device.name)",
            "store = \(hexadecimal(store))", "epoch = \(epoch)",
        ]
        if let keyFingerprint { lines.append("key = \(keyFingerprint)") }
        if let remote { lines.append("remote = \(remote)") }
        lines += formerDevices.map { "former = \(hexadecimal($0.id)) \($0.last)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Parses ``text``.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` for malformed text.
    init(text: String, path: String) throws(Failure) {
        var values: [Substring: Substring] = [:]
        for line in text.split(separator: "\n").dropFirst() {
            guard let range = line.firstRange(of: " = ") else { continue }
            values[line[..<range.lowerBound]] = line[range.upperBound...]
        }
        guard text.hasPrefix("filesinki replica\n"),
            let id = values["device"].flatMap({ bytes(hexadecimal: $0) }), id.count == 16,
            let store = bytes(hexadecimal: values["store"] ?? "")
        else {
            throw Failure(
                .corrupt, path: path, "The replica's configuration cannot be read.",
                remedy: "Remove the file and run filesinki init again; no other file is deleted.")
        }
        self.init(
            device: Device(id: id, name: String(values["name"] ?? "unnamed")),
            remote: values["remote"].map(String.init), store: store,
            epoch: values["epoch"].flatMap { UInt64($0) } ?? 0)
        keyFingerprint = values["key"].map(String.init)
        formerDevices = text.split(separator: "\n").compactMap { FormerDevice(line: $0) }
    }

    /// Parses the bytes of a configuration; nil if they are none.
    init?(bytes: [UInt8]) {
        guard
            let config = try? ReplicaConfig(text: String(decoding: bytes, as: UTF8.self), path: "")
        else { return nil }
        self = config
    }

    /// Whether two replicas sync with one store. One that has not seen its store is known by its remote's address.
    func sharesStore(with other: ReplicaConfig) -> Bool {
        guard store.isEmpty || other.store.isEmpty else { return store == other.store }
        return remote != nil && remote == other.remote
    }

    /// Whether a commit of a former id is the replica's own.
    func wasOwn(_ id: [UInt8], at sequence: UInt64) -> Bool {
        formerDevices.contains { $0.id == id && sequence <= $0.last }
    }

    /// Checks the replica's marker in a root. A marker with a former id is accepted, because a run
    /// may have been killed before it wrote the new one.
    func checkMarker(of root: RootFolder) throws(Failure) -> RootMarker.Diagnosis {
        let marker = RootMarker(root: root)
        let found = try marker.check(device.id)
        guard found == .other else { return found }
        for former in formerDevices where try marker.check(former.id) == .ok { return .ok }
        return found
    }

    /// Reads the configuration of a replica without opening it.
    ///
    /// - Throws: Code `not-found` if the folder is not a replica.
    package static func read(_ options: ReplicaOptions) throws(Failure) -> ReplicaConfig {
        if let config = try read(options.stateFolder) { return config }
        guard StateFile.exists(options.root) else {
            throw Failure(
                .notFound, path: options.root, "No such file or folder.",
                remedy: "Check the path; if it is on a disk, mount it.")
        }
        throw Failure(
            .notFound, path: options.root, "This folder is not a replica.",
            remedy: "Make it one with filesinki init; if it was one, its disk may not be mounted.")
    }

    /// Reads the configuration in a state folder; nil if it does not exist.
    package static func read(_ state: StateFolder) throws(Failure) -> ReplicaConfig? {
        guard let bytes = try StateFile.read(state.config) else { return nil }
        return try ReplicaConfig(text: String(decoding: bytes, as: UTF8.self), path: state.config)
    }
}

/// A former id of a replica, which it gave up because a copy of the replica uses the same id.
package struct FormerDevice: Hashable, Sendable {
    /// 16 bytes.
    package var id: [UInt8]
    /// Commits with this id are the replica's own up to this number.
    package var last: UInt64
}

extension FormerDevice {
    fileprivate init?(line: Substring) {
        let words = line.split(separator: " ")
        guard words.count == 4, words[0] == "former", words[1] == "=",
            let id = bytes(hexadecimal: words[2]), id.count == 16, let last = UInt64(words[3])
        else { return nil }
        self.init(id: id, last: last)
    }
}
