import FilesinkiModel
import Testing

@testable import FilesinkiSSH

/// What the end of a connection means, from the exit code and the words of ssh.
@Suite struct SSHEndTests {
    private static func end(_ code: Int32, _ messages: String) -> SSHEnd {
        .ended(code: code, messages: Array(messages.utf8))
    }

    private static let closed = "The connection over ssh failed or was closed: "

    struct Row: Sendable, CustomTestStringConvertible {
        var exit: Int32
        var words: String
        var code: Failure.Code
        var message: String
        var remedy: String

        init(
            _ exit: Int32, _ words: String, _ code: Failure.Code, _ message: String,
            _ remedy: String
        ) {
            (self.exit, self.words, self.code) = (exit, words, code)
            (self.message, self.remedy) = (message, remedy)
        }

        var testDescription: String { "\(exit) \(words)" }
    }

    private static let install =
        "Install it there; if authorized_keys names it in a command, give its whole path."
    private static let correct = "If authorized_keys there names a command, correct it."
    private static let reach = "Check that the host is reachable, and run again."

    private static let rows = [
        Row(
            127, "filesinki-ssh: 1: exec: ssh: not found", .usage,
            "ssh was not found: filesinki-ssh: 1: exec: ssh: not found.",
            "Install openssh-client, or correct ssh-command or FILESINKI_SSH_COMMAND."),
        Row(
            127, "bash: line 1: filesinki: command not found", .usage,
            "filesinki was not found at the host: bash: line 1: filesinki: command not found.",
            install),
        Row(127, "", .usage, "filesinki was not found at the host.", install),
        Row(
            2, "Error: Unknown option '--stdio'", .usage,
            "The command at the host failed (2): Error: Unknown option '--stdio'.", correct),
        Row(
            2,
            "filesinki: Unknown option '--foo'.\nUsage: filesinki serve <dir>\n  See 'filesinki serve --help' for more.",
            .usage, "The command at the host failed (2): filesinki: Unknown option '--foo'.",
            correct),
        Row(
            1, "No such store!", .away, "The command at the host failed (1): No such store!",
            correct),
        Row(1, "", .away, closed + "ssh exited with 1.", reach),
        Row(0, "", .away, closed + "ssh exited with 0.", reach),
        Row(255, "", .away, closed + "ssh exited with 255.", reach),
        Row(137, " \n\t\r\n", .away, closed + "ssh exited with 137.", reach),
        Row(255, "kex_exchange: reset", .away, closed + "kex_exchange: reset.", reach),
        // What is no reason is left out; the last of the others counts.
        Row(
            255,
            "first\r\nlast\r\n\r\nWarning: Permanently added 'h' to the list of known hosts.\n",
            .away, closed + "last.", reach),
        Row(255, "a\u{1B}[31mb", .away, closed + "a\\x1b[31mb.", reach),
        Row(
            1, "subsystem request failed on channel 0", .usage,
            "The host offers neither filesinki nor SFTP.",
            "Install filesinki there, or enable the subsystem sftp in its sshd_config."),
        Row(
            255, "ssh: Could not resolve hostname h.o: Name or service not known", .away,
            "The host was not found: ssh: Could not resolve hostname h.o: Name or service not known.",
            "Check the spelling of the host name, and the network."),
        Row(
            255, "ssh: connect to host h port 22: Connection refused", .away,
            "Connection refused: no ssh server listens at this address: "
                + "ssh: connect to host h port 22: Connection refused.",
            "Start sshd at the host, or check host and port."),
        // The same words of the far end's own program are no refusal of ssh.
        Row(
            1, "Connection refused", .away,
            "The command at the host failed (1): Connection refused.",
            correct),
    ]

    @Test("each end has its message and its remedy", arguments: rows)
    func failures(_ row: Row) {
        let failure = Self.end(row.exit, row.words).failure("ssh://h.o/store")
        #expect(failure.code == row.code)
        #expect(failure.path == Array("ssh://h.o/store".utf8))
        #expect(failure.message == row.message)
        #expect(failure.remedy == row.remedy)
        #expect(failure.account == nil && failure.mayPassSoon)
    }

    @Test(
        "access that was denied says that the account is not known",
        arguments: [
            "me@h: Permission denied (publickey).", "Too many authentication failures",
        ])
    func denied(_ words: String) {
        let failure = Self.end(255, words + "\nbye").failure("h:store")
        #expect(failure.code == .notAllowed && failure.account == .noAccount)
        #expect(failure.message == "The host denied access: bye.")
        // A file that cannot be read is another matter.
        #expect(Self.end(255, "Permission denied").failure("h:store").code == .away)
    }

    @Test func `a connection that ran into ssh's own limit is not tried again soon`() {
        let words = "ssh: connect to host h port 22: Connection timed out"
        #expect(!Self.end(255, words).failure("h:store").mayPassSoon)
    }

    @Test("a host's words are cut after 300 characters", arguments: [(300, "."), (301, "…")])
    func long(_ count: Int, _ end: String) {
        let words = String(repeating: "é", count: count)
        let failure = Self.end(255, words).failure("h:store")
        #expect(failure.message == Self.closed + String(repeating: "é", count: 300) + end)
    }

    @Test(
        "the program at the host has ended, and not ssh",
        arguments: [
            (0, "", true), (1, "why", true), (127, "", true), (255, "", false),
            (255, "Connection closed", false), (255, "exec request failed on channel 0", true),
        ] as [(Int32, String, Bool)])
    func farEnd(_ code: Int32, _ words: String, _ isFar: Bool) {
        #expect(Self.end(code, words).isOfTheFarEnd == isFar)
        #expect(!SSHEnd.damaged(SSHDamage([0])).isOfTheFarEnd)
    }

    @Test(
        "a silent end has the words of the one before, if that ended in the same way",
        arguments: [
            (end(1, ""), end(1, "why"), "why"), (end(1, ""), end(2, "why"), ""),
            (end(1, "own"), end(1, "why"), "own"), (end(255, ""), end(255, "why"), ""),
            (end(1, ""), nil, ""), (end(1, ""), .damaged(SSHDamage([7])), ""),
        ] as [(SSHEnd, SSHEnd?, String)])
    func messages(_ end: SSHEnd, _ first: SSHEnd?, _ words: String) {
        guard case .ended(_, let messages) = end.withMessages(of: first) else {
            Issue.record("another end")
            return
        }
        #expect(String(decoding: messages, as: UTF8.self) == words)
    }

    // MARK: Damage

    @Test(
        "text before SFTP is of a shell's start-up files, and other bytes are of something else",
        arguments: [
            (Array("Welcome".utf8), Failure.Code.usage, "The host sent text before SFTP: Welc …"),
            ([0x0D, 0x0A, 0x7E, 0x20], .usage, "The host sent text before SFTP: \\x0d\\x0a~  …"),
            ([0x41, 0x7F], .corrupt, "The host speaks neither SFTP nor filesinki's protocol."),
            ([0x09], .corrupt, "The host speaks neither SFTP nor filesinki's protocol."),
            ([0, 0, 0, 5], .corrupt, "The host speaks neither SFTP nor filesinki's protocol."),
        ])
    func damage(_ bytes: [UInt8], _ code: Failure.Code, _ message: String) {
        let failure = SSHEnd.damaged(SSHDamage(bytes)).failure("h:store")
        #expect(failure.code == code && failure.message == message)
        #expect(failure.path == Array("h:store".utf8))
        #expect(failure.remedy.hasSuffix("."))
    }
}
