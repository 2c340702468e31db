internal import FilesinkiModel

/// Why a key-value store could not do something.
public struct KeyValueError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. A struct, so that a new kind breaks nobody.
    public struct Kind: Hashable, Sendable {
        let name: String

        /// A limit would be broken; nothing was changed.
        public static let quota = Kind(name: "limit")
        /// A key is empty or too long, or a value is none that a key can hold.
        public static let invalid = Kind(name: "usage")
        /// The remote cannot be reached; what was set is kept.
        public static let away = Kind(name: "away")
        /// Another store is there than the one that was known.
        public static let account = Kind(name: "wrong-store")
        /// Anything else.
        public static let other = Kind(name: "other")
    }

    /// What programs act on.
    public let kind: Kind
    /// What happened, and what to do, in plain words.
    public let description: String

    init(_ error: any Error) {
        let failure = error as? Failure
        let known: [Kind] = [.quota, .invalid, .away, .account]
        kind = known.first { $0.name == failure?.code.description } ?? .other
        description = failure?.description ?? "\(error)"
    }
}
