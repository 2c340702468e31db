internal import FilesinkiModel
internal import FilesinkiRemote

/// Where everything lies in a store.
enum StoreLayout {
    /// The most digits that a sequence number has; shorter ones begin with zeros, so that the order
    /// of keys is the order of numbers.
    static let digits = 20

    /// The name of the one member that the folder of a write-once slot has.
    static let member = "c"

    /// The slot of the store's own description.
    static let format = "filesinki/c"

    /// The longest name of a zone, in bytes.
    static let maximumZoneLength = 64

    /// Where commits and checkpoints of a zone are; ends with a slash.
    static func everything(of zone: String) -> String { "zones/\(zone)/" }

    /// Where the commits of a zone are; ends with a slash.
    static func log(of zone: String) -> String { "zones/\(zone)/log/" }

    /// Where the checkpoints of a zone are; ends with a slash.
    static func checkpoints(of zone: String) -> String { "zones/\(zone)/checkpoints/" }

    /// Where the parts of large checkpoints of a zone are, by their hashes; ends with a slash.
    static func parts(of zone: String) -> String { "zones/\(zone)/parts/" }

    /// Where a device says what it has seen of a zone; ends with a slash.
    static func acknowledgements(of device: [UInt8], zone: String) -> String {
        "devices/\(hexadecimal(device))/\(zone)/"
    }

    /// The name of a number below one of the prefixes.
    static func name(_ sequence: UInt64) -> String {
        let text = String(sequence)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// The slot of a number below a prefix.
    ///
    /// - Throws: `Failure` with code `bad-path` when the zone's name is not fit for a key.
    static func slot(_ prefix: String, _ sequence: UInt64) throws(Failure) -> ObjectKey {
        try ObjectKey("\(prefix)\(name(sequence))/\(member)")
    }

    /// The number that the key of a slot below `prefix` names; nil for any other key.
    static func sequence(of key: ObjectKey, below prefix: String) -> UInt64? {
        let names = key.description.dropFirst(prefix.utf8.count).split(separator: "/")
        guard key.description.hasPrefix(prefix), names.count == 2, names[1] == member,
            names[0].utf8.count == digits, names[0].utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return UInt64(names[0])
    }

    /// Checks the name of a zone: 1 to 64 of `a-z 0-9 _ -`.
    ///
    /// - Throws: `Failure` with code `usage` for any other name.
    static func check(zone: String) throws(Failure) {
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789_-".utf8)
        guard (1...maximumZoneLength).contains(zone.utf8.count),
            zone.utf8.allSatisfy(allowed.contains)
        else {
            throw Failure(
                .usage, path: zone, "This is not a name of a zone.",
                remedy: "Use 1 to \(maximumZoneLength) of the characters a-z 0-9 _ -.")
        }
    }
}
