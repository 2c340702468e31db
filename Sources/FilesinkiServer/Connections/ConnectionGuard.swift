import FilesinkiProtocol
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Watches the manners of one connection, and gives every reply its version.
///
/// * Headers have to be there in time, however slowly they drip.
/// * A reply has to be taken: when nothing of it could be written for a while, the connection is closed.
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
    private var deadline: Scheduled<Void>?
    private var stalled: Scheduled<Void>?
    /// Writes that the client has not taken yet.
    private var waiting = 0
    private var isReading = false
    private var isClosing = false

    init(_ limits: ServerLimits) {
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
        let promise = promise ?? context.eventLoop.makePromise()
        watch(context, promise.futureResult)
        switch unwrapOutboundIn(data) {
        case .head(var head):
            head.headerFields[.protocolVersion] = WireHeaders.versionValue
            if isReading, head.status.kind != .informational {
                head.headerFields[.connection] = "close"
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            context.write(data, promise: promise)
            end(context)
        }
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

    /// Closes the connection when a write takes too long.
    private func watch(_ context: ChannelHandlerContext, _ written: EventLoopFuture<Void>) {
        waiting += 1
        if stalled == nil { stalled = close(context, in: idleTime) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        written.whenComplete { _ in
            let (guardian, context) = bound.value
            guardian.waiting -= 1
            guardian.stalled?.cancel()
            guardian.stalled =
                guardian.waiting > 0 && context.channel.isActive
                ? guardian.close(context, in: guardian.idleTime) : nil
        }
    }
}
