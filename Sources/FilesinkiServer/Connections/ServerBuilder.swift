import HummingbirdCore
import HummingbirdTLS
import NIOCore
import NIOSSL

/// Puts together how a connection is handled: counted, decrypted, watched, and read as HTTP.
struct ServerBuilder {
    let limits: ServerLimits
    /// Nil for no encryption.
    let tls: TLSConfiguration?
    /// A clock that only goes forward.
    let clock: @Sendable () -> Duration

    func build() -> HTTPServerBuilder {
        let limits = limits
        let census = ConnectionCensus(limit: limits.connectionsPerAddress)
        let tls = tls
        let clock = clock
        return HTTPServerBuilder { responder in
            let http = HTTP1Channel(
                responder: responder,
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [ConnectionGuard(limits, clock)],
                    idleTimeout: TimeAmount(limits.idleTime),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: limits.headerBytes,
                        maxHeaderListSize: limits.headerBytes,
                        maxHeaderFieldCount: limits.headerLines)))
            let strict = StrictChannel(base: http)
            guard let tls else { return CountedChannel(base: strict, census: census) }
            return CountedChannel(
                base: try TLSChannel(strict, tlsConfiguration: tls), census: census)
        }
    }
}
