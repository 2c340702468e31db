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
}

extension Devices {
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
