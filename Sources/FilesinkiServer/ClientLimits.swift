import Glibc
import Hummingbird
import NIOCore
import Synchronization

/// A count for each owner: a token, or an address without a token.
struct OwnerCounts: Sendable {
    private var counts: [String: Int] = [:]

    /// Adds one; false if the owner has `limit` already.
    mutating func increment(_ owner: String, limit: Int) -> Bool {
        guard counts[owner, default: 0] < limit else { return false }
        counts[owner, default: 0] += 1
        return true
    }

    /// Subtracts one.
    mutating func decrement(_ owner: String) {
        let left = counts[owner, default: 1] - 1
        counts[owner] = left == 0 ? nil : left
    }
}

/// Limits the concurrent requests of one token or address, so that slow clients do not block others.
final class RequestLimiter: Sendable {
    private let counts = Mutex(OwnerCounts())
    private let limit: Int

    /// - Parameter limit: The most requests of one owner.
    init(limit: Int) { self.limit = limit }

    /// Counts a request until the result is released.
    ///
    /// - Throws: ``RequestError`` with 429 when the owner has too many.
    func beginRequest(_ owner: String) throws(RequestError) -> RequestPermit {
        guard counts.withLock({ $0.increment(owner, limit: limit) }) else { throw .tooMuch }
        return RequestPermit { [self] in counts.withLock { $0.decrement(owner) } }
    }
}

/// One counted request. A reply retains it until its body is written or dropped.
final class RequestPermit: Sendable {
    private let release: @Sendable () -> Void

    fileprivate init(_ release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}

/// Counts the connections from each address. IPv6 addresses are counted by their /64 network, because one
/// machine may use all addresses of it.
final class ConnectionCounter: Sendable {
    private let counts = Mutex(OwnerCounts())
    private let limit: Int

    /// - Parameter limit: The most connections from one address.
    init(limit: Int) { self.limit = limit }

    /// Counts a connection; false if there are too many from its address.
    func increment(_ address: String) -> Bool {
        counts.withLock { $0.increment(Self.owner(of: address), limit: limit) }
    }

    /// Uncounts a closed connection.
    func decrement(_ address: String) {
        counts.withLock { $0.decrement(Self.owner(of: address)) }
    }

    /// The address, or the network of an IPv6 address.
    static func owner(of address: String) -> String {
        var bytes = in6_addr()
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
        let network = withUnsafeBytes(of: bytes) { Array($0.prefix(8)) }
        // IPv4 addresses reported by an IPv6 socket (::ffff:1.2.3.4) are counted one by one.
        return network.allSatisfy { $0 == 0 } ? address : "\(network)"
    }
}

/// Enforces a minimum rate at which a client sends a body or reads a reply.
///
/// Only the time spent waiting for the client counts. The client has a time budget: waiting uses it up, and
/// each byte adds to it.
struct ClientPace {
    /// In bytes per second.
    private let rate: Int
    private let maximum: Duration
    private var left: Duration

    init(_ limits: ServerLimits) {
        rate = max(1, limits.bodyRate)
        maximum = limits.bodyTime
        left = limits.bodyTime
    }

    /// Counts bytes that the client sent or read.
    ///
    /// - Parameter waited: How long the server waited for it.
    /// - Returns: Whether the client is fast enough.
    mutating func count(_ bytes: Int, waited: Duration) -> Bool {
        left -= waited
        left += .seconds(1) * bytes / rate
        left = min(left, maximum)
        return left >= .zero
    }
}

/// Reads the body of a request in pieces, and enforces the minimum rate.
///
/// Only the time spent waiting for the client counts, not that of the server's disk.
struct PacedBody {
    private var pieces: RequestBody.AsyncIterator
    private let clock: @Sendable () -> Duration
    private var pace: ClientPace

    init(_ body: RequestBody, _ limits: ServerLimits, _ clock: @escaping @Sendable () -> Duration) {
        pieces = body.makeAsyncIterator()
        self.clock = clock
        pace = ClientPace(limits)
    }

    /// The next piece; nil at the end.
    ///
    /// - Throws: ``RequestError`` with 408 when the body arrives too slowly.
    mutating func next() async throws -> ByteBuffer? {
        let begun = clock()
        guard let piece = try await pieces.next() else { return nil }
        guard pace.count(piece.readableBytes, waited: clock() - begun) else {
            throw RequestError.tooSlow
        }
        return piece
    }

    /// The whole body, of up to `limit` bytes.
    ///
    /// - Throws: ``RequestError``: 413 for a larger one, 408 when it arrives too slowly.
    mutating func collect(upTo limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await next() {
            guard bytes.count + piece.readableBytes <= limit else { throw RequestError.tooLarge }
            bytes.append(contentsOf: piece.readableBytesView)
        }
        return bytes
    }
}
