import FilesinkiTesting
import Glibc
import Testing

/// The helper that starts servers, and leaves nothing behind.
@Suite(.enabled(if: RealServer.lighttpd.isInstalled, "lighttpd is not installed"))
struct RealServerTests {
    @Test func `a server accepts until it is stopped, and then nothing of it is left`() async throws
    {
        let server = try await RealServer.lighttpdOfFour.start()
        let port = try #require(server.address.split(separator: ":").last.flatMap { UInt16($0) })
        #expect(accepts(port))
        #expect(access(server.folder, F_OK) == 0)
        await server.stop()
        #expect(!accepts(port))
        #expect(access(server.folder, F_OK) != 0)
    }

    @Test func `two servers of one kind share nothing`() async throws {
        let first = try await RealServer.lighttpd.start()
        let second = try await RealServer.lighttpd.start()
        #expect(first.address != second.address)
        #expect(first.folder != second.folder)
        await first.stop()
        #expect(
            try await RealServer.lighttpd.sharedAddress() == RealServer.lighttpd.sharedAddress())
    }

    @Test func `a missing script is not installed, and the server reports why it does not start`()
        async throws
    {
        let none = RealServer("none", script: "none")
        #expect(!none.isInstalled)
        await #expect(throws: ServerError.self) { try await none.start() }
    }

    private func accepts(_ port: UInt16) -> Bool {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
