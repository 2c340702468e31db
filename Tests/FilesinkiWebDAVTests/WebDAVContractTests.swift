import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import FilesinkiWebDAV
import Testing

@Suite struct WebDAVContractTests {
    @Test(
        "a real server honours the remote contract",
        .enabled(if: !installed.isEmpty, "no WebDAV server is installed"),
        arguments: installed, RemoteContract.all)
    func contract(_ server: RealServer, _ contract: RemoteContract) async throws {
        let store = try await RealStore(server)
        try await contract.check(store.connect(), store.connect(), store.connect())
    }
}

/// The servers that are on this machine.
let installed = RealServer.webDAV.filter(\.isInstalled)

/// An empty store on a real server.
struct RealStore: Sendable {
    let address: WebAddress

    init(_ server: RealServer) async throws {
        var random = SystemRandomNumberGenerator()
        let name = String(random.next(), radix: 16)
        address = try WebAddress(
            await server.sharedAddress() + "/" + name, schemes: ["http": false])
    }

    /// One more way to it, with connections of its own. As in the product, what fails in passing is
    /// tried again: a server may close a connection that has just been idle at any time.
    func connect() throws -> RetryingRemote {
        let systemContext = ManualClock().systemContext
        let remote = WebDAVRemote(
            address: address, transport: try HTTPConnections(),
            credentials: .password(user: RealServer.user, Secret(RealServer.password)),
            systemContext: systemContext)
        return RetryingRemote(remote, systemContext: systemContext)
    }
}
