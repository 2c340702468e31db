import FilesinkiModel
import FilesinkiRecords
import FilesinkiStore

/// Looks for the assets of the current records of all zones, as a check of the tree looks for the contents of its files:
/// each has to be in a pack that is there. Reads the logs and the indexes of packs, and no asset.
struct AssetCheck: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    struct Report {
        /// The assets, each once for each zone.
        var contents = 0
        var failures: [Failure] = []
    }

    /// - Throws: What the remote throws; damage becomes a failure in the report.
    func check(_ connection: ZoneConnection) async throws -> Report {
        let names = try await StoreListing.zoneNames(at: connection.remote)
        var report = Report()
        guard names.contains(where: RecordItem.isZone) else { return report }
        let catalogues = try await ZoneCatalogues(
            of: names, connection, limits: options.commitLimits)
        for name in names where RecordItem.isZone(name) && !catalogues.isDeleted(name) {
            try await check(name, connection, &report)
        }
        return report
    }

    private func check(
        _ zone: String, _ connection: ZoneConnection, _ report: inout Report
    ) async throws {
        var log = try LogCheck(of: zone, connection, limits: options.commitLimits)
        try await log.read()
        report.failures += log.failures
        let records = log.currentAssets
        guard !records.isEmpty, log.failures.isEmpty else { return }
        let present = try await StoreListing.packs(of: zone, at: connection.remote)
        let indexes = IndexFolder(path: state.indexes)
        let locator = ContentLocator(
            packs: log.view.packs.filter { present[$0.pack.id] != nil }.map {
                PackReader(remote: connection.remote, reference: $0.pack, cache: indexes)
            })
        var found: [ContentID: Bool] = [:]
        for (path, assets) in records {
            for asset in assets where !log.history.lost.contains(asset.content) {
                if found[asset.content] == nil {
                    report.contents += 1
                    found[asset.content] =
                        try await locator.size(of: asset.content) == Int64(clamping: asset.size)
                }
                if found[asset.content] == false {
                    report.failures.append(.missing(asset, of: path, in: zone))
                }
            }
        }
    }
}

extension Failure {
    /// An asset of a record that the store does not hold.
    fileprivate static func missing(
        _ asset: Asset, of record: RelativePath, in zone: String
    ) -> Failure {
        Failure(
            .corrupt, path: "\(zone)/\(record)",
            "No pack holds the asset \(asset.content) of the record.",
            remedy: "Save the asset again on a device that has the file.")
    }
}
