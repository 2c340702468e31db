import FilesinkiRemote
import FilesinkiTesting
import Testing

/// Wrappers must not weaken any guarantee.
@Suite struct WrapperContractTests {
    @Test("a faulty remote without faults honours the contract", arguments: RemoteContract.all)
    func faulty(_ contract: RemoteContract) async throws {
        try await contract.check(FaultyRemote(MemoryRemote()))
    }

    @Test("retrying and counting honour the contract", arguments: RemoteContract.all)
    func retrying(_ contract: RemoteContract) async throws {
        let remote = CountingRemote(MemoryRemote())
        let systemContext = ManualClock().systemContext
        try await contract.check(
            RetryingRemote(remote, systemContext: systemContext),
            RetryingRemote(remote, systemContext: systemContext))
    }

    @Test(
        "retrying makes a remote that loses requests and answers honour the contract",
        arguments: RemoteContract.all.filter { !$0.description.hasPrefix("wait") })
    func retryingFaulty(_ contract: RemoteContract) async throws {
        let faulty = FaultyRemote(MemoryRemote(), rates: .init(before: 0.1, after: 0.1), seed: 7)
        let retrying = RetryingRemote(
            faulty, systemContext: ManualClock().systemContext, tries: 20)
        try await contract.check(retrying, retrying)
    }
}
