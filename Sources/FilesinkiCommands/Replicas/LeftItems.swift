import FilesinkiEngine
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiText

/// Values and records of the store that a replica has left for another one. A sync of files merges only files: what these hold
/// is not in the other store until the user accepts it for them, too.
struct LeftItems {
    private let values: [LeftZone]
    private let records: [LeftZone]

    /// - Parameters:
    ///   - state: The replica's state folder.
    ///   - store: The id of the store that the replica uses now; empty for none.
    /// - Throws: `Failure` if a zone's file cannot be read.
    init(state: String, store: [UInt8]) throws(Failure) {
        values = try LocalZones<ValueKind>.left(behind: store, state: state)
        records = try LocalZones<RecordKind>.left(behind: store, state: state)
    }

    /// What is left, and the commands with which it goes on.
    ///
    /// - Parameter waiting: Zones of values that are not named: their own exchange says it.
    func notices(besides waiting: [PendingZone] = []) -> [Failure] {
        let named = waiting.map { [$0.name, "\($0.scope)"] }
        let ofValues = values.filter { !named.contains([$0.name, "\($0.scope)"]) }
        return ofValues.map { notice($0, "value") } + records.map { notice($0, "record") }
    }

    private func notice(_ zone: LeftZone, _ item: String) -> Failure {
        let isStandard = zone.name == KeyValuePlace.standardName && zone.scope == .private
        let place = isStandard ? "" : " of \(zone.title)"
        let verb = zone.count == 1 ? "is" : "are"
        return Failure(
            .wrongStore,
            "\(CountText.text(zone.count, item))\(place) \(verb) of the former store, and not synced with this one.",
            remedy: "To use this store, \(zone.remedy)")
    }
}

extension LeftZone {
    /// The zone for a person.
    fileprivate var title: String { scope == .private ? name : "\(scope)/\(name)" }
}

extension Session {
    /// What of values and records belongs to a store that the replica has left.
    func leftItems() async throws -> LeftItems {
        try LeftItems(state: settings.stateFolder.path, store: await replica.storeID)
    }
}
