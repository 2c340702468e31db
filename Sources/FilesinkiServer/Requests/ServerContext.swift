import Hummingbird
import Logging
import NIOCore

/// What is known of a request beyond its bytes: the connection that it came by.
struct ServerContext: InitializableFromSource {
    /// Nil in tests without a network.
    let channel: (any Channel)?

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
    }

    /// The client's address, without its port.
    var address: String { channel?.remoteAddress?.ipAddress ?? "-" }

    /// Closes the connection without another word.
    func hangUp() { channel?.close(mode: .all, promise: nil) }
}
