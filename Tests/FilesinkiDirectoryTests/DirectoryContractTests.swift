import FilesinkiDirectory
import FilesinkiRemote
import FilesinkiTesting
import Testing

@Suite struct DirectoryContractTests {
    @Test("honours the remote contract", arguments: RemoteContract.all)
    func contract(_ contract: RemoteContract) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        try await contract.check(DirectoryRemote(path: path), DirectoryRemote(path: path))
        withExtendedLifetime(folder) {}
    }
}
