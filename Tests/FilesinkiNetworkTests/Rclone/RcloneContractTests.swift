import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiNetwork

@Suite(.enabled(if: RemoteKind.hasRclone, "rclone is not installed"))
struct RcloneContractTests {
    /// To start an rclone takes longer than to empty a store: two of them, or the one of a single device, check
    /// all guarantees.
    @Test(
        "two rclones of one folder honour the remote contract, also through crypt, and one does elsewhere",
        arguments: ["disk", "secret:store", "memory:store"])
    func contract(_ target: String) async throws {
        let place = try RclonePlace()
        let writer = target.hasPrefix("memory:") ? "a" : nil
        let remotes = try await place.remotes(
            target == "disk" ? place.disk : target, writer: writer, count: 2)
        for contract in RemoteContract.all {
            do { try await contract.check(remotes[0], remotes[1]) } catch {
                Issue.record("\(contract): \(error)")
            }
            try await empty(remotes[0])
        }
    }

    private func empty(_ remote: any Remote) async throws {
        for object in try await remote.list(prefix: "", after: nil, limit: 1000) {
            try await remote.delete(object.key)
        }
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
