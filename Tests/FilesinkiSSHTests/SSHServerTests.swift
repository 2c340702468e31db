import FilesinkiModel
import FilesinkiRemote
import FilesinkiSSH
import FilesinkiTesting
import Testing

/// What a real sshd refuses.
@Suite(.enabled(if: RealServer.sshd.isInstalled, "openssh-server is not installed"))
struct SSHServerTests {
    /// What is wrong, and the code of the failure.
    enum Wrong: CaseIterable {
        case key, hostKey, user, port

        var code: Failure.Code { self == .port ? .away : .notAllowed }

        /// - Parameter ssh: What reaches the server.
        func command(_ ssh: String) -> String {
            let plain =
                "ssh -F none -o IdentitiesOnly=yes -o IdentityAgent=none "
                + "-o GlobalKnownHostsFile=/dev/null -o"
            let folder = ssh.dropLast("/ssh".count)
            return switch self {
            case .key: "\(plain) UserKnownHostsFile=\(folder)/known_hosts -i /dev/null"
            case .hostKey: "\(plain) UserKnownHostsFile=/dev/null -i \(folder)/key"
            case .user, .port: ssh
            }
        }

        func address(_ server: SSHAddress) -> String {
            let path = String(decoding: server.path, as: UTF8.self)
            let user = self == .user ? "no-such-user" : server.user ?? ""
            let port = self == .port ? 1 : server.port ?? 22
            return "ssh://\(user)@\(server.host):\(port)\(path)"
        }
    }

    @Test(
        "what is wrong with a key, user or port is an error of its code", arguments: Wrong.allCases)
    func refused(_ wrong: Wrong) async throws {
        let server = try await RealServer.sshd.sharedAddress()
        let command = wrong.command(RealServer.sshCommand(for: server))
        let remote = SFTPRemote(
            try SSHAddress(url: wrong.address(SSHAddress(url: server))),
            SSHCommand(environment: { _ in command }),
            systemContext: ManualClock().systemContext)
        let failure = await #expect(throws: Failure.self) {
            try await remote.get(key("a"), range: nil)
        }
        #expect(failure?.code == wrong.code, "\(failure?.description ?? "")")
    }
}
