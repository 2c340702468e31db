package import FilesinkiModel
import FilesinkiStore

/// One change of one path by one commit.
package struct Event: Hashable, Sendable {
    /// The publisher of a change.
    package struct Author: Hashable, Sendable {
        package var device: Device
        package var time: Timestamp
        /// Whether the replica's own device published it, from any process.
        package var isOwn: Bool
    }

    package var path: RelativePath
    /// The entry at the path since this version; a tombstone for a deletion.
    package var entry: Entry
    /// The number of the commit.
    package var version: UInt64
    /// Nil if the commit has been pruned from the log.
    package var author: Author?
    /// The former path if the event is the new name of a rename.
    package var movedFrom: RelativePath?
    /// The rule that resolved a conflict; empty for an ordinary edit.
    package var reason = ""
    /// Whether the root holds the change, or a newer version or a merge that includes it.
    package var isApplied = false
    /// The position after this event; nil inside an ``EventDifference``, which is processed as a
    /// whole.
    package var token: EventToken?
}

/// Consecutive events of the log.
struct EventBatch: Sendable {
    var events: [Event] = []
    /// The position after the batch, including commits without events in the scope.
    var end: EventToken
    /// How many commits were read.
    var commitCount = 0
}

/// The net difference between a tree at an expired token and the tree now.
package struct EventDifference: Sendable {
    /// The number of the commit from which the difference starts; nil if the listener's state is
    /// unknown, in which case ``events`` holds the whole tree.
    package var since: UInt64?
    /// One event per path, in path order.
    package var events: [Event]
    /// The position after the difference.
    package var end: EventToken
}

/// The paths that a listener observes: everything, or a set of single paths and folders.
package struct EventScope: Hashable, Sendable {
    /// One part of a scope.
    package enum Part: Hashable, Sendable {
        /// This path only, whether a file or a folder.
        case exactly(RelativePath)
        /// Everything inside the folder, at any depth; not the folder itself.
        case inside(RelativePath)

        /// The path or folder of the part.
        var path: RelativePath {
            switch self {
            case .exactly(let path), .inside(let path): path
            }
        }
    }

    /// A path is in scope if any part contains it. Empty means everything.
    package let parts: [Part]

    package init(_ parts: [Part]) { self.parts = parts }

    /// Every path.
    package static let everything = EventScope([])

    /// Cost: linear in the number of parts.
    package func contains(_ path: RelativePath) -> Bool {
        parts.isEmpty
            || parts.contains { part in
                switch part {
                case .exactly(let wanted): path == wanted
                case .inside(let folder): path.isInside(folder)
                }
            }
    }

    /// The paths that a run must sync to cover the scope; empty for everything.
    var roots: [RelativePath] { parts.map(\.path) }
}

/// Identifies the log that a position belongs to.
struct LogIdentity: Hashable, Sendable {
    var zone: String
    /// The first bytes of the store's id.
    var store: [UInt8]
    var epoch: UInt64

    static let storeBytes = 8

    init(zone: String, store: [UInt8], epoch: UInt64) {
        self.zone = zone
        self.store = store
        self.epoch = epoch
    }

    init(_ format: StoreFormat) {
        self.init(
            zone: Zone.filesName, store: Array(format.id.prefix(Self.storeBytes)),
            epoch: format.epoch)
    }
}

/// A position in a log, possibly inside a commit: everything before it has been processed.
///
/// Users store its text and pass it back. The text is opaque to all other code.
package struct EventToken: Hashable, Sendable {
    let log: LogIdentity
    let position: ChangeToken
    /// How many changes of the position's commit have been processed; nil for all.
    let processed: UInt32?

    init(_ log: LogIdentity, _ position: ChangeToken, processed: UInt32? = nil) {
        self.log = log
        self.position = position
        self.processed = processed
    }

    /// The number of the commit that the position is in or after; 0 before the first.
    package var version: UInt64 { position.sequence }

    /// The number of the last commit that has been processed completely.
    var wholeVersion: UInt64 { processed == nil ? version : max(version, 1) - 1 }

    private static let format = "fsk1"
    private static let all = "all"

    /// Parses a token.
    ///
    /// - Throws: `Failure` with code `usage` if the text is not a token.
    package init(parsing text: String) throws(Failure) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 7, parts[0] == Self.format, (1...64).contains(parts[1].utf8.count),
            let store = bytes(hexadecimal: parts[2]), store.count == LogIdentity.storeBytes,
            let epoch = UInt64(parts[3]), let sequence = UInt64(parts[4]),
            let hash = ContentID(hexadecimal: parts[6])
        else { throw Self.invalidToken(text) }
        let processed = UInt32(parts[5])
        guard processed != nil || parts[5] == Self.all, processed == nil || sequence > 0 else {
            throw Self.invalidToken(text)
        }
        log = LogIdentity(zone: String(parts[1]), store: store, epoch: epoch)
        position = ChangeToken(sequence: sequence, hash: hash)
        self.processed = processed
    }

    private static func invalidToken(_ text: String) -> Failure {
        Failure(
            .usage, path: text, "Invalid token.",
            remedy: "Give the token of a line that observe or changes printed, or 0 for all. By a "
                + "time or a commit, filesinki log chooses: --since and --commit.")
    }
}

extension EventToken: CustomStringConvertible {
    /// The token as text. It contains only the characters `a-z 0-9 _ - .`.
    package var description: String {
        let events = processed.map { String($0) } ?? Self.all
        return "\(Self.format).\(log.zone).\(hexadecimal(log.store)).\(log.epoch)"
            + ".\(position.sequence).\(events).\(position.hash)"
    }
}
