import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Foundation
import Glibc
import Testing

@testable import FilesinkiNetwork

@Suite(.enabled(if: RemoteKind.hasRclone, "rclone is not installed"))
struct RcloneContractTests {
    @Test("two rclones of one folder honour the remote contract", arguments: RemoteContract.all)
    func contract(_ contract: RemoteContract) async throws {
        let place = try RclonePlace()
        let remotes = try await place.remotes(place.disk, count: 2)
        try await contract.check(remotes[0], remotes[1])
    }

    /// Each of them starts rclone several times: they run where all remotes are asked for.
    static let isThorough = getenv("FILESINKI_REMOTES").map { String(cString: $0) } == "all"

    @Test(
        "they do through crypt, too, and one does for one device at a provider that moves nothing",
        .enabled(if: isThorough, "only with FILESINKI_REMOTES=all"), arguments: RemoteContract.all,
        ["secret:store", "memory:store"])
    func others(_ contract: RemoteContract, _ target: String) async throws {
        let place = try RclonePlace()
        let remotes = try await place.remotes(target, writer: "a", count: 2)
        try await contract.check(remotes[0], remotes[1])
    }

    @Test(
        "only the folders of this machine move for one winner",
        arguments: [
            ("disk:/tmp", true), ("other:", true), ("secret:", true), ("memory:", false),
            ("outer:", false),
        ])
    func exclusive(_ target: String, _ isExclusive: Bool) async throws {
        let place = try RclonePlace()
        let backend = RcloneBackend(command: try place.command(target))
        #expect(try await backend.movesExclusively() == isExclusive)
    }

    /// The guarantees that a check of the remote finds broken, and the first detail.
    private func check(_ target: String, writer: String?) async throws -> (
        broken: [String], detail: String, alternative: String
    ) {
        let place = try RclonePlace()
        // Each rclone has a memory of its own.
        let shared = target.hasPrefix("memory:") ? try place.remote(target, writer: writer) : nil
        let probe = SlotProbe(
            systemContext: ManualClock().systemContext, writers: 6, rounds: 2
        ) { try shared ?? place.remote(target == "disk" ? place.disk : target, writer: writer) }
        let report = try await probe.testRemote()
        return (
            report.checks.filter { !$0.holds }.map(\.name), report.checks.first?.detail ?? "",
            report.alternative
        )
    }

    /// rclone writes what it has of a cut upload after the upload is deleted.
    @Test func `nothing of a check stays in the folder`() async throws {
        let place = try RclonePlace()
        let probe = SlotProbe(
            systemContext: ManualClock().systemContext, writers: 2, rounds: 1
        ) { try place.remote(place.disk) }
        #expect(try await probe.testRemote().isFit)
        let left = FileManager.default.enumerator(atPath: place.folder.path("store"))
        #expect(left?.allObjects.map { "\($0)" } == ["probe"])
    }

    @Test func `a check says whether several devices can share the place`() async throws {
        #expect(try await check("disk", writer: nil).broken.isEmpty)
        #expect(try await check("secret:x", writer: nil).broken.isEmpty)
        let broken = try await check("memory:x", writer: nil)
        #expect(broken.broken == ["writers"])
        #expect(broken.detail.contains("'memory'"))
        #expect(broken.alternative.contains("--single-writer"))
        let alone = try await check("memory:x", writer: "a")
        #expect(alone.broken.isEmpty, "\(alone)")
        #expect(alone.detail.contains("--single-writer"))
    }
}
