import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel

/// What changed in a key-value store, and why.
public struct KeyValueStoreChange: Sendable, Hashable {
    /// Why values changed.
    public enum Reason: String, Sendable {
        /// Another device's change arrived.
        case serverChange = "server"
        /// The first exchange with the store.
        case initialSyncChange = "initial"
        /// A limit was exceeded: by a change, which was refused, or by a merge.
        case quotaViolationChange = "quota"
        /// Another store replaced the known one.
        case accountChange = "account"
        /// A program on this device made the change.
        case localChange = "local"
    }

    /// Why the values changed.
    public let reason: Reason
    /// The keys; those that are not UTF-8 are left out.
    public let keys: [String]
    /// The position behind this change, also for another process: see ``KeyValueStore/changes(since:)``.
    public let token: String

    init?(_ event: ValueEvent) {
        guard let reason = Reason(rawValue: event.reason.rawValue) else { return nil }
        self.reason = reason
        keys = event.keys.compactMap { String(validating: $0.bytes, as: UTF8.self) }
        token = event.token.description
    }
}

/// An error of a key-value store.
public struct KeyValueError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. A struct, so that new kinds do not break programs.
    public struct Kind: Hashable, Sendable {
        let name: String

        /// A limit would be exceeded; nothing was changed.
        public static let quota = Kind(name: "limit")
        /// A key is empty or too long, or a key cannot hold the value.
        public static let invalid = Kind(name: "usage")
        /// The remote cannot be reached; what was set is kept.
        public static let away = Kind(name: "away")
        /// The remote has another store than the known one.
        public static let account = Kind(name: "wrong-store")
        /// Any other error.
        public static let other = Kind(name: "other")
    }

    /// The kind, for programs.
    public let kind: Kind
    /// What happened and what to do, for people.
    public let description: String

    init(_ error: any Error) {
        let failure = error as? Failure
        let known: [Kind] = [.quota, .invalid, .away, .account]
        kind = known.first { $0.name == failure?.code.description } ?? .other
        description = failure?.description ?? "\(error)"
    }
}
