import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiText

/// How ssh is run.
package struct SSHCommand: Hashable, Sendable {
    /// What the shell runs in place of `ssh`, with the same arguments; nil for `ssh`.
    package var replacement: String?
    /// Whether ssh may ask the user at the terminal.
    package var isInteractive: Bool
    /// Where the socket of a shared connection is: see ``SharedLogin``.
    let temporaryFolder: String

    /// - Parameters:
    ///   - environment: Returns the value of a variable. `FILESINKI_SSH_COMMAND` replaces `ssh`.
    ///   - isInteractive: Whether ssh may ask the user at the terminal.
    package init(
        environment: (String) -> String?, isInteractive: Bool = false
    ) {
        let replacement = environment("FILESINKI_SSH_COMMAND") ?? ""
        self.replacement = replacement.isEmpty ? nil : replacement
        self.isInteractive = isInteractive
        temporaryFolder = environment("TMPDIR") ?? ""
    }

    /// The same with what a settings file says to run in place of `ssh`; the environment's word comes first.
    package func with(setting: String?) -> SSHCommand {
        var command = self
        if command.replacement == nil { command.replacement = setting }
        return command
    }

    /// The options of every connection, whatever ssh's settings say: nothing is forwarded, and a connection
    /// that no longer answers ends after a minute.
    private static let options = [
        "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "PermitLocalCommand=no",
        "ServerAliveInterval=15", "ServerAliveCountMax=4",
    ]

    /// What ssh asks the host for. A forced command at the host may give another answer.
    enum Service: Hashable, Sendable {
        /// `filesinki serve --stdio`, which may create the store's folder.
        case filesinki(creating: Bool)
        /// The subsystem sftp.
        case sftp
    }

    /// The arguments of ssh for a service of a host.
    ///
    /// - Parameter login: The login that the connection shares with others; nil for one of its own, or for what the
    ///   user's settings say.
    func arguments(
        for address: SSHAddress, _ service: Service, sharing login: SharedLogin? = nil,
        _ patience: SSHPatience = SSHPatience()
    ) -> [String] {
        var words = (Self.options + (login?.options ?? [])).flatMap { ["-o", $0] }
        words += isInteractive ? patience.option(address, self) : ["-o", "BatchMode=yes"]
        words += route(to: address)
        switch service {
        case .sftp: return words + ["-s", "--", address.host, "sftp"]
        case .filesinki(let isCreating):
            return words + ["-T", "--", address.host, Self.line(for: address, isCreating)]
        }
    }

    /// The arguments for the port and the user.
    func route(to address: SSHAddress) -> [String] {
        (address.port.map { ["-p", String($0)] } ?? []) + (address.user.map { ["-l", $0] } ?? [])
    }

    /// What the user's shell at the host runs, whichever shell that is. Where a shell without a login does not
    /// look for programs, it looks in the places of those that were not installed by the system.
    private static func line(for address: SSHAddress, _ isCreating: Bool) -> String {
        let text = String(decoding: address.path, as: UTF8.self)
        // A name alone could be an option, or a command.
        let path = ShellWord.quoted(text.hasPrefix("/") ? text : "./" + text)
        return """
            exec sh -c 'PATH=$PATH:/usr/local/bin:$HOME/.local/bin; export PATH; \
            exec filesinki serve --stdio "$@"' sh\(isCreating ? " --create" : "") \(path)
            """
    }

    /// Whether the service can be asked for: the path is text.
    static func canAskForFilesinki(_ address: SSHAddress) -> Bool {
        String(validating: address.path, as: UTF8.self) != nil
    }

    /// What the shell of this machine calls itself in a message: that it did not find ssh is not what a host says.
    static let shellName = "filesinki-ssh"

    /// Starts ssh.
    ///
    /// A shell starts it with interruptions ignored: Ctrl-C at the terminal reaches every program in front,
    /// and filesinki completes the work it has begun.
    ///
    /// - Throws: `Failure` with code `io` when it cannot be started.
    func start(
        for address: SSHAddress, _ service: Service, sharing login: SharedLogin? = nil,
        _ patience: SSHPatience = SSHPatience()
    ) throws(Failure) -> ConnectedProcess {
        let line =
            replacement.map { "trap '' INT; \($0) \"$@\"" }
            ?? "trap '' INT; exec ssh \"$@\""
        let words =
            ["sh", "-c", line, Self.shellName]
            + arguments(for: address, service, sharing: login, patience)
        return try ConnectedProcess(
            ChildProcess(
                "/bin/sh", words.map { Array($0.utf8) },
                // Without a terminal of its own it cannot ask.
                group: isInteractive ? .shared : .session))
    }
}
