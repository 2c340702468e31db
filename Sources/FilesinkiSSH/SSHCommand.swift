import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem

/// How ssh is run.
package struct SSHCommand: Hashable, Sendable {
    /// What the shell runs in place of `ssh`, with the same arguments; nil for `ssh`.
    package var replacement: String?
    /// Whether ssh may ask the user at the terminal.
    package var isInteractive: Bool

    /// - Parameters:
    ///   - environment: Returns the value of a variable. `FILESINKI_SSH_COMMAND` replaces `ssh`.
    ///   - isInteractive: Whether ssh may ask the user at the terminal.
    package init(
        environment: (String) -> String?, isInteractive: Bool = false
    ) {
        let replacement = environment("FILESINKI_SSH_COMMAND") ?? ""
        self.replacement = replacement.isEmpty ? nil : replacement
        self.isInteractive = isInteractive
    }

    /// The options of every connection, whatever ssh's settings say: nothing is forwarded, and a connection
    /// that no longer answers ends after a minute.
    private static let options = [
        "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "PermitLocalCommand=no",
        "ServerAliveInterval=15", "ServerAliveCountMax=4",
    ]

    /// The arguments of ssh for the SFTP subsystem of a host.
    func arguments(for address: SSHAddress) -> [String] {
        var words = Self.options.flatMap { ["-o", $0] }
        if !isInteractive { words += ["-o", "BatchMode=yes"] }
        if let port = address.port { words += ["-p", String(port)] }
        if let user = address.user { words += ["-l", user] }
        return words + ["-s", "--", address.host, "sftp"]
    }

    /// Starts ssh.
    ///
    /// A shell starts it with interruptions ignored: Ctrl-C at the terminal reaches every program in front,
    /// and filesinki completes the work it has begun.
    ///
    /// - Throws: `Failure` with code `io` when it cannot be started.
    func start(for address: SSHAddress) throws(Failure) -> ConnectedProcess {
        let line =
            replacement.map { "trap '' INT; \($0) \"$@\"" }
            ?? "trap '' INT; exec ssh \"$@\""
        let words = ["sh", "-c", line, "ssh"] + arguments(for: address)
        return try ConnectedProcess(
            ChildProcess(
                "/bin/sh", words.map { Array($0.utf8) },
                // Without a terminal of its own it cannot ask.
                group: isInteractive ? .shared : .session))
    }
}

extension SSHEnd {
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
        let last = lines.last.map { printable($0.utf8) } ?? ""
        func said(_ words: String) -> Bool { lines.contains { $0.contains(words) } }
        if said("Host key verification failed") {
            return Failure(
                .notAllowed, path: address, "The host's key is unknown or has changed: \(last)",
                remedy: "Compare it, and connect once with ssh to accept it.")
        }
        if said("Permission denied (") || said("Too many authentication failures") {
            return Failure(
                .notAllowed, path: address, "The host denied access: \(last)",
                remedy: "Check user and key; without a terminal ssh asks for no password.")
        }
        if said("subsystem request failed") {
            return Failure(
                .usage, path: address, "The host offers no SFTP.",
                remedy: "Enable the subsystem sftp in its sshd_config.")
        }
        if code == 127 {
            return Failure(
                .usage, path: address, "ssh was not found: \(last)",
                remedy: "Install openssh-client, or set FILESINKI_SSH_COMMAND.")
        }
        let cause = last.isEmpty ? "ssh exited with \(code)." : last
        return Failure(
            .away, path: address, "The connection over ssh failed or was closed: \(cause)",
            remedy: "Check that the host is reachable, and run again.")
    }
}

extension SSHDamage {
    func failure(_ address: String) -> Failure {
        guard isText else {
            return Failure(
                .corrupt, path: address, "The host does not speak SFTP.",
                remedy: "Check its subsystem sftp, and FILESINKI_SSH_COMMAND.")
        }
        return Failure(
            .usage, path: address,
            "The host sent text in place of SFTP: \(printable(start)) …",
            remedy: "Let the shell's start-up files at the host print nothing.")
    }
}
