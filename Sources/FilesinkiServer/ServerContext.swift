import FilesinkiProtocol
import Hummingbird
import NIOCore

/// The connection of a request.
struct ServerContext: InitializableFromSource {
    /// Nil in tests without a network, and for a client of the standard streams.
    let channel: (any Channel)?
    /// Nil for a client over a network.
    let exchange: StreamExchange?

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        exchange = nil
    }

    init(_ exchange: StreamExchange) {
        channel = nil
        self.exchange = exchange
    }

    /// The client's address, without its port.
    var address: String { channel?.remoteAddress?.ipAddress ?? "-" }

    /// Closes the connection without a reply.
    func closeConnection() {
        channel?.close(mode: .all, promise: nil)
        exchange?.closeConnection()
    }

    /// Calls `body` when the client is gone.
    func whenClosed(_ body: @escaping @Sendable () -> Void) {
        channel?.closeFuture.whenComplete { _ in body() }
        exchange?.whenCut(body)
    }

    /// Waits until the event loop has processed what was written so far.
    func catchUp() async throws { try await channel?.eventLoop.submit {}.get() }
}
