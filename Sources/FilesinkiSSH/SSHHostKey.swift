import FilesinkiModel
import FilesinkiRemote
import FilesinkiText

/// A host's key that ssh does not accept, by what it says of it.
struct SSHHostKey {
    /// The address of the remote.
    let address: String
    /// The messages of ssh.
    let lines: [Substring]

    /// - Parameter last: The last message.
    func failure(_ last: String) -> Failure {
        let hasChanged = lines.contains { $0.contains("HOST IDENTIFICATION HAS CHANGED") }
        return hasChanged
            ? Failure(
                .notAllowed, path: address, "The host's key is not the one that it had: \(last)",
                remedy: "Another machine may answer in its place: ask who runs the host. "
                    + "Only if its key was replaced, remove the old one with \(removal), "
                    + "and connect once with \(connection).")
            : Failure(
                .notAllowed, path: address, "The host's key is not known here: \(last)",
                remedy: "Connect once with \(connection), and accept the key if it is the host's.")
    }

    /// The command that removes the old key. Neither its file nor the name of the host there follows from the address.
    private var removal: String {
        guard let file, let name else { return "ssh-keygen -R HOST" }
        return "ssh-keygen -f \(ShellWord.shown(file.utf8)) -R \(ShellWord.shown(name.utf8))"
    }

    /// Of `Offending ED25519 key in FILE:LINE`.
    private var file: Substring? {
        guard let line = lines.last(where: { $0.hasPrefix("Offending ") }),
            let start = line.firstRange(of: " key in ")?.upperBound,
            let colon = line.lastIndex(of: ":"), start < colon
        else { return nil }
        return line[start..<colon]
    }

    /// Of `Host key for NAME has changed and you have requested strict checking.`
    private var name: Substring? {
        let start = "Host key for "
        guard let line = lines.last(where: { $0.hasPrefix(start) }),
            let end = line.firstRange(of: " has changed")?.lowerBound
        else { return nil }
        return line[..<end].dropFirst(start.count)
    }

    /// The command that connects to the host.
    private var connection: String {
        let isURL = address.hasPrefix("ssh://")
        guard let host = try? isURL ? SSHAddress(url: address) : SSHAddress(shortForm: address)
        else { return "ssh HOST" }
        let name = (host.user.map { $0 + "@" } ?? "") + host.host
        return "ssh " + (host.port.map { "-p \($0) " } ?? "") + ShellWord.shown(name.utf8)
    }
}
