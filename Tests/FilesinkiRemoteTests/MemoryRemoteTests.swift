import FilesinkiRemote
import FilesinkiTesting
import Testing

@Suite struct MemoryRemoteTests {
    @Test("honours the remote contract", arguments: RemoteContract.all)
    func contract(_ contract: RemoteContract) async throws {
        let remote = MemoryRemote()
        try await contract.check(remote, remote)
    }

    @Test func `wait ends when an object appears below the prefix`() async throws {
        let remote = MemoryRemote()
        let waiting = Task { try await remote.wait(prefix: "a/", timeout: .seconds(600)) }
        while !remote.isWaitedFor { await Task.yield() }
        try await remote.put([1], to: ObjectKey("b/1"))
        #expect(remote.isWaitedFor)
        try await remote.put([1], to: ObjectKey("a/1"))
        try await waiting.value
        #expect(!remote.isWaitedFor)
    }
}
