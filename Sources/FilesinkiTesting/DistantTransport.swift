package import FilesinkiHTTP
import FilesinkiModel

/// A server over HTTP at the far end of a link whose round trips are counted.
package struct DistantTransport: HTTPTransport {
    private let server: any HTTPTransport
    private let trips: RoundTrips

    package init(_ server: any HTTPTransport, _ trips: RoundTrips) {
        self.server = server
        self.trips = trips
    }

    package func send(_ request: HTTPRequest) async throws -> HTTPReply {
        await trips.pass()
        // A cut request is not served, and has no reply.
        if request.cutAfter != nil {
            throw Failure(.away, "The connection was cut.", remedy: "")
        }
        return try await server.send(request)
    }

    package func stream(
        _ request: HTTPRequest, _ receive: @Sendable (HTTPReply) async throws -> Bool
    ) async throws {
        await trips.pass()
        try await server.stream(request, receive)
    }
}
