import FilesinkiCommands
import FilesinkiModel
import Testing

@Suite("status, when the remote that stopped a run was left")
struct LeftRemoteTests {
    @Test(
        "a device that was stopped at the old store says nothing of that when it has followed")
    func stoppedThere() async throws {
        let world = try await ReplicaTests.pair()
        try await world.expect("remote set other --migrate --root a")
        try world.write("late", to: "b/late")
        try await world.expect("sync b", .notAllowed)
        try await world.expect("remote set other --root b")
        let status = try await world.expect("status b").text
        #expect(!status.contains("did not complete"), "\(status)")
        #expect(status.contains("late"), "\(status)")
        #expect(try await world.expect("status b --short").lines == ["1 pending"])
        try await world.expect("sync b")
    }
}
