import FilesinkiServer
import FilesinkiServerRemote
import FilesinkiTesting
import Testing

@Suite struct ServerContractTests {
    @Test("honours the remote contract", arguments: RemoteContract.all)
    func plain(_ contract: RemoteContract) async throws {
        try await withServedFolder(ServedFolder()) { served in
            try await contract.check(served.remote(), served.remote(), served.remote())
        }
    }

    @Test("honours the remote contract behind TLS and a token", arguments: RemoteContract.all)
    func secret(_ contract: RemoteContract) async throws {
        try await withServedFolder(ServedFolder(isPrivate: true)) { served in
            try await contract.check(served.remote(), served.remote())
        }
    }
}
