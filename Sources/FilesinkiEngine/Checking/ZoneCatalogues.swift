import FilesinkiModel
import FilesinkiRecords
import FilesinkiStore

/// What the catalogues of a store say of its zones of records: which were deleted, and which devices have read that.
///
/// A catalogue that cannot be read says nothing: then no zone of its database counts as deleted.
struct ZoneCatalogues {
    private struct Catalogue {
        var rows: [String: (entry: ZoneEntry, sequence: UInt64)]
        /// The last commit of the catalogue that each device is known to have read.
        var reached: [[UInt8]: UInt64]
    }

    private var catalogues: [DatabaseScope: Catalogue] = [:]

    /// Whether a zone of a store is a catalogue.
    static func isCatalogue(_ zone: String) -> Bool {
        DatabaseScope.split(zone: zone).rest == ZoneEntry.catalogue
    }

    /// - Parameter logs: Logs that were read; those of other zones are left out.
    init(_ logs: [LogCheck]) {
        for log in logs where Self.isCatalogue(log.zone) && log.failures.isEmpty {
            catalogues[DatabaseScope.split(zone: log.zone).scope] = Catalogue(
                rows: log.catalogue, reached: log.view.authors.items.mapValues(\.sequence))
        }
    }

    /// Reads the catalogues among the zones of a store.
    ///
    /// - Throws: What the remote throws.
    init(of zones: [String], _ connection: ZoneConnection, limits: CommitLimits) async throws {
        var logs: [LogCheck] = []
        for zone in zones where Self.isCatalogue(zone) {
            var log = try LogCheck(of: zone, connection, limits: limits)
            try await log.read()
            logs.append(log)
        }
        self.init(logs)
        for log in logs where log.failures.isEmpty {
            let devices = try DeviceRegistry(
                remote: connection.remote, zone: log.zone, store: connection.format)
            let scope = DatabaseScope.split(zone: log.zone).scope
            for known in try await devices.all() {
                let last = catalogues[scope]?.reached[known.device.id] ?? 0
                catalogues[scope]?.reached[known.device.id] = max(last, known.token.sequence)
            }
        }
    }

    /// Whether a zone of the store is one of records that was deleted, so that nobody has what its log holds.
    func isDeleted(_ zone: String) -> Bool { deletion(zone) != nil }

    /// Whether it was deleted, and all these devices have read that.
    func isDeleted(_ zone: String, knownBy devices: some Sequence<[UInt8]>) -> Bool {
        guard let (catalogue, sequence) = deletion(zone) else { return false }
        return devices.allSatisfy { catalogue.reached[$0] ?? 0 >= sequence }
    }

    /// The catalogue that says so, and the commit by which it certainly does.
    private func deletion(_ zone: String) -> (Catalogue, UInt64)? {
        guard let stored = StoredZone(zone), let catalogue = catalogues[stored.scope],
            let row = catalogue.rows[stored.name],
            row.entry.isDeleted(generation: stored.generation)
        else { return nil }
        return (catalogue, row.sequence)
    }
}
