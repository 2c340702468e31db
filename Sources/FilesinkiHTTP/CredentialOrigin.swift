import FilesinkiModel
import FilesinkiText

/// Where credentials come from, for messages.
package enum CredentialOrigin: Hashable, Sendable {
    /// A file that an option names.
    case option(String)
    /// A variable of the environment, which has the secret or says where it is.
    case environment(String)
    /// What the replica keeps since `clone`, `init` or `remote set`.
    case replica
    /// An entry of the credentials file.
    case credentialsFile(String)
    /// There are none, and no entry of this credentials file applies; nil if there is no such file.
    case none(file: String?)

    /// A clause that names the place; nil for none.
    var clause: String? {
        switch self {
        case .option(let place), .environment(let place), .credentialsFile(let place):
            "it comes from \(printable(place.utf8))"
        case .replica: "the replica keeps it"
        case .none: nil
        }
    }
}

extension CredentialOrigin {
    /// What to do when a WebDAV server accepts no name and password, or not those.
    ///
    /// - Parameter address: The server's address as a user writes it.
    package func passwordRemedy(at address: String) -> String {
        let shown = ShellWord.shown(address.utf8)
        return switch self {
        case .option(let place): "Check \(printable(place.utf8))."
        case .environment(let name):
            "Check FILESINKI_USER and \(name). See filesinki help credentials."
        case .replica:
            "The replica keeps them. To replace them, set FILESINKI_USER and FILESINKI_PASSWORD, and run filesinki "
                + "remote set \(shown). See filesinki help credentials."
        case .credentialsFile(let path):
            "Check the entry in \(printable(path.utf8)). See filesinki help credentials."
        case .none(let file):
            (file.map { "No entry of \(printable($0.utf8)) is for \(shown). " } ?? "")
                + "Set FILESINKI_USER and FILESINKI_PASSWORD. See filesinki help credentials."
        }
    }

    /// What to do when a filesinki server accepts no token, or not this one.
    ///
    /// - Parameter address: The server's address as a user writes it.
    func tokenRemedy(at address: String) -> String {
        let shown = ShellWord.shown(address.utf8)
        let command = "filesinki remote set \(shown) --token-file FILE"
        let giving =
            switch self {
            case .environment(let name):
                "give it with \(name), which precedes what the replica keeps; or unset that, and run \(command)."
            default:
                "give it with \(command); clone and init take --token-file or FILESINKI_TOKEN, too."
            }
        let unfit =
            if case .none(let file?) = self {
                "No entry of \(printable(file.utf8)) is for \(shown). "
            } else { "" }
        return unfit
            + "Get a token from whoever runs the server (filesinki serve token make), and \(giving) "
            + "See filesinki help credentials."
    }
}
