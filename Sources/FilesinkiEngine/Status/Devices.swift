import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// A device that shares the store.
package struct DeviceReport: Sendable {
    package var device: Device
    /// How far it is known to have seen the log: what it said itself, or its last commit as this
    /// replica has read it, whichever is later.
    package var seen: UInt64
    /// When that was, by its own clock.
    package var time: Timestamp
    package var isThisOne: Bool
}

/// The devices that share the store.
struct Devices: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Who shares this store and what each has seen, by name.
    func list() async throws -> [DeviceReport] {
        let connection = try await connected()
        let registry = connection.devices
        let published = try manifest.devicesSeen()
        let reports = try await registry.all().map { acknowledgement in
            try report(acknowledgement, published.items[acknowledgement.device.id])
        }
        let names = Device.names(of: reports.map(\.device))
        return reports.map { report in
            var report = report
            report.device.name = names[report.device.id] ?? report.device.name
            return report
        }.sorted { ($0.device.name, $0.seen) < ($1.device.name, $1.seen) }
    }

    /// Devices say seldom how far they are, but who has published had seen all before.
    private func report(
        _ acknowledgement: Acknowledgement, _ published: DevicesSeen.Item?
    ) throws -> DeviceReport {
        var report = DeviceReport(
            device: acknowledgement.device, seen: acknowledgement.token.sequence,
            time: acknowledgement.time,
            isThisOne: acknowledgement.device.id == config.device.id)
        if let published, published.sequence > report.seen {
            report.seen = published.sequence
            report.time = published.time
        }
        // The name may have been changed since.
        if report.isThisOne { report.device.name = config.device.name }
        if report.isThisOne, let token = try manifest.token, token.sequence > report.seen {
            report.seen = token.sequence
            report.time = try status.lastRun { $0.exitCode == 0 }?.ended ?? report.time
        }
        return report
    }

    /// Leaves a device out of account: what it has not seen no longer has to be kept for it.
    ///
    /// - Throws: Code `not-found` when no device, or more than one, has that name.
    func forget(_ name: String) async throws {
        let matching = try await list().filter {
            $0.device.name == name || hexadecimal($0.device.id).hasPrefix(name)
        }
        guard matching.count == 1, let device = matching.first?.device else {
            throw Failure(
                .notFound, path: name,
                matching.isEmpty
                    ? "No device has this name." : "More than one device has this name.",
                remedy: "See them, with their ids, with filesinki devices.")
        }
        let connection = try await connected()
        let registry = connection.devices
        try await registry.forget(device.id)
    }
}

/// The last commit that each device is known to have published: it had seen the log up to there.
///
/// Kept in the manifest, so that `devices` can tell without reading the log.
struct DevicesSeen: Equatable, Sendable {
    struct Item: Equatable, Sendable {
        var sequence: UInt64
        var time: Timestamp
    }

    /// By the device's id.
    private(set) var items: [[UInt8]: Item] = [:]

    /// So many devices are kept, those that published last.
    private static let limit = 256

    init() {}

    mutating func note(_ commit: Commit) {
        note(commit.device.id, Item(sequence: commit.sequence, time: commit.time))
    }

    mutating func add(_ other: DevicesSeen) {
        for (id, item) in other.items { note(id, item) }
    }

    private mutating func note(_ id: [UInt8], _ item: Item) {
        if let known = items[id], known.sequence >= item.sequence { return }
        items[id] = item
        guard items.count > Self.limit else { return }
        if let oldest = items.min(by: { $0.value.sequence < $1.value.sequence }) {
            items[oldest.key] = nil
        }
    }

    /// Reads ``bytes``; lines that are none do not count.
    init(_ bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let id = FilesinkiModel.bytes(hexadecimal: words[0]),
                let sequence = UInt64(words[1]), let time = Int64(words[2])
            else { continue }
            note(id, Item(sequence: sequence, time: Timestamp(nanoseconds: time)))
        }
    }

    /// A line for each device: its id, the commit's number and time.
    var bytes: [UInt8] {
        let lines = items.sorted { $0.value.sequence < $1.value.sequence }.map {
            "\(hexadecimal($0.key)) \($0.value.sequence) \($0.value.time.nanoseconds)\n"
        }
        return Array(lines.joined().utf8)
    }

    fileprivate static let name = "published-by"
}

extension ManifestDatabase {
    /// What is known of the devices' own commits.
    func devicesSeen() throws -> DevicesSeen {
        DevicesSeen(try value(DevicesSeen.name) ?? [])
    }
}

extension ManifestWriter {
    func setDevicesSeen(_ seen: DevicesSeen) throws {
        try setValue(DevicesSeen.name, seen.bytes)
    }
}
