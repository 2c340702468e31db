package import FilesinkiModel

/// Why values changed.
package enum ChangeReason: String, Sendable, CaseIterable {
    /// Another device's change arrived.
    case server
    /// The first meeting with the store.
    case initial
    /// A limit was broken: by a change, which was refused, or by a merge.
    case quota
    /// Another store took the place of the one that was known.
    case account
    /// A program on this device made the change.
    case local
}

/// What changed here at one moment.
package struct ValueEvent: Hashable, Sendable {
    package var token: FeedToken
    package var reason: ChangeReason
    package var time: Timestamp
    package var keys: [ValueKey]
}

/// A place in the events of one key-value file: everything up to and with it was told.
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
