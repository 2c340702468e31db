import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// A device that shares the store.
package struct DeviceReport: Sendable {
    package var device: Device
    /// The last commit that the device is known to have read: by its own acknowledgement, or
    /// because it published a later commit.
    package var seen: UInt64
    /// The time of that commit or acknowledgement, by the device's clock.
    package var time: Timestamp
    /// The last commit that the device has acknowledged, and when it did, by its clock: what prunes go by. A device
    /// acknowledges rarely.
    package var acknowledged: UInt64
    package var acknowledgedAt: Timestamp
    package var isThisOne: Bool
}

/// Lists and forgets the devices that share the store.
struct Devices: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Returns the devices of the store and the commit that each has read, sorted by name. Reads
    /// one object per device.
    func list() async throws -> [DeviceReport] {
        let connection = try await connected()
        let registry = connection.devices
        let published = try manifest.lastDeviceCommits()
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

    /// Combines an acknowledgement with the device's last commit: devices acknowledge rarely, but a
    /// device that publishes has read everything before.
    private func report(
        _ acknowledgement: Acknowledgement, _ published: LastDeviceCommits.Item?
    ) throws -> DeviceReport {
        var report = DeviceReport(
            device: acknowledgement.device, seen: acknowledgement.token.sequence,
            time: acknowledgement.time, acknowledged: acknowledgement.token.sequence,
            acknowledgedAt: acknowledgement.time,
            isThisOne: acknowledgement.device.id == config.device.id)
        if let published, published.sequence > report.seen {
            report.seen = published.sequence
            report.time = published.time
        }
        // The device may have been renamed since the acknowledgement.
        if report.isThisOne { report.device.name = config.device.name }
        if report.isThisOne, let token = try manifest.token, token.sequence > report.seen {
            report.seen = token.sequence
            report.time = try status.lastRun(where: \.isComplete)?.ended ?? report.time
        }
        return report
    }

    /// Removes a device's acknowledgement, so that history is no longer kept for it.
    ///
    /// - Parameter name: The device's name, or the start of its id in hexadecimal, at least ``Device/shortestID`` digits.
    /// - Returns: Whether it is this replica's own device, which the next sync adds again.
    /// - Throws: Code `not-found` if no device matches, or more than one.
    func forget(_ name: String) async throws -> Bool {
        let all = try await list()
        let named = all.filter { $0.device.name == name }
        let matching =
            named.isEmpty ? all.filter { $0.device.hasID(beginning: name) } : named
        guard matching.count == 1, let device = matching.first?.device else {
            throw Failure(
                .notFound, path: name,
                matching.isEmpty
                    ? "No device has this name." : "More than one device has this name.",
                remedy: "See them, with their ids, with filesinki devices.")
        }
        try await sync.requireStoreUnmoved()
        let connection = try await connected()
        try await connection.devices.forget(device.id)
        // Its acknowledgements in zones of records keep assets for it.
        for zone in try await StoreListing.zoneNames(at: connection.remote)
        where zone != Zone.filesName {
            try await DeviceRegistry(
                remote: connection.remote, zone: zone, store: connection.format
            ).forget(device.id)
        }
        guard device.id == config.device.id else { return false }
        // As before its first acknowledgement: the next run for everything stores one, whenever the last one was.
        try memory.set([.acknowledgement: 0, .acknowledgementTime: 0])
        return true
    }
}

/// The last known commit of each device. A device that publishes has read the log up to there.
///
/// It is kept in the manifest, so that `devices` need not read the log.
struct LastDeviceCommits: Equatable, Sendable {
    struct Item: Equatable, Sendable {
        var sequence: UInt64
        var time: Timestamp
    }

    /// By the device's id.
    private(set) var items: [[UInt8]: Item] = [:]

    /// The number of devices that are kept: those that published last.
    private static let limit = 256

    init() {}

    mutating func record(_ commit: Commit) {
        record(commit.device.id, Item(sequence: commit.sequence, time: commit.time))
    }

    mutating func merge(_ other: LastDeviceCommits) {
        for (id, item) in other.items { record(id, item) }
    }

    private mutating func record(_ id: [UInt8], _ item: Item) {
        if let known = items[id], known.sequence >= item.sequence { return }
        items[id] = item
        guard items.count > Self.limit else { return }
        if let oldest = items.min(by: { $0.value.sequence < $1.value.sequence }) {
            items[oldest.key] = nil
        }
    }

    /// Parses ``bytes``. Skips malformed lines.
    init(_ bytes: [UInt8]) {
        for words in bytes.noteLines {
            guard words.count == 3, let id = FilesinkiModel.bytes(hexadecimal: words[0]),
                let sequence = UInt64(words[1]), let time = Int64(words[2])
            else { continue }
            record(id, Item(sequence: sequence, time: Timestamp(nanoseconds: time)))
        }
    }

    /// One line per device: its id, the commit's number and its time.
    var bytes: [UInt8] {
        let lines = items.sorted { $0.value.sequence < $1.value.sequence }.map {
            "\(hexadecimal($0.key)) \($0.value.sequence) \($0.value.time.nanoseconds)\n"
        }
        return Array(lines.joined().utf8)
    }

    fileprivate static let name = "published-by"
}

extension ManifestDatabase {
    /// Returns the last known commits of the devices.
    func lastDeviceCommits() throws -> LastDeviceCommits {
        LastDeviceCommits(try value(LastDeviceCommits.name) ?? [])
    }
}

extension ManifestWriter {
    func setLastDeviceCommits(_ seen: LastDeviceCommits) throws {
        try setValue(LastDeviceCommits.name, seen.bytes)
    }
}
