package import FilesinkiModel

/// What a zone's client remembers between runs, kept in the database of the items that the zone holds.
///
/// The client reads all of it. It writes the notes of its own commits, and numbers that are about the
/// store; what it has fetched, and how far it has read, the owner of the items writes in one transaction
/// with the items.
package protocol ZoneMemory {
    /// Who publishes.
    var device: Device { get }
    /// The store that the zone is in; nil before it was reached first.
    var store: KnownStore? { get throws }
    /// How far the log was read and its changes applied; nil before the first fetch.
    var position: LogPosition? { get throws }

    /// Remembers the store, where that is kept apart from the position.
    func remember(_ store: KnownStore) throws

    /// 0 where nothing was remembered.
    func number(_ counter: ZoneCounter) throws -> UInt64
    /// Remembers numbers in one transaction; 0 forgets.
    func set(_ numbers: [ZoneCounter: UInt64]) throws

    /// Notes a commit before it is published. The note is kept until the position has passed it.
    func note(_ commit: OwnCommit) throws
    /// Those of the commits that are in a note, by number and id.
    func noted(_ commits: [OwnCommit]) throws -> [OwnCommit]

    /// The whole zone as it is at a commit; nil where it has moved on since.
    func checkpoint(at token: ChangeToken) throws -> Checkpoint?
}

/// How far a zone's log was read.
package struct LogPosition: Hashable, Sendable {
    package var token: ChangeToken
    /// The ``Commit/storedHeader`` of the token's own commit; empty where it is not known.
    package var storedHeader: [UInt8]

    package init(_ token: ChangeToken, storedHeader: [UInt8] = []) {
        self.token = token
        self.storedHeader = storedHeader
    }

    /// The position behind a commit.
    package init(_ commit: Commit) {
        self.init(commit.token, storedHeader: commit.storedHeader)
    }
}

/// A commit that was about to be published from here.
///
/// A run that is killed after its commit came into the log, and before that was recorded, leaves the note.
/// It tells the next run that the commit is its own. A commit by this device that no note names was
/// published by a copy of it.
package struct OwnCommit: Hashable, Sendable {
    package var sequence: UInt64
    /// The commit's 16 random bytes.
    package var id: [UInt8]
    /// Whether its changes were here already when it was published. When not, it is applied like the
    /// commit of another device.
    package var isApplied: Bool

    package init(sequence: UInt64, id: [UInt8], isApplied: Bool = true) {
        self.sequence = sequence
        self.id = id
        self.isApplied = isApplied
    }
}

/// A number that a zone's client remembers. The raw value is the name under which it is stored.
package enum ZoneCounter: String, CaseIterable, Sendable {
    /// The newest checkpoint that is known.
    case checkpoint
    /// The commit at which a checkpoint could not be stored.
    case failedCheckpoint = "checkpoint-failed"
    /// The last commit that this device has acknowledged.
    case acknowledgement = "sighting"
    /// When that was, in seconds since 1970.
    case acknowledgementTime = "sighting-time"
    /// The commit at which an acknowledgement could not be stored.
    case failedAcknowledgement = "sighting-failed"
    /// When the end of the log was proved last, in seconds since 1970.
    case endProof = "end-proven"
    /// Commits up to here may be missing: a person has approved of that.
    case acceptedEnd = "accepted-end"
}
