import FilesinkiModel
import FilesinkiRemote
import FilesinkiSSH
import FilesinkiTesting
import Testing

@Suite(.enabled(if: SFTPHost.program != nil, "openssh-sftp-server is not installed"))
struct SFTPBandwidthTests {
    @Test func `objects take the time that the bandwidth allows, each way`() async throws {
        let (host, clock) = (try SFTPHost(), ManualClock())
        let remote = SSHRemotes(host.command, systemContext: clock.systemContext).connect(
            host.address,
            bandwidth: Bandwidth(
                sending: 100_000, receiving: 50_000, systemContext: clock.systemContext))
        let content = noise(500_000)
        try await remote.put(content, to: key("packs/aa/b"))
        let sent = clock.slept.reduce(.zero, +)
        #expect(sent >= .seconds(5))
        #expect(sent <= .milliseconds(5_200))
        #expect(try await remote.get(key("packs/aa/b"), range: nil) == content)
        let received = clock.slept.reduce(.zero, +) - sent
        #expect(received >= .seconds(10))
        #expect(received <= .milliseconds(10_200))
    }
}
