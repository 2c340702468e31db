import FilesinkiEngine
import FilesinkiItems
import FilesinkiModel
import FilesinkiSystem

/// Zones of items that a process keeps open between its calls. All calls share them.
///
/// A zone is opened again when the replica's configuration has changed since: its remote, its device or
/// its key may be others now, or the replica is gone.
actor OpenZones {
    private struct OpenZone {
        var zone: any Sendable
        /// The configuration with which it was opened; nil if there was none.
        var config: FileStamp?
    }

    private var zones: [String: OpenZone] = [:]
    private let config: String

    /// As many zones stay open.
    private static let limit = 64

    init(_ state: StateFolder) { config = state.config }

    /// The zone of a name in a database.
    ///
    /// - Parameter open: Opens it, if it is not open.
    func zone<Kind: ItemKind>(
        _ name: String, in scope: DatabaseScope, _ open: @Sendable () async throws -> ItemZone<Kind>
    ) async throws -> ItemZone<Kind> {
        let key = "\(Kind.names.folder)/\(scope)/\(name)"
        let config = FileStamp(at: self.config)
        if let known = zones[key], known.config == config, config != nil,
            let zone = known.zone as? ItemZone<Kind>
        {
            return zone
        }
        let zone = try await open()
        // Those that are in use end with their calls.
        if zones.count >= Self.limit { zones = [:] }
        zones[key] = OpenZone(zone: zone, config: config)
        return zone
    }
}
