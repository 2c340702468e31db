import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import FilesinkiWebDAV
import Synchronization
import Testing

/// A server that writes what it has of a cut upload after it was asked to delete it, as rclone does.
private final class LateDAV: HTTPTransport {
    let server = MemoryDAV()
    /// What of cut uploads arrived, by path.
    private let received = Mutex<[String: [UInt8]]>([:])
    private let written = Atomic(0)

    /// How many cut uploads were written after their deletion.
    var lateWrites: Int { written.load(ordering: .relaxed) }

    func send(_ request: HTTPRequest) async throws -> HTTPReply {
        let path = MemoryDAV.path(request.url)
        if let count = request.cutAfter {
            received.withLock { $0[path] = Array(request.body.prefix(count)) }
            throw Failure(.away, "The connection was cut.", remedy: "")
        }
        let reply = try await server.send(request)
        if request.method == "DELETE",
            let bytes = received.withLock({ $0.removeValue(forKey: path) })
        {
            server.place(bytes, at: path)
            written.add(1, ordering: .relaxed)
        }
        return reply
    }

    func stream(
        _ request: HTTPRequest, _ receive: @Sendable (HTTPReply) async throws -> Bool
    ) async throws { try await server.stream(request, receive) }
}

/// What the test of a server leaves there.
@Suite struct ProbeFolderTests {
    @Test func `nothing of a test stays, also where a cut upload is written after its deletion`()
        async throws
    {
        let late = LateDAV()
        let remote = WebDAVRemote(
            address: try WebAddress("http://localhost/dav", schemes: ["http": false]),
            transport: late, credentials: .none, systemContext: ManualClock().systemContext)
        late.server.place([1], at: "/dav/probe/other/packs/1")
        let probe = SlotProbe(
            systemContext: ManualClock().systemContext, writers: 2, rounds: 1
        ) { remote }
        let report = try await probe.testRemote()
        #expect(report.isFit, "\(report)")
        #expect(late.lateWrites == 6)
        // What another device tests meanwhile is left alone.
        #expect(
            late.server.paths == [
                "/", "/dav/", "/dav/probe/", "/dav/probe/other/", "/dav/probe/other/packs/",
                "/dav/probe/other/packs/1",
            ])
    }
}
