import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiText

/// How long a host may take to answer. ssh alone waits for one that went silent until the kernel gives up, and for ever once
/// the kernel there has accepted the connection.
///
/// A `ConnectTimeout` in the user's ssh settings comes first. It is asked for only where it matters: an option on the
/// command line would come before the settings.
struct SSHPatience: Sendable {
    /// The time from the start of ssh to the first byte of the host's program.
    var limit = Duration.seconds(30)

    /// How long ssh may take to read its settings.
    private static let timeToRead = Duration.seconds(5)

    /// Whether the host's program has begun to send, or the connection has ended.
    ///
    /// Where ssh may ask for a password there is no limit here, for a user may be slow: see ``option(_:_:)``.
    func waitForHost(
        _ process: ConnectedProcess, _ address: SSHAddress, _ command: SSHCommand
    ) -> Bool {
        if command.isInteractive || process.isReady(within: limit) { return true }
        guard let seconds = Self.configured(address, command) else { return false }
        return process.isReady(within: .seconds(seconds))
    }

    /// The option of an ssh that may ask the user: its own limit does not count the time that the user needs.
    func option(_ address: SSHAddress, _ command: SSHCommand) -> [String] {
        guard command.isInteractive, Self.configured(address, command) == nil else { return [] }
        return ["-o", "ConnectTimeout=\(max(1, limit.components.seconds))"]
    }

    /// `ConnectTimeout` in the user's ssh settings, in seconds; nil for none, and where another program is run in place
    /// of ssh, which cannot be asked.
    static func configured(_ address: SSHAddress, _ command: SSHCommand) -> Int64? {
        guard let program = command.programOfOpenSSH else { return nil }
        let words = (command.route(to: address) + ["--", address.host]).map { ShellWord.quoted($0) }
        let text = "\(program) -G \(words.joined(separator: " ")) 2>/dev/null"
        let asked = UserCommand(text: text, limit: timeToRead, inheritance: .all)
        guard case .ended(0, let output)? = try? asked.run() else { return nil }
        let line = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline)
            .first { $0.hasPrefix("connecttimeout ") }
        return line.flatMap { Int64($0.dropFirst("connecttimeout ".count)) }
            .flatMap { $0 > 0 ? min($0, 86_400) : nil }
    }

    /// The host did not answer in time.
    func failure(_ address: SSHAddress) -> Failure {
        var failure = Failure(
            .away, path: address.text,
            "The host did not answer within \(limit.components.seconds) seconds.",
            remedy:
                "Check that it is awake and reachable, and run again. Changes that were not sent "
                + "are kept. For a host that is slow, set ConnectTimeout in ~/.ssh/config.")
        failure.mayPassSoon = false
        return failure
    }
}

extension SSHCommand {
    /// What the shell runs, if that is ssh; nil for another program.
    var programOfOpenSSH: String? {
        guard let replacement else { return "ssh" }
        let program = replacement.prefix { $0 != " " }
        return program == "ssh" || program.hasSuffix("/ssh") ? replacement : nil
    }
}
