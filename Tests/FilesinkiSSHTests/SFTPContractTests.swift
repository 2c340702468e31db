import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSSH
import FilesinkiTesting
import Foundation
import Testing

@Suite struct SFTPContractTests {
    @Test(
        "sftp-server honours the remote contract",
        .enabled(if: SFTPHost.program != nil, "openssh-sftp-server is not installed"),
        arguments: RemoteContract.all)
    func program(_ contract: RemoteContract) async throws {
        let host = try SFTPHost()
        try await contract.check(host.connect(), host.connect(), host.connect())
    }

    @Test(
        "a real sshd honours the remote contract",
        .enabled(if: RealServer.sshd.isInstalled, "openssh-server is not installed"),
        arguments: RemoteContract.all)
    func server(_ contract: RemoteContract) async throws {
        let host = try await SFTPHost(.sshd)
        try await contract.check(host.connect(), host.connect(), host.connect())
    }

    @Test(
        "one store, as a folder and over ssh, honours the contract",
        .enabled(if: SFTPHost.program != nil, "openssh-sftp-server is not installed"),
        arguments: RemoteContract.all)
    func both(_ contract: RemoteContract) async throws {
        let host = try SFTPHost()
        try await contract.check(host.connect(), DirectoryRemote(path: host.path), host.connect())
    }

    @Test(
        "of 32 writers over 8 connections exactly one fills a slot",
        .enabled(if: RealServer.sshd.isInstalled, "openssh-server is not installed"))
    func race() async throws {
        let host = try await SFTPHost(.sshd)
        let connections = (0..<8).map { _ in host.connect() }
        for round in 1...4 {
            let slot = try key("log/\(round)/c")
            let outcomes = try await mapConcurrently(Array(0..<32), limit: 32) { writer in
                let content = [UInt8](repeating: UInt8(writer), count: 2000 + writer)
                return try await connections[writer % 8].publish(content, to: slot)
            }
            let stored = try await connections[0].get(slot, range: nil)
            #expect(outcomes.filter { $0 == .mine }.count == 1)
            let winner = try #require(outcomes.firstIndex(of: .mine))
            #expect(stored == [UInt8](repeating: UInt8(winner), count: 2000 + winner))
            for case .theirs(let bytes) in outcomes { #expect(bytes == stored) }
        }
        // The losers have removed what they had staged.
        let names = FileManager.default.enumerator(atPath: host.path)?.compactMap { $0 as? String }
        #expect(names?.filter { $0.contains(".t-") } == [])
    }

    @Test(
        "a large object is read and written in many pieces at once",
        .enabled(if: RealServer.sshd.isInstalled, "openssh-server is not installed"))
    func large() async throws {
        let host = try await SFTPHost(.sshd)
        let remote = host.connect()
        let content = noise(20_000_003)
        try await remote.put(content, to: key("packs/a"))
        let found = try #require(try await remote.get(key("packs/a"), range: nil))
        #expect(compare(found, content) == 0)
        let range: Range<Int64> = 1_000_001..<9_000_002
        let part = try #require(try await remote.get(key("packs/a"), range: range))
        #expect(compare(part[...], content[1_000_001..<9_000_002]) == 0)
    }
}
