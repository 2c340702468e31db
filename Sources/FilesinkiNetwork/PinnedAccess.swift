import FilesinkiHTTP
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText

/// The secret and the certificates that a replica was given for its remote when it was made, so that
/// later runs need nothing else. They are used for this address only.
///
/// The file lies in the replica's state folder, has mode 0600, and is TOML: see Docs/Remotes.md.
struct PinnedAccess {
    /// The remote's address as the user gave it.
    var address: String
    var credential = CredentialEntry()
    /// Certificates in PEM form that are trusted besides the system's.
    var certificates: String?

    /// Whether it says anything.
    var isEmpty: Bool {
        credential.token == nil && credential.password == nil && certificates == nil
    }

    /// Reads the file; nil when there is none, or when it is for another address.
    ///
    /// - Throws: `Failure`: `not-allowed` when other users can read it, `usage` when it is malformed.
    static func read(_ path: String, for address: String) throws(Failure) -> PinnedAccess? {
        guard let bytes = try PrivateFile(path).read() else { return nil }
        var pinned = PinnedAccess(address: "")
        for statement in try TOMLReader.read(bytes, file: path) {
            guard case .pair(let pair) = statement.kind, pair.key.count == 1,
                case .string(let text) = pair.value, pinned.take(pair.key[0], text)
            else {
                throw Failure(
                    .usage, path: path, "Line \(statement.line): unknown setting.",
                    remedy: "Write the file anew with filesinki remote set URL --token-file FILE.")
            }
        }
        return pinned.address == address ? pinned : nil
    }

    private mutating func take(_ key: String, _ text: String) -> Bool {
        switch key {
        case "address": address = text
        case "user": credential.user = text
        case "password": credential.password = .given(Secret(text))
        case "password-command": credential.password = .command(text)
        case "token": credential.token = .given(Secret(text))
        case "token-command": credential.token = .command(text)
        case "certificates": certificates = text
        default: return false
        }
        return true
    }

    /// Writes the file. Secrets in files are copied; of a command the command is kept.
    ///
    /// - Throws: `Failure` when a secret is not found, or the file cannot be written.
    func write(_ path: String) throws(Failure) {
        var lines = [
            "# How this replica reaches its remote. Holds secrets. Written by filesinki clone, init and",
            "# remote set; remove it to use credentials.toml and the environment alone.",
            "address = \(JSONString.quoted(address))",
        ]
        if let user = credential.user { lines.append("user = \(JSONString.quoted(user))") }
        for (name, source) in [("password", credential.password), ("token", credential.token)] {
            switch source {
            case nil: break
            case .command(let text): lines.append("\(name)-command = \(JSONString.quoted(text))")
            case .given, .file:
                let secret = try source?.find().value ?? ""
                lines.append("\(name) = \(JSONString.quoted(secret))")
            }
        }
        if let certificates { lines.append("certificates = \(JSONString.quoted(certificates))") }
        let text = lines.map { $0 + "\n" }.joined()
        try PrivateFile(path).replace(with: Array(text.utf8))
    }
}
