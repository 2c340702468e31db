/// A key with what is here and what was last agreed on.
struct Item: Sendable {
    var key: ValueKey
    /// What is here.
    var here: Register
    /// What here and the store last agreed on.
    var base: Register
    /// The commit that set ``base``; 0 when the store never had the key.
    var version: UInt64

    /// Whether what is here waits to be published.
    var isPending: Bool { !here.says(base) }

    static func new(_ key: ValueKey) -> Item {
        Item(key: key, here: .absent, base: .absent, version: 0)
    }
}
