import FilesinkiProtocol
import FilesinkiRemote
import FilesinkiTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import FilesinkiServer

/// The responder by itself, without a network.
@Suite struct ResponderTests {
    private func withClient(
        _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        var settings = ServerSettings(folder: folder.path("store"))
        settings.createsFolder = true
        let prepared = try PreparedServer(settings, TestClock().systemContext)
        try await prepared.application { _ in }.test(.router) { try await body($0) }
    }

    private func put(_ bytes: [UInt8]) -> HTTPFields {
        [.contentDigest: TestServer.digest(bytes), .contentLength: String(bytes.count)]
    }

    @Test func `an object is stored and read`() async throws {
        try await withClient { client in
            let uri = WirePaths.object(try ObjectKey("other/a"))
            let stored = try await client.execute(
                uri: uri, method: .put, headers: put([1, 2]), body: ByteBuffer(bytes: [1, 2]))
            #expect(stored.status == .created)
            let read = try await client.execute(uri: uri, method: .get)
            #expect(read.status == .ok && Array(read.body.readableBytesView) == [1, 2])
        }
    }

    @Test(
        "targets are parsed as documented",
        arguments: [
            ("/v1/objects/a/b", Route.object(try ObjectKey("a/b"))),
            ("/v1/list", .list(prefix: "", after: nil, limit: 10_000)),
            (
                "/v1/list?prefix=a/&after=a/b&limit=99999",
                .list(prefix: "a/", after: try ObjectKey("a/b"), limit: 10_000)
            ),
            ("/v1/log/main?from=7&limit=3", .log(zone: "main", from: 7, limit: 3)),
            ("/v1/events?prefix=zones%2Fm%2flog/", .events(prefix: "zones/m/log/")),
            ("/v1/read", .read), ("/v1/has?x=y", .has), ("/health", .health),
        ])
    func route(_ target: String, _ route: Route) throws {
        #expect(try Route(target) == route)
    }

    @Test func `an unknown method is counted as other`() async throws {
        try await withClient { client in
            for name in ["BREW", "GRIND"] {
                let method = try #require(HTTPRequest.Method(name))
                _ = try await client.execute(uri: "/health", method: method)
            }
            let text = String(buffer: try await client.execute(uri: "/metrics", method: .get).body)
            #expect(text.contains("filesinki_requests_total{method=\"other\",status=\"405\"} 2\n"))
        }
    }
}
