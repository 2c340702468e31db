package import FilesinkiModel
import FilesinkiStore

/// What one commit changed at one path.
package struct Event: Hashable, Sendable {
    /// Who published a change.
    package struct Author: Hashable, Sendable {
        package var device: Device
        package var time: Timestamp
        /// Whether it was the replica's own device, in whichever process.
        package var isOwn: Bool
    }

    package var path: RelativePath
    /// What is at the path from this version on; a tombstone for a deletion.
    package var entry: Entry
    /// The number of the commit.
    package var version: UInt64
    /// Nil where the log that said so is gone.
    package var author: Author?
    /// Where the content came from when this is one half of a rename.
    package var movedFrom: RelativePath?
    /// The rule that decided a conflict; empty for a user's edit.
    package var reason = ""
    /// Whether the change has arrived here, or what a newer one or a merge made of it.
    package var isApplied = false
    /// The position behind this event; nil within a difference, which is dealt with as a whole.
    package var token: EventToken?
}

/// Events that follow one upon another in the log.
struct EventBatch: Sendable {
    var events: [Event] = []
    /// The position behind them, and behind what concerned nobody.
    var end: EventToken
    /// How many commits were read for them.
    var commitCount = 0
}

/// What a tree is now where it differs from what it was.
package struct EventDifference: Sendable {
    /// The number of the commit since which it is told; nil when nothing is known of what the
    /// listener has: then ``events`` are all that there is.
    package var since: UInt64?
    /// One for each path, in the order of paths.
    package var events: [Event]
    /// The position behind the difference.
    package var end: EventToken
}

/// Which paths somebody wants to hear of: everything, or some paths and what lies inside some folders.
package struct EventScope: Hashable, Sendable {
    /// One part of a scope.
    package enum Part: Hashable, Sendable {
        /// This path alone, be it a folder or not.
        case exactly(RelativePath)
        /// What lies inside the folder, at any depth; not the folder itself.
        case inside(RelativePath)

        /// The path that the part is about.
        var path: RelativePath {
            switch self {
            case .exactly(let path), .inside(let path): path
            }
        }
    }

    /// Any of these; empty for everything.
    package let parts: [Part]

    package init(_ parts: [Part]) { self.parts = parts }

    /// Every path.
    package static let everything = EventScope([])

    package func contains(_ path: RelativePath) -> Bool {
        parts.isEmpty
            || parts.contains { part in
                switch part {
                case .exactly(let wanted): path == wanted
                case .inside(let folder): path.isInside(folder)
                }
            }
    }

    /// The paths that a run has to look after; empty for everything.
    var roots: [RelativePath] { parts.map(\.path) }
}

/// Which log a position is in.
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

/// "Everything up to here has been dealt with": a position in a log, also within a commit.
///
/// Its text is what users store and give back; nobody but this type knows what is in it.
package struct EventToken: Hashable, Sendable {
    let log: LogIdentity
    let position: ChangeToken
    /// How many events of the position's commit have been dealt with; nil for all.
    let told: UInt32?

    init(_ log: LogIdentity, _ position: ChangeToken, told: UInt32? = nil) {
        self.log = log
        self.position = position
        self.told = told
    }

    /// The number of the commit that the position is in or behind; 0 before the first.
    package var version: UInt64 { position.sequence }

    /// The number of the last commit of which all events have been dealt with.
    var wholeVersion: UInt64 { told == nil ? version : max(version, 1) - 1 }

    private static let form = "fsk1"
    private static let all = "all"

    /// Reads a token.
    ///
    /// - Throws: `Failure` with code `usage` when the text is none.
    package init(parsing text: String) throws(Failure) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 7, parts[0] == Self.form, (1...64).contains(parts[1].utf8.count),
            let store = bytes(hexadecimal: parts[2]), store.count == LogIdentity.storeBytes,
            let epoch = UInt64(parts[3]), let sequence = UInt64(parts[4]),
            let hash = ContentID(hexadecimal: parts[6])
        else { throw Self.misread(text) }
        let told = UInt32(parts[5])
        guard told != nil || parts[5] == Self.all, told == nil || sequence > 0 else {
            throw Self.misread(text)
        }
        log = LogIdentity(zone: String(parts[1]), store: store, epoch: epoch)
        position = ChangeToken(sequence: sequence, hash: hash)
        self.told = told
    }

    private static func misread(_ text: String) -> Failure {
        Failure(
            .usage, path: text, "Invalid token.",
            remedy: "Give the token of a line that observe or changes printed, or 0 for all.")
    }
}

extension EventToken: CustomStringConvertible {
    /// The token as text, of the characters `a-z 0-9 _ - .` only.
    package var description: String {
        let events = told.map { String($0) } ?? Self.all
        return "\(Self.form).\(log.zone).\(hexadecimal(log.store)).\(log.epoch)"
            + ".\(position.sequence).\(events).\(position.hash)"
    }
}
