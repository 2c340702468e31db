import FilesinkiRemote
import Testing

@testable import FilesinkiSSH

@Suite struct SSHCommandTests {
    @Test func `a name after two hyphens is the host, and only a terminal is asked`() throws {
        let address = try SSHAddress(url: "ssh://me@[::1]:2222/srv/store")
        let silent = SSHCommand(environment: { _ in nil }).arguments(for: address, .sftp)
        #expect(
            silent.suffix(10)
                == [
                    "-o", "BatchMode=yes", "-p", "2222", "-l", "me", "-s", "--", "::1", "sftp",
                ])
        let asking = SSHCommand(environment: { _ in nil }, isInteractive: true)
        #expect(!asking.arguments(for: address, .sftp).contains("BatchMode=yes"))
        let short = try #require(try SSHAddress(shortForm: "host:store"))
        #expect(asking.arguments(for: short, .sftp).suffix(4) == ["-s", "--", "host", "sftp"])
        #expect(!asking.arguments(for: short, .sftp).contains("-l"))
    }

    @Test(arguments: [(nil, nil), ("", nil), ("ssh -4", "ssh -4")] as [(String?, String?)])
    func `a command replaces ssh unless it is empty`(_ value: String?, _ replacement: String?) {
        let command = SSHCommand(environment: { $0 == "FILESINKI_SSH_COMMAND" ? value : "x" })
        #expect(command.replacement == replacement)
    }

    @Test(
        "the environment's command comes before that of the settings",
        arguments: [
            (nil, nil, nil), (nil, "ssh -6", "ssh -6"), ("ssh -4", nil, "ssh -4"),
            ("ssh -4", "ssh -6", "ssh -4"), ("", "ssh -6", "ssh -6"),
        ] as [(String?, String?, String?)])
    func setting(_ value: String?, _ setting: String?, _ replacement: String?) {
        let command = SSHCommand(environment: { _ in value }, isInteractive: true)
            .with(setting: setting)
        #expect(command.replacement == replacement)
        #expect(command.isInteractive)
    }
}
