package import FilesinkiModel
import FilesinkiSQLite
import FilesinkiStore

/// Why items changed.
package enum ChangeReason: String, Sendable, CaseIterable {
    /// Another device's change arrived.
    case server
    /// The first exchange with the store.
    case initial
    /// A limit was exceeded: by a change, which was refused, or by a merge.
    case quota
    /// Another store replaced the known one.
    case account
    /// A program on this device made the change.
    case local
    /// The zone was deleted.
    case deleted
    /// A user removed the zone with its data.
    case purged
}

/// The items that changed on this device at one time.
package struct ItemEvent: Hashable, Sendable {
    package var token: FeedToken
    package var reason: ChangeReason
    package var time: Timestamp
    package var keys: [ItemKey]
}

/// A position in the events of one zone's file: behind the event with its number.
package struct FeedToken: Hashable, Sendable, CustomStringConvertible {
    /// 8 random bytes of the file.
    package var feed: [UInt8]
    package var number: Int64

    package init(feed: [UInt8], number: Int64) {
        self.feed = feed
        self.number = number
    }

    /// Reads what ``description`` wrote.
    ///
    /// - Throws: `Failure` with code `usage` for anything else.
    package init(parsing text: String) throws(Failure) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let feed = bytes(hexadecimal: parts[0]), feed.count == 8,
            let number = Int64(parts[1])
        else {
            throw Failure(
                .usage, path: text, "Invalid token.",
                remedy: "Give one that an earlier command printed.")
        }
        self.init(feed: feed, number: number)
    }

    package var description: String { "\(hexadecimal(feed))-\(number)" }
}

extension ItemDatabase {
    // MARK: Events

    /// How many events are kept.
    package static var keptEvents: Int64 { 10_000 }

    /// Records that items changed.
    package func recordEvent(_ reason: ChangeReason, _ keys: [ItemKey], at time: Timestamp)
        throws(Failure)
    {
        guard !keys.isEmpty else { return }
        let statement = try cache.statement(
            "INSERT INTO event (reason, time, keys) VALUES (?, ?, ?)")
        statement.bind(reason.rawValue, at: 1)
        statement.bind(time.nanoseconds, at: 2)
        bind(KeyList.encode(keys), to: statement, at: 3)
        try statement.execute()
        let old = try cache.statement("DELETE FROM event WHERE id <= ?")
        old.bind(connection.lastRow - Self.keptEvents, at: 1)
        try old.execute()
    }

    /// The position behind the last event.
    package func position() throws(Failure) -> FeedToken {
        let statement = try cache.statement(
            "SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'event'")
        defer { statement.reset() }
        let last = try statement.step() ? statement.integer(0) : 0
        return FeedToken(feed: try setting("feed") ?? [], number: last)
    }

    /// What to do when changes are no longer known.
    private static var resync: String {
        let command = "filesinki \(Kind.names.command)"
        guard let resync = Kind.names.resync else {
            return "Read everything with \(command) list, and continue with the token that "
                + "\(command) status prints."
        }
        return "\(command) \(resync) prints everything, and at its end the token to continue with."
    }

    /// Up to 1,000 events behind a position.
    ///
    /// - Throws: `Failure` with code `token-expired` when some are not kept any more, or the token is of
    ///   another file.
    package func events(after token: FeedToken) throws(Failure) -> [ItemEvent] {
        let end = try position()
        guard token.feed == end.feed, token.number <= end.number,
            token.number >= end.number - Self.keptEvents
        else {
            throw Failure(
                .tokenExpired, path: token.description,
                "The changes since this token are no longer known.",
                remedy: Self.resync)
        }
        let statement = try cache.statement(
            "SELECT id, reason, time, keys FROM event WHERE id > ? ORDER BY id LIMIT 1000")
        defer { statement.reset() }
        statement.bind(token.number, at: 1)
        var events: [ItemEvent] = []
        while try statement.step() {
            guard let reason = ChangeReason(rawValue: statement.text(1)),
                let keys = KeyList.decode(Array(statement.bytes(3)))
            else { throw connection.corrupt("an event cannot be decoded") }
            events.append(
                ItemEvent(
                    token: FeedToken(feed: end.feed, number: statement.integer(0)), reason: reason,
                    time: Timestamp(nanoseconds: statement.integer(2)),
                    keys: keys))
        }
        return events
    }

    /// A number that changes whenever another process has changed the file.
    package func dataVersion() throws(Failure) -> Int64 {
        let statement = try cache.statement("PRAGMA data_version")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}

/// The keys of an event as bytes: a byte, the count, and for each key a byte, its length and its bytes.
/// Numbers have four bytes and are little-endian; the two bytes are what key-value files hold before an
/// array and before data.
enum KeyList {
    private static let list: UInt8 = 9
    private static let key: UInt8 = 7

    static func encode(_ keys: [ItemKey]) -> [UInt8] {
        var bytes = [list]
        bytes.appendLittleEndian(UInt32(truncatingIfNeeded: keys.count))
        for one in keys {
            bytes.append(key)
            bytes.appendLittleEndian(UInt32(truncatingIfNeeded: one.bytes.count))
            bytes += one.bytes
        }
        return bytes
    }

    /// - Returns: nil for invalid bytes.
    static func decode(_ bytes: [UInt8]) -> [ItemKey]? {
        var rest = bytes[...]
        guard rest.popFirst() == list, let count = number(&rest), count <= rest.count else {
            return nil
        }
        var keys: [ItemKey] = []
        for _ in 0..<count {
            guard rest.popFirst() == key, let length = number(&rest), length <= rest.count else {
                return nil
            }
            keys.append(ItemKey(unchecked: Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
        return rest.isEmpty ? keys : nil
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.count >= 4 else { return nil }
        defer { rest = rest.dropFirst(4) }
        return Int(rest.withUnsafeBytes { $0.littleEndian(at: 0, as: UInt32.self) })
    }
}
