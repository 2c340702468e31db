import FilesinkiEngine
import FilesinkiModel

// Values and records in an older copy of the store, which the replica is to use or uses now.
extension Session {
    /// Names the zones of values and records of which a store lacks what this device has seen. Of a zone whose file cannot be
    /// read nothing is said: its own commands say it.
    var lackingZones: LackingZones {
        let console = console
        let settings = settings
        return { remote, store in
            let stopped = try await console.stoppedZones(at: remote, of: store, settings)
            if let away = stopped.first(where: { $0.failure.code == .away }) { throw away.failure }
            return stopped.filter { $0.failure.code == .wrongStore }.map(\.title)
        }
    }

    /// What of values and records is not synced with the store that was accepted: what belongs to the one that the replica has left,
    /// and zones of which this one lacks commits; with the commands with which they go on.
    func itemNotices() async throws -> [Failure] {
        let stopped = try await console.stoppedZones(settings).map(\.failure)
        return try await leftItems().notices() + stopped.filter { $0.code == .wrongStore }
    }
}
