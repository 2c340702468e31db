import Synchronization

/// Bounds the requests of one token or address that are under way, so that clients which send or read
/// slowly keep nobody else out.
final class RequestShares: Sendable {
    private let counts = Mutex(OwnerCounts())
    private let limit: Int

    /// - Parameter limit: The most of one owner.
    init(limit: Int) { self.limit = limit }

    /// Counts a request until what is returned is released.
    ///
    /// - Throws: ``RequestError`` with 429 when the owner has too many.
    func enter(_ owner: String) throws(RequestError) -> RequestShare {
        guard counts.withLock({ $0.admit(owner, limit: limit) }) else { throw .tooMuch }
        return RequestShare { [self] in counts.withLock { $0.leave(owner) } }
    }
}

/// One request's part of a share. A reply holds it, whether or not its body is ever written.
final class RequestShare: Sendable {
    private let leave: @Sendable () -> Void

    fileprivate init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }

    deinit { leave() }
}
