package import FilesinkiModel

/// The persistent state of a zone's client, stored in the database of the zone's items.
///
/// The client reads all of it, and writes records of its own commits and numbers about the store.
/// The owner of the items writes the fetched items and the position in one transaction.
package protocol ZoneMemory {
    /// The device that publishes.
    var device: Device { get }
    /// The store that holds the zone; nil before the first connection.
    var store: KnownStore? { get throws }
    /// The position up to which the log was read and applied; nil before the first fetch.
    var position: LogPosition? { get throws }

    /// Stores the identity of the store, if it is kept apart from the position.
    func remember(_ store: KnownStore) throws

    /// A stored number; 0 if none was stored.
    func number(_ counter: ZoneCounter) throws -> UInt64
    /// Stores numbers in one transaction; 0 removes one.
    func set(_ numbers: [ZoneCounter: UInt64]) throws

    /// Stops a client that is about to publish something which nobody would see, as it is known that the store was moved.
    func checkPublication() throws
    /// Records a commit before it is published. The record is kept until the position has passed
    /// it.
    func recordOwn(_ commit: OwnCommit) throws
    /// The given commits that were recorded, matched by number and id.
    func recordedOwn(_ commits: [OwnCommit]) throws -> [OwnCommit]

    /// The whole zone as of a commit; nil if it has changed since. The rows are read while the
    /// checkpoint is stored.
    func checkpoint(at token: ChangeToken) throws -> CheckpointSource?
}

extension ZoneMemory {
    /// The owner looks for a note itself; see ``ZoneClient/findMove(from:)``.
    package func checkPublication() {}
}

/// A position in a zone's log.
package struct LogPosition: Hashable, Sendable {
    package var token: ChangeToken
    /// The ``Commit/storedHeader`` of the token's own commit; empty if unknown.
    package var storedHeader: [UInt8]

    package init(_ token: ChangeToken, storedHeader: [UInt8] = []) {
        self.token = token
        self.storedHeader = storedHeader
    }

    /// The position after a commit.
    package init(_ commit: Commit) {
        self.init(commit.token, storedHeader: commit.storedHeader)
    }
}

/// The record of a commit that this device was about to publish.
///
/// A run that is killed after publishing and before storing the result leaves the record; by it the
/// next run recognises the commit as its own. A commit of this device without a record was
/// published by a copy of the device.
package struct OwnCommit: Hashable, Sendable {
    package var sequence: UInt64
    /// The commit's 16 random bytes.
    package var id: [UInt8]
    /// Whether its changes were applied locally before it was published. If not, it is applied like
    /// the commit of another device.
    package var isApplied: Bool

    package init(sequence: UInt64, id: [UInt8], isApplied: Bool = true) {
        self.sequence = sequence
        self.id = id
        self.isApplied = isApplied
    }
}

/// A number that a zone's client stores. The raw value is its name in the database.
package enum ZoneCounter: String, CaseIterable, Sendable {
    /// The newest known checkpoint.
    case checkpoint
    /// The commit at which a checkpoint could not be stored.
    case failedCheckpoint = "checkpoint-failed"
    /// The last commit that this device acknowledged.
    case acknowledgement = "sighting"
    /// The time of that acknowledgement, in seconds since 1970.
    case acknowledgementTime = "sighting-time"
    /// The commit at which an acknowledgement could not be stored.
    case failedAcknowledgement = "sighting-failed"
    /// The time of the last proof of the log's end, in seconds since 1970.
    case endProof = "end-proven"
    /// The state of the checkpoints' folder when its names were read for that proof: see
    /// ``CheckpointStore/folderState()``. 0 at a remote that is not a folder of this machine.
    case checkpointFolder = "checkpoint-folder"
    /// The time of the last look for a note of a move that found none, in seconds since 1970. Zones of items have it.
    case moveLook = "move-looked"
    /// The last commit whose loss the user has accepted.
    case acceptedEnd = "accepted-end"
}
