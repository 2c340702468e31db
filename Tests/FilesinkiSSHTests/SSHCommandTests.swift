import FilesinkiRemote
import FilesinkiTesting
import Foundation
import Glibc
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

    @Test(
        "ConnectTimeout in the user's settings comes first, and of a program that is not ssh nothing is asked",
        arguments: [
            ("ConnectTimeout 7", "ssh -F", 7), ("", "ssh -F", nil),
            ("ConnectTimeout 7", "true -F", nil),
        ] as [(String, String, Int64?)])
    func connectTimeout(_ line: String, _ program: String, _ expected: Int64?) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try "Host store\n    \(line)\n".write(
            toFile: folder.path("config"), atomically: false, encoding: .utf8)
        let address = try SSHAddress(url: "ssh://me@store:2222/srv")
        let replacement = "\(program) \(folder.path("config"))"
        let command = SSHCommand(environment: { _ in replacement }, isInteractive: true)
        let isInstalled = access("/usr/bin/ssh", X_OK) == 0
        #expect(SSHPatience.configured(address, command) == (isInstalled ? expected : nil))
        let given = command.arguments(for: address, .sftp).contains("ConnectTimeout=30")
        #expect(given == (!isInstalled || expected == nil))
    }

    @Test(
        "a shared login has a socket in a folder of its own, whose name ssh takes as it is",
        arguments: [
            ("/var/tmp", "/var/tmp"), ("/no%host", "/tmp"), ("relative", "/tmp"), ("", "/tmp"),
            ("/" + String(repeating: "x", count: 90), "/tmp"),
        ])
    func sharedLogin(_ parent: String, _ used: String) throws {
        let address = try SSHAddress(url: "ssh://host/store")
        var login = SharedLogin(in: parent)
        #expect(login != nil)
        let words = SSHCommand(environment: { _ in nil })
            .arguments(for: address, .sftp, sharing: login)
        #expect(words.contains("ControlMaster=auto") && words.contains("ControlPersist=no"))
        let path = try #require(words.first { $0.hasPrefix("ControlPath=") }?.dropFirst(12))
        #expect(path.hasPrefix(used + "/filesinki-ssh-") && path.hasSuffix("/s"))
        let folder = String(path.dropLast(2))
        #expect(access(folder, F_OK) == 0)
        login = nil
        #expect(access(folder, F_OK) != 0)
        #expect(path.utf8.count <= 90)
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
