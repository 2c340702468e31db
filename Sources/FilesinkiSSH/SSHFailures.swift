import FilesinkiModel

/// How a connection ended.
enum SSHEnd: Sendable {
    /// ssh ended, with its last messages on standard error.
    case ended(code: Int32, messages: [UInt8])
    /// What came is not SFTP.
    case damaged(SSHDamage)
}

/// Bytes in the place of a packet.
struct SSHDamage: Hashable, Sendable {
    /// The first bytes, in the place of a packet's length.
    var start: [UInt8]

    /// Whether they look like text, as of a shell's start-up files.
    var isText: Bool { start.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 10 || $0 == 13 } }
}

extension SSHDamage {
    /// - Parameter bytes: All that came.
    init(_ bytes: [UInt8]) { start = Array(bytes.prefix(4)) }
}

extension SSHEnd {
    /// Whether the program at the host ended, and not ssh: it is not there, or does not know its arguments.
    var isOfTheFarEnd: Bool {
        guard case .ended(let code, let messages) = self else { return false }
        // A host that runs no programs is refused by ssh itself.
        return code != Self.ownCode
            || String(decoding: messages, as: UTF8.self).contains("exec request failed")
    }

    /// With which ssh ends when it failed itself.
    private static let ownCode: Int32 = 255

    /// The failure that waiting requests get.
    func failure(_ address: String) -> Failure {
        switch self {
        case .damaged(let damage): damage.failure(address)
        case .ended(let code, let messages): Self.failure(address, code, messages)
        }
    }

    private static func failure(_ address: String, _ code: Int32, _ messages: [UInt8]) -> Failure {
        let lines = String(decoding: messages, as: UTF8.self)
            .split(whereSeparator: \.isNewline)
            .filter { $0.contains { !$0.isWhitespace } && !$0.hasPrefix("Warning: Permanently") }
        let last = lines.last.map { sentence(bounded(printable($0.utf8))) } ?? ""
        func said(_ words: String) -> Bool { lines.contains { $0.contains(words) } }
        if said("Host key verification failed") {
            return SSHHostKey(address: address, lines: lines).failure(last)
        }
        if said("Permission denied (") || said("Too many authentication failures") {
            return Failure(
                .notAllowed, path: address, "The host denied access: \(last)",
                remedy: "Check user and key; without a terminal ssh asks for no password."
            ).about(.noAccount)
        }
        if said("subsystem request failed") {
            return Failure(
                .usage, path: address, "The host offers neither filesinki nor SFTP.",
                remedy: "Install filesinki there, or enable the subsystem sftp in its sshd_config.")
        }
        if code == 127, said(SSHCommand.shellName + ":") || said("ssh: not found") {
            return Failure(
                .usage, path: address, "ssh was not found: \(last)",
                remedy: "Install openssh-client, or correct ssh-command or FILESINKI_SSH_COMMAND.")
        }
        // A message of filesinki, behind which its usage may stand.
        let own = lines.last { $0.hasPrefix("filesinki: ") }
        let words = own.map { sentence(bounded(printable($0.utf8))) } ?? last
        if code != ownCode, let failure = farFailure(address, code, words) { return failure }
        if said("Could not resolve hostname") {
            return Failure(
                .away, path: address, "The host was not found: \(last)",
                remedy: SSHHint.ofUnknownHost(address)
                    + "Check the spelling of the host name, and the network.")
        }
        if said("Connection refused") {
            return Failure(
                .away, path: address,
                "Connection refused: no ssh server listens at this address: \(last)",
                remedy: SSHHint.ofRefusal(address)
                    + "Start sshd at the host, or check host and port.")
        }
        let cause = last.isEmpty ? "ssh exited with \(code)." : last
        var failure = Failure(
            .away, path: address, "The connection over ssh failed or was closed: \(cause)",
            remedy: "Check that the host is reachable, and run again.")
        // After a limit of ssh's own, which was long enough.
        failure.mayPassSoon = !said("timed out")
        return failure
    }

    /// The failure of a program that ssh has reached, mostly the command that authorized_keys names. Nil where it says
    /// nothing.
    private static func farFailure(_ address: String, _ code: Int32, _ last: String) -> Failure? {
        if code == 127 {
            return Failure(
                .usage, path: address,
                "filesinki was not found at the host" + (last.isEmpty ? "." : ": \(last)"),
                remedy:
                    "Install it there; if authorized_keys names it in a command, give its whole path."
            )
        }
        guard !last.isEmpty else { return nil }
        return Failure(
            code == usageCode ? .usage : .away, path: address,
            "The command at the host failed (\(code)): \(last)",
            remedy: "If authorized_keys there names a command, correct it.")
    }

    /// With which filesinki ends for arguments that it does not accept.
    private static let usageCode: Int32 = 2

    /// The longest text of a host in a message, in characters.
    private static let maximumWords = 300

    private static func bounded(_ words: String) -> String {
        words.count <= maximumWords ? words : words.prefix(maximumWords) + "…"
    }

    /// This end of a connection for SFTP, with the messages of the request for filesinki before: a host with a forced
    /// command gives both the same answer, and sshd passes on none of its messages where a subsystem was asked for.
    func withMessages(of first: SSHEnd?) -> SSHEnd {
        guard case .ended(let code, let messages) = self, messages.isEmpty, code != Self.ownCode,
            case .ended(code, let others)? = first
        else { return self }
        return .ended(code: code, messages: others)
    }

    /// What ssh said, with a full stop, for the remedy follows.
    private static func sentence(_ words: String) -> String {
        words.last.map { ".!?…".contains($0) } ?? true ? words : words + "."
    }
}

extension SSHDamage {
    func failure(_ address: String) -> Failure {
        guard isText else {
            return Failure(
                .corrupt, path: address, "The host speaks neither SFTP nor filesinki's protocol.",
                remedy: "Check its subsystem sftp, and ssh-command or FILESINKI_SSH_COMMAND.")
        }
        return Failure(
            .usage, path: address,
            "The host sent text before SFTP: \(printable(start)) …",
            remedy: "Let the shell's start-up files at the host print nothing.")
    }
}
