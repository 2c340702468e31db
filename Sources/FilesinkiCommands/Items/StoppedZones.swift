import FilesinkiEngine
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRemote

/// A zone of values or records that cannot go on with the store as it is, such as an older copy that was put back. A
/// run of files does not look at these zones.
struct StoppedZone {
    /// What the zone holds, such as `values`.
    let items: String
    /// What its exchange would fail with.
    let failure: Failure
}

extension Console {
    /// The zones whose log at the store lacks the last commit that this device has seen of it. One request for each
    /// zone that was synced.
    ///
    /// - Throws: `Failure` if the zones cannot be listed, or the remote cannot be opened.
    func stoppedZones(_ settings: ReplicaOptions) async throws -> [StoppedZone] {
        let config = try ReplicaConfig.read(settings)
        guard let address = config.remote else { return [] }
        let remote = try settings.connect(address)
        let values = try await stoppedZones(of: ValueKind.self, "values", remote, config, settings)
        let zones = try await stoppedZones(
            of: CatalogueKind.self, "records", remote, config, settings)
        let records = try await stoppedZones(
            of: RecordKind.self, "records", remote, config, settings)
        return values + zones + records
    }

    /// - Parameter remote: Is used for all zones.
    private func stoppedZones<Kind: ItemKind>(
        of kind: Kind.Type, _ items: String, _ remote: any Remote, _ config: ReplicaConfig,
        _ settings: ReplicaOptions
    ) async throws -> [StoppedZone] {
        let state = settings.stateFolder.path
        var stopped: [StoppedZone] = []
        for scope in try LocalZones<Kind>.scopes(state: state) {
            for name in try LocalZones<Kind>.names(state: state, scope) {
                var place: ItemPlace<Kind> = try itemPlace(name, in: scope, settings)
                place.connect = { _ in remote }
                do {
                    try await place.requireSeenCommit(in: config.store)
                } catch let failure as Failure where failure.code == .notAllowed {
                    // A token for some zones only: nothing can be said of this one.
                } catch let failure as Failure where failure.code != .interrupted {
                    stopped.append(StoppedZone(items: items, failure: failure))
                }
            }
        }
        return stopped
    }
}
