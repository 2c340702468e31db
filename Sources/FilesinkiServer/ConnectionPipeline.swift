import FilesinkiProtocol
import HTTPTypes
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL

/// Builds the channels of connections: counting, TLS, limits, and HTTP.
struct ConnectionPipeline {
    let limits: ServerLimits
    /// Nil without encryption.
    let tls: TLSConfiguration?
    /// A monotonic clock.
    let clock: @Sendable () -> Duration

    func build() -> HTTPServerBuilder {
        let limits = limits
        let counter = ConnectionCounter(limit: limits.connectionsPerAddress)
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
            guard let tls else { return CountedChannel(base: strict, counter: counter) }
            return CountedChannel(
                base: try TLSChannel(strict, tlsConfiguration: tls), counter: counter)
        }
    }
}

/// Rejects request targets that are not paths: Hummingbird would accept a whole address.
struct StrictChannel: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(TargetGuard(), position: .before(codec))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// Replaces a target that is not a path by an invalid one.
private final class TargetGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data),
            head.uri.utf8.first != UInt8(ascii: "/")
        else { return context.fireChannelRead(data) }
        head.uri = "*"
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

/// Closes connections from an address that has too many, before the TLS handshake.
struct CountedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let counter: ConnectionCounter

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        let address = channel.remoteAddress?.ipAddress ?? "-"
        guard counter.increment(address) else {
            channel.close(mode: .all, promise: nil)
            return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        let counter = counter
        channel.closeFuture.whenComplete { _ in counter.decrement(address) }
        return base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// Enforces the time limits of one connection, and adds the protocol version to every reply.
///
/// * The header of a request must arrive in time.
/// * Replies must be read: if nothing can be written for a while, or less than the minimum rate over a longer
///   time, the connection is closed.
/// * A reply sent before the request was read to its end, such as a rejection for its size, ends the
///   connection. What the client still sends is discarded for a while, so that it can read the reply; then
///   the connection is closed.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let headerTime: TimeAmount
    private let idleTime: TimeAmount
    private let clock: @Sendable () -> Duration
    /// The rate at which the client reads.
    private var pace: ClientPace
    /// The time since which a write has been waiting for the client.
    private var waitingSince: Duration?
    private var headTimer: Scheduled<Void>?
    private var writeTimer: Scheduled<Void>?
    /// The number of writes that the client has not read yet.
    private var pendingWrites = 0
    private var isReading = false
    private var isClosing = false

    /// The size of one write in bytes. A client at the minimum rate reads it within the idle time.
    private static let pieceSize = 32 << 10

    /// - Parameter clock: A clock that only goes forward.
    init(_ limits: ServerLimits, _ clock: @escaping @Sendable () -> Duration) {
        self.clock = clock
        pace = ClientPace(limits)
        headerTime = TimeAmount(limits.headerTime)
        idleTime = TimeAmount(limits.idleTime)
    }

    func handlerAdded(context: ChannelHandlerContext) { expectHead(context, headerTime) }

    func handlerRemoved(context: ChannelHandlerContext) { cancelTimers() }

    func channelInactive(context: ChannelHandlerContext) {
        cancelTimers()
        context.fireChannelInactive()
    }

    private func cancelTimers() {
        headTimer?.cancel()
        writeTimer?.cancel()
    }

    private func expectHead(_ context: ChannelHandlerContext, _ time: TimeAmount) {
        headTimer?.cancel()
        headTimer = close(context, in: time)
    }

    /// Closes the connection after a time.
    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
        let channel = context.channel
        return context.eventLoop.scheduleTask(in: time) { channel.close(mode: .all, promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Discarded after a reply that ends the connection.
        if isClosing { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            headTimer?.cancel()
            headTimer = nil
            isReading = true
            if head.headerFields[.expect]?.lowercased() == "100-continue" {
                let continueReply = HTTPResponsePart.head(HTTPResponse(status: .continue))
                context.writeAndFlush(wrapOutboundOut(continueReply), promise: nil)
            }
        case .body: break
        case .end: isReading = false
        }
        context.fireChannelRead(data)
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            head.headerFields[.protocolVersion] = WireHeaders.versionValue
            if isReading, head.status.kind != .informational {
                head.headerFields[.connection] = "close"
            }
            write(context, .head(head), promise)
        case .body(var buffer):
            while buffer.readableBytes > Self.pieceSize,
                let piece = buffer.readSlice(length: Self.pieceSize)
            {
                write(context, .body(piece), bytes: Self.pieceSize, nil)
            }
            write(context, .body(buffer), bytes: buffer.readableBytes, promise)
        case .end:
            context.write(data, promise: timedPromise(context, bytes: 0, promise))
            endReply(context)
        }
    }

    private func write(
        _ context: ChannelHandlerContext, _ part: HTTPResponsePart, bytes: Int = 0,
        _ promise: EventLoopPromise<Void>?
    ) {
        context.write(wrapOutboundOut(part), promise: timedPromise(context, bytes: bytes, promise))
    }

    private func endReply(_ context: ChannelHandlerContext) {
        expectHead(context, idleTime)
        guard isReading else { return }
        isClosing = true
        context.flush()
        context.close(mode: .output, promise: nil)
        // Leaves the client time to read the reply.
        expectHead(context, min(idleTime, .seconds(2)))
    }

    /// A promise for a write that closes the connection if the write takes too long, or the rate is too low.
    private func timedPromise(
        _ context: ChannelHandlerContext, bytes: Int, _ promise: EventLoopPromise<Void>?
    ) -> EventLoopPromise<Void> {
        let promise = promise ?? context.eventLoop.makePromise()
        pendingWrites += 1
        if writeTimer == nil { writeTimer = close(context, in: idleTime) }
        if waitingSince == nil { waitingSince = clock() }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            let (guardian, context) = bound.value
            guardian.writeCompleted(bytes, context)
        }
        return promise
    }

    private func writeCompleted(_ bytes: Int, _ context: ChannelHandlerContext) {
        pendingWrites -= 1
        writeTimer?.cancel()
        writeTimer = nil
        let now = clock()
        let isFastEnough = pace.count(bytes, waited: now - (waitingSince ?? now))
        waitingSince = pendingWrites > 0 ? now : nil
        guard context.channel.isActive else { return }
        if !isFastEnough {
            context.channel.close(mode: .all, promise: nil)
        } else if pendingWrites > 0 {
            writeTimer = close(context, in: idleTime)
        }
    }
}
