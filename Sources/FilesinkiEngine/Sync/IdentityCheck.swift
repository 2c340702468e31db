import FilesinkiModel
import FilesinkiStore

/// Collects from the commits that a run meets what tells whether this replica's id and name are its
/// own alone.
struct IdentityCheck: Sendable {
    private let card: ReplicaCard
    /// Commits by this replica's id.
    private(set) var claimed: [(sequence: UInt64, id: [UInt8])] = []
    /// Whether another device has this one's name.
    private(set) var hasNamesake = false

    init(_ card: ReplicaCard) { self.card = card }

    mutating func note(_ commit: Commit) {
        if commit.device.id == card.device.id {
            claimed.append((commit.sequence, commit.id))
        } else {
            note(commit.device, at: commit.sequence)
        }
    }

    /// - Parameter sequence: The commit by which the device is known.
    mutating func note(_ device: Device, at sequence: UInt64) {
        guard device.name == card.device.name, device.id != card.device.id,
            !card.wasOwn(device.id, at: sequence)
        else { return }
        hasNamesake = true
    }
}
