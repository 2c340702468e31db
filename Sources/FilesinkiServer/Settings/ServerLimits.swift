/// What a server holds its clients to.
package struct ServerLimits: Hashable, Sendable {
    /// The request line and all headers, in bytes.
    package var headerBytes = 16 << 10
    package var headerLines = 100
    /// Until the headers of the first request are there, and the handshake before them.
    package var headerTime: Duration = .seconds(10)
    /// Between two requests, and of silence inside one in either direction.
    package var idleTime: Duration = .seconds(30)
    package var connections = 4096
    package var connectionsPerAddress = 1024
    /// The largest object, in bytes.
    package var objectBytes: Int64 = 1 << 30
    /// The largest publication, in bytes.
    package var publicationBytes: Int64 = 64 << 20
    /// Uploads at once, for all and for one token or address.
    package var uploads = 64
    package var uploadsOfOne = 32
    /// Requests under way of one token or address, but for streams of notices.
    package var requestsOfOne = 1024
    /// The minimum rate of a request's body and of the replies of a connection, in bytes a second, and
    /// the time that is left besides.
    package var bodyRate = 1 << 10
    package var bodyTime: Duration = .seconds(30)
    /// Streams of notices at once, for all and for one token or address.
    package var watchers = 2048
    package var watchersOfOne = 1024
    /// Between two signs of life in a stream of notices.
    package var heartbeat: Duration = .seconds(10)
    /// How long a change waits for others to be told with it.
    package var coalescing: Duration = .milliseconds(20)
    /// After this time an upload that nobody continues is removed.
    package var uploadAge: Duration = .seconds(86_400)
    /// Between two looks for what was left behind, and two counts of what the folder holds.
    package var tidyingInterval: Duration = .seconds(600)

    package init() {}
}
