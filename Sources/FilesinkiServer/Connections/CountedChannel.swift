import HummingbirdCore
import Logging
import NIOCore

/// Refuses connections of an address that has too many, before anything is spent on them.
struct CountedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let census: ConnectionCensus

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        let address = channel.remoteAddress?.ipAddress ?? "-"
        guard census.admit(address) else {
            channel.close(mode: .all, promise: nil)
            return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        let census = census
        channel.closeFuture.whenComplete { _ in census.leave(address) }
        return base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
