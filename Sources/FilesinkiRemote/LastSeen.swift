import Synchronization

/// What was seen last below each prefix that was waited for, so that what came between two waits ends
/// the second at once; for remotes that have to look.
package final class LastSeen<Sight: Sendable>: Sendable {
    private let sights = Mutex<[String: Sight]>([:])

    /// How many prefixes are remembered at most: a log has one.
    private static var maximum: Int { 64 }

    package init() {}

    package subscript(prefix: String) -> Sight? { sights.withLock { $0[prefix] } }

    /// Remembers a sight.
    ///
    /// - Returns: The one before it; nil of the first.
    @discardableResult
    package func replace(_ prefix: String, by sight: Sight) -> Sight? {
        sights.withLock { sights in
            if sights.count >= Self.maximum, sights[prefix] == nil { sights = [:] }
            return sights.updateValue(sight, forKey: prefix)
        }
    }
}
