import FilesinkiProtocol
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Watches the manners of one connection, and gives every reply its version.
///
/// * Headers have to be there in time, however slowly they drip.
/// * Replies have to be taken: when nothing could be written for a while, or less than the minimum rate
///   over a longer time, the connection is closed.
/// * A reply that comes before its request was read to the end, as when it is refused for its size, ends
///   the connection: what the client still sends is thrown away for a while, so that it gets to read the
///   reply, and then the connection is closed.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let headerTime: TimeAmount
    private let idleTime: TimeAmount
    private let clock: @Sendable () -> Duration
    /// How fast the client takes what is written.
    private var pace: ClientPace
    /// Since when a write has been waiting for the client.
    private var waitingSince: Duration?
    private var deadline: Scheduled<Void>?
    private var stalled: Scheduled<Void>?
    /// Writes that the client has not taken yet.
    private var waiting = 0
    private var isReading = false
    private var isClosing = false

    /// What is written at once, in bytes: a client at the minimum rate takes it in the idle time.
    private static let piece = 32 << 10

    /// - Parameter clock: A clock that only goes forward.
    init(_ limits: ServerLimits, _ clock: @escaping @Sendable () -> Duration) {
        self.clock = clock
        pace = ClientPace(limits)
        headerTime = TimeAmount(limits.headerTime)
        idleTime = TimeAmount(limits.idleTime)
    }

    func handlerAdded(context: ChannelHandlerContext) { expectHead(context, headerTime) }

    func handlerRemoved(context: ChannelHandlerContext) { forget() }

    func channelInactive(context: ChannelHandlerContext) {
        forget()
        context.fireChannelInactive()
    }

    private func forget() {
        deadline?.cancel()
        stalled?.cancel()
    }

    private func expectHead(_ context: ChannelHandlerContext, _ time: TimeAmount) {
        deadline?.cancel()
        deadline = close(context, in: time)
    }

    /// Closes the connection when the time is over.
    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
        let channel = context.channel
        return context.eventLoop.scheduleTask(in: time) { channel.close(mode: .all, promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // What comes after a reply that ended the connection is nobody's.
        if isClosing { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            deadline?.cancel()
            deadline = nil
            isReading = true
            if head.headerFields[.expect]?.lowercased() == "100-continue" {
                let goOn = HTTPResponsePart.head(HTTPResponse(status: .continue))
                context.writeAndFlush(wrapOutboundOut(goOn), promise: nil)
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
            while buffer.readableBytes > Self.piece,
                let piece = buffer.readSlice(length: Self.piece)
            {
                write(context, .body(piece), bytes: Self.piece, nil)
            }
            write(context, .body(buffer), bytes: buffer.readableBytes, promise)
        case .end:
            context.write(data, promise: watched(context, bytes: 0, promise))
            end(context)
        }
    }

    private func write(
        _ context: ChannelHandlerContext, _ part: HTTPResponsePart, bytes: Int = 0,
        _ promise: EventLoopPromise<Void>?
    ) {
        context.write(wrapOutboundOut(part), promise: watched(context, bytes: bytes, promise))
    }

    private func end(_ context: ChannelHandlerContext) {
        expectHead(context, idleTime)
        guard isReading else { return }
        isClosing = true
        context.flush()
        context.close(mode: .output, promise: nil)
        // Time for the client to read the reply: closing at once could take it away from it.
        expectHead(context, min(idleTime, .seconds(2)))
    }

    /// Closes the connection when a write takes too long, or writes are taken too slowly.
    private func watched(
        _ context: ChannelHandlerContext, bytes: Int, _ promise: EventLoopPromise<Void>?
    ) -> EventLoopPromise<Void> {
        let promise = promise ?? context.eventLoop.makePromise()
        waiting += 1
        if stalled == nil { stalled = close(context, in: idleTime) }
        if waitingSince == nil { waitingSince = clock() }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            let (guardian, context) = bound.value
            guardian.written(bytes, context)
        }
        return promise
    }

    private func written(_ bytes: Int, _ context: ChannelHandlerContext) {
        waiting -= 1
        stalled?.cancel()
        stalled = nil
        let now = clock()
        let isFastEnough = pace.count(bytes, waited: now - (waitingSince ?? now))
        waitingSince = waiting > 0 ? now : nil
        guard context.channel.isActive else { return }
        if !isFastEnough {
            context.channel.close(mode: .all, promise: nil)
        } else if waiting > 0 {
            stalled = close(context, in: idleTime)
        }
    }
}
