import FilesinkiModel
import FilesinkiStore

/// Collects from the commits that a run fetches whether this replica's name is its own alone.
struct IdentityCheck: Sendable {
    private let config: ReplicaConfig
    /// Whether another device has this one's name.
    private(set) var hasNamesake = false

    init(_ config: ReplicaConfig) { self.config = config }

    mutating func note(_ commit: Commit) { note(commit.device, at: commit.sequence) }

    /// - Parameter sequence: The commit by which the device is known.
    mutating func note(_ device: Device, at sequence: UInt64) {
        guard device.name == config.device.name, device.id != config.device.id,
            !config.wasOwn(device.id, at: sequence)
        else { return }
        hasNamesake = true
    }
}
