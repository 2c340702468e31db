import FilesinkiModel
import Testing

@testable import FilesinkiSSH

@Suite struct SSHHostKeyTests {
    private static let last = "Host key verification failed."

    private func failure(_ lines: String, at address: String = "h:store") -> Failure {
        SSHEnd.ended(code: 255, messages: Array("\(lines)\r\n\(Self.last)\r\n".utf8))
            .failure(address)
    }

    @Test("a host's key that is new, and one that has changed, are told apart")
    func kinds() {
        let new = failure("No ED25519 host key is known for h.")
        #expect(new.message == "The host's key is not known here: \(Self.last)")
        #expect(new.remedy.contains("accept the key"), "\(new)")
        let changed = failure("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @")
        #expect(changed.message == "The host's key is not the one that it had: \(Self.last)")
        #expect(changed.remedy.contains("ssh-keygen -R HOST") && !changed.remedy.contains("accept"))
        #expect([new, changed].allSatisfy { $0.code == .notAllowed })
    }

    @Test("the command that removes an old key has the file and the name that ssh says")
    func removal() {
        let failure = failure(
            """
            @    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
            Add correct host key in /home/me/.ssh/my hosts to get rid of this message.
            Offending ED25519 key in /home/me/.ssh/my hosts:1
              remove with:
              ssh-keygen -f "/home/me/.ssh/my hosts" -R "[127.0.0.1]:2201"
            Host key for [127.0.0.1]:2201 has changed and you have requested strict checking.
            """, at: "desktop:store")
        let command = "ssh-keygen -f '/home/me/.ssh/my hosts' -R '[127.0.0.1]:2201'"
        #expect(failure.remedy.contains("remove the old one with \(command), "), "\(failure)")
    }

    @Test(
        "the command that connects leads to the host of the address",
        arguments: [
            ("desktop:store", "ssh desktop"), ("me@desktop:store", "ssh me@desktop"),
            ("ssh://me@desktop:2201/srv/store", "ssh -p 2201 me@desktop"),
            ("ssh://[::1]/srv/store", "ssh ::1"),
        ])
    func connection(_ address: String, _ command: String) {
        let new = failure("No ED25519 host key is known for h.", at: address)
        #expect(new.remedy.hasPrefix("Connect once with \(command), and"), "\(new)")
    }
}
