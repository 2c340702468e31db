package import FilesinkiModel
import FilesinkiSQLite

/// Why values changed.
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
}

/// The keys that changed on this device at one time.
package struct ValueEvent: Hashable, Sendable {
    package var token: FeedToken
    package var reason: ChangeReason
    package var time: Timestamp
    package var keys: [ValueKey]
}

/// A position in the events of one key-value file: behind the event with its number.
package struct FeedToken: Hashable, Sendable, CustomStringConvertible {
    /// 8 random bytes of the file.
    package var feed: [UInt8]
    package var number: Int64

    init(feed: [UInt8], number: Int64) {
        self.feed = feed
        self.number = number
    }

    /// Reads what ``description`` wrote.
    ///
    /// - Throws: `Failure` with code `usage` for anything else.
    package init(parsing text: String) throws(Failure) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let feed = bytes(hexadecimal: parts[0]), feed.count == 8,
            let number = Int64(parts[1]), number >= 0
        else {
            throw Failure(
                .usage, path: text, "Invalid token.",
                remedy: "Give one that kv watch or kv status printed.")
        }
        self.init(feed: feed, number: number)
    }

    package var description: String { "\(hexadecimal(feed))-\(number)" }
}

extension KeyValueDatabase {
    // MARK: Events

    /// How many events are kept.
    static let keptEvents: Int64 = 10_000

    /// Records that values changed.
    func recordEvent(_ reason: ChangeReason, _ keys: [ValueKey], at time: Timestamp) throws(Failure)
    {
        guard !keys.isEmpty else { return }
        let statement = try cache.statement(
            "INSERT INTO event (reason, time, keys) VALUES (?, ?, ?)")
        statement.bind(reason.rawValue, at: 1)
        statement.bind(time.nanoseconds, at: 2)
        bind(ValueCoder.encode(.array(keys.map { .data($0.bytes) })), to: statement, at: 3)
        try statement.execute()
        let old = try cache.statement("DELETE FROM event WHERE id <= ?")
        old.bind(connection.lastRow - Self.keptEvents, at: 1)
        try old.execute()
    }

    /// The position behind the last event.
    func position() throws(Failure) -> FeedToken {
        let statement = try cache.statement(
            "SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'event'")
        defer { statement.reset() }
        let last = try statement.step() ? statement.integer(0) : 0
        return FeedToken(feed: try setting("feed") ?? [], number: last)
    }

    /// Up to 1,000 events behind a position.
    ///
    /// - Throws: `Failure` with code `token-expired` when some are not kept any more, or the token is of
    ///   another file.
    func events(after token: FeedToken) throws(Failure) -> [ValueEvent] {
        let end = try position()
        guard token.feed == end.feed, token.number <= end.number,
            token.number >= end.number - Self.keptEvents
        else {
            throw Failure(
                .tokenExpired, path: token.description,
                "The changes since this token are no longer known.",
                remedy: "Read all values with kv list, and continue with the token of kv status.")
        }
        let statement = try cache.statement(
            "SELECT id, reason, time, keys FROM event WHERE id > ? ORDER BY id LIMIT 1000")
        defer { statement.reset() }
        statement.bind(token.number, at: 1)
        var events: [ValueEvent] = []
        while try statement.step() {
            guard let reason = ChangeReason(rawValue: statement.text(1)),
                case .array(let keys) = ValueCoder.decode(Array(statement.bytes(3)))
            else { throw connection.corrupt("an event cannot be decoded") }
            events.append(
                ValueEvent(
                    token: FeedToken(feed: end.feed, number: statement.integer(0)), reason: reason,
                    time: Timestamp(nanoseconds: statement.integer(2)),
                    keys: keys.compactMap { value in
                        guard case .data(let bytes) = value else { return nil }
                        return ValueKey(unchecked: bytes)
                    }))
        }
        return events
    }

    /// A number that changes whenever another process has changed the file.
    func dataVersion() throws(Failure) -> Int64 {
        let statement = try cache.statement("PRAGMA data_version")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
