import Glibc
import Synchronization

/// How many connections there are from each address; of IPv6 from each network of 64 bits, for one
/// machine may use all addresses of it.
final class ConnectionCensus: Sendable {
    private let counts = Mutex(OwnerCounts())
    private let limit: Int

    /// - Parameter limit: The most from one address.
    init(limit: Int) { self.limit = limit }

    /// Counts a connection; false when there are too many from its address.
    func admit(_ address: String) -> Bool {
        counts.withLock { $0.admit(Self.share(of: address), limit: limit) }
    }

    /// The connection of this address is gone.
    func leave(_ address: String) {
        counts.withLock { $0.leave(Self.share(of: address)) }
    }

    /// What counts as one: the address, or the network of an IPv6 address.
    static func share(of address: String) -> String {
        var bytes = in6_addr()
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
        let network = withUnsafeBytes(of: bytes) { Array($0.prefix(8)) }
        // Addresses of IPv4 that an IPv6 socket reports (::ffff:1.2.3.4) share no network.
        return network.allSatisfy { $0 == 0 } ? address : "\(network)"
    }
}
