import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiTesting
import Foundation
import Glibc
import Testing

@testable import FilesinkiSSH

/// A real sshd with filesinki at the host.
@Suite(
    .enabled(if: RealServer.sshd.isInstalled, "openssh-server is not installed"),
    .enabled(if: SFTPHost.hasBoth, "filesinki-net is not built"))
struct StreamedContractTests {
    static let server = RealServer.sshd(with: BuiltProgram.network ?? "")

    @Test(
        "a real sshd with filesinki honours the remote contract", arguments: RemoteContract.all)
    func server(_ contract: RemoteContract) async throws {
        let host = try await SFTPHost(Self.server)
        try await contract.check(host.connectToAny(), host.connectToAny())
    }

    @Test(
        "one store by filesinki, by SFTP and as a folder honours the contract",
        arguments: RemoteContract.all)
    func mixed(_ contract: RemoteContract) async throws {
        let host = try SFTPHost(filesinki: SFTPHost.serving)
        try await contract.check(
            host.connectToAny(), host.connect(), DirectoryRemote(path: host.path))
    }

    @Test("sshd's filesinki is found, and only where there is one")
    func found() async throws {
        #expect(try await SFTPHost(Self.server).isFilesinki())
        #expect(try await !SFTPHost(.sshd).isFilesinki())
    }

    @Test(
        "of 32 writers over 8 connections exactly one fills a slot",
        arguments: ["filesinki", "filesinki and SFTP"])
    func race(_ kind: String) async throws {
        let host = try await SFTPHost(Self.server)
        let connections: [any Remote] = (0..<8).map { number -> any Remote in
            let isAny = kind == "filesinki" || number.isMultiple(of: 2)
            return isAny ? host.connectToAny() as any Remote : host.connect()
        }
        for round in 1...4 {
            let slot = try key("log/\(round)/c")
            let outcomes = try await mapConcurrently(Array(0..<32), limit: 32) { writer in
                let content = [UInt8](repeating: UInt8(writer), count: 2000 + writer)
                return try await connections[writer % 8].publish(content, to: slot)
            }
            #expect(outcomes.filter { $0 == .mine }.count == 1)
            let winner = try #require(outcomes.firstIndex(of: .mine))
            let stored = [UInt8](repeating: UInt8(winner), count: 2000 + winner)
            for connection in connections {
                #expect(try await connection.get(slot, range: nil) == stored)
            }
            for case .theirs(let bytes) in outcomes { #expect(bytes == stored) }
        }
        // The losers have removed what they had staged.
        let names = FileManager.default.enumerator(atPath: host.path)?.compactMap { $0 as? String }
        #expect(names?.filter { $0.contains(".t-") } == [])
    }

    @Test func `a large object is read and written in pieces`() async throws {
        let host = try await SFTPHost(Self.server)
        let (remote, other) = (host.connectToAny(), host.connect())
        let content = noise(20_000_003)
        try await remote.put(content, to: key("packs/aa/b"))
        for remote: any Remote in [other, remote] {
            let found = try #require(try await remote.get(key("packs/aa/b"), range: nil))
            #expect(compare(found, content) == 0)
        }
        let range: Range<Int64> = 1_000_001..<9_000_002
        let part = try #require(try await remote.get(key("packs/aa/b"), range: range))
        #expect(compare(part[...], content[1_000_001..<9_000_002]) == 0)
    }

    @Test("a forced command serves its own folder with its own rights, whatever is asked for")
    func forced() async throws {
        let options = """
            command="filesinki serve --stdio --create --rights read,append @FOLDER@/data/forced",restrict
            """
        let server = RealServer.sshd(with: BuiltProgram.network ?? "", keyOptions: options)
        let host = try await SFTPHost(server, name: "forced")
        // Neither this folder nor SFTP.
        let elsewhere = try SSHAddress(url: host.address.text.replacing("/forced", with: "/other"))
        for link in [
            SSHLink(host.address, host.command), SSHLink(elsewhere, host.command),
        ] {
            let remote = SSHRemote(link, systemContext: .ofMachine)
            _ = try await remote.publish([1], to: key("zones/m/log/1/c"))
            #expect(try await remote.get(key("zones/m/log/1/c"), range: nil) == [1])
            let failure = await #expect(throws: Failure.self) {
                try await remote.delete(key("zones/m/log/1/c"))
            }
            #expect(failure?.code == .notAllowed)
        }
        #expect(access(host.path + "/zones/m/log/1/c", F_OK) == 0)
        // One that noted that there is SFTP only.
        let folder = try TemporaryFolder()
        SSHNote(path: folder.path("ssh")).noteNoFilesinki(at: host.address)
        #expect(try await host.isFilesinki(note: folder.path("ssh")))
    }
}
