import FilesinkiDirectory
import FilesinkiProtocol
import FilesinkiRemote
import FilesinkiServer
import FilesinkiTesting
import Foundation
import Testing

/// Notices of change, as a watcher gets them.
@Suite struct EventTests {
    private func watch(_ server: TestServer, _ prefix: String) async throws -> RawConnection {
        let connection = try server.connect()
        await connection.send(TestServer.head("GET", WirePaths.events(prefix: prefix), keep: true))
        let begin = await connection.receive(until: "event: hello\ndata: 1\n\n")
        #expect(begin.contains("text/event-stream") && begin.contains("Filesinki-Protocol: 1"))
        return connection
    }

    @Test func `a change by the server is reported by its key`() async throws {
        try await withServer { server in
            let watcher = try await watch(server, "zones/m/log/")
            _ = try await server.put("other/1", [1])
            _ = try await server.put("zones/m/log/1/c", [1], publish: true)
            let text = await watcher.receive(until: "zones/m/log/1/c")
            #expect(text.contains("event: change\n"))
            #expect(text.contains("data: zones/m/log/1/c\n"))
            #expect(!text.contains("other/1"))
        }
    }

    @Test func `changes by others in the folder are reported, too`()
        async throws
    {
        try await withServer { server in
            let watcher = try await watch(server, "zones/m/log/")
            for number in 1...3 {
                _ = try await server.direct.publish([1], to: ObjectKey("zones/m/log/\(number)/c"))
                #expect(
                    await watcher.receive(until: "data: zones/m/log/\n\n").contains("event: change")
                )
            }
        }
    }

    /// `FILESINKI_WATCHERS=500` takes more of them, and says how long it took and what they cost.
    static let count = knob("FILESINKI_WATCHERS")

    @Test func `a change reaches every watcher, and each is counted`() async throws {
        let count = Self.count ?? 50
        try await withServer { server in
            _ = try await watch(server, "zones/m/log/")
            let before = Self.residentKilobytes
            var watchers: [RawConnection] = []
            for _ in 0..<count { watchers.append(try await watch(server, "zones/m/log/")) }
            let cost = (Self.residentKilobytes - before) / max(1, count)
            let text = try await server.ask("GET", "/metrics").text
            #expect(
                text.contains("filesinki_watchers \(count)\n")
                    || text.contains("filesinki_watchers \(count + 1)\n"))
            let begun = ContinuousClock().now
            _ = try await server.put("zones/m/log/1/c", [1], publish: true)
            for watcher in watchers {
                #expect(await watcher.receive(until: "1/c").contains("data: zones/m/log/1/c\n"))
            }
            guard Self.count != nil else { return }
            print(
                "\(count) watchers: notified in \(ContinuousClock().now - begun), \(cost) KB each")
        }
    }

    /// What this process has in memory, server and clients together.
    private static var residentKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    @Test func `a watcher that disconnects is forgotten`() async throws {
        try await withServer {
            $0.limits.heartbeat = .milliseconds(20)
        } _: { server in
            let watcher = try await watch(server, "")
            #expect(await watcher.receive(until: ": heartbeat\n\n").contains(": heartbeat"))
            watcher.breakOff()
            var text = ""
            for _ in 0..<10_000 where !text.contains("filesinki_watchers 0\n") {
                text = try await server.ask("GET", "/metrics").text
            }
            #expect(text.contains("filesinki_watchers 0\n"))
        }
    }

    @Test func `the number of watchers is limited`() async throws {
        try await withServer {
            $0.limits.watchersOfOne = 1
        } _: { server in
            let first = try await watch(server, "")
            let refused = try await server.ask("GET", "/v1/events")
            #expect(refused.status == 429)
            #expect(refused.fields["retry-after"] != nil)
            withExtendedLifetime(first) {}
        }
    }

    @Test func `a server that ends closes the streams, and finishes running requests`() async throws
    {
        let server = try await TestServer()
        let watcher = try await watch(server, "")
        let bytes = [UInt8](repeating: 5, count: 500_000)
        let upload = try server.connect()
        await upload.send(
            TestServer.head(
                "PUT", "/v1/objects/other/a", ["Content-Digest": TestServer.digest(bytes)],
                length: bytes.count))
        await upload.send(Array(bytes.prefix(300_000)))
        // It is under way once some of it is in the folder.
        while try await server.direct.usedBytes() == 0 { await Task.yield() }
        async let stopped: Void = server.server.stop()
        let end = String(decoding: await watcher.receiveAll(), as: UTF8.self)
        #expect(end.hasSuffix("0\r\n\r\n"), "\(end)")
        await upload.send(Array(bytes.dropFirst(300_000)))
        #expect(RawReply(await upload.receiveAll())?.status == 201)
        try await stopped
        #expect(throws: RawFailure.self) { try server.connect() }
        #expect(try await server.direct.get(ObjectKey("other/a"), range: nil) == bytes)
    }
}
