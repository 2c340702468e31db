internal import FilesinkiKeyValue

/// What changed in a key-value store, and why.
public struct KeyValueStoreChange: Sendable, Hashable {
    /// Why values changed.
    public enum Reason: String, Sendable {
        /// Another device's change arrived.
        case serverChange = "server"
        /// The first exchange with the store.
        case initialSyncChange = "initial"
        /// A limit was broken: by a change, which was refused, or by what devices hold together.
        case quotaViolationChange = "quota"
        /// Another store took the place of the one that was known.
        case accountChange = "account"
        /// A program on this device made the change.
        case localChange = "local"
    }

    /// Why they changed.
    public let reason: Reason
    /// The keys; those that are not UTF-8 are left out.
    public let keys: [String]
    /// Goes on behind this change, in another process too: see ``KeyValueStore/changes(since:)``.
    public let token: String

    init?(_ event: ValueEvent) {
        guard let reason = Reason(rawValue: event.reason.rawValue) else { return nil }
        self.reason = reason
        keys = event.keys.compactMap { String(validating: $0.bytes, as: UTF8.self) }
        token = event.token.description
    }
}
