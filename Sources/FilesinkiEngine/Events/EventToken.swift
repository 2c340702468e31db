package import FilesinkiModel
import FilesinkiStore

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
