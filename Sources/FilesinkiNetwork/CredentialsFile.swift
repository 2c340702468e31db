import FilesinkiHTTP
import FilesinkiModel
import FilesinkiText

/// The user's own file of credentials, in TOML:
///
/// ```
/// [[credential]]
/// address = "webdavs://example.org/"
/// user = "me"
/// password-command = "pass show example.org"
/// ```
enum CredentialsFile {
    /// Reads the entries, the most special first.
    ///
    /// - Throws: `Failure` with code `usage`, which names the line, for what is not understood.
    static func read(_ bytes: [UInt8], file: String) throws(Failure) -> [CredentialEntry] {
        var entries: [CredentialEntry] = []
        for statement in try TOMLReader.read(bytes, file: file) {
            switch statement.kind {
            case .tableInArray(["credential"]): entries.append(CredentialEntry())
            case .pair(let pair):
                guard !entries.isEmpty else { throw notKnown(pair.key, statement.line, file) }
                try take(pair, into: &entries[entries.count - 1], statement.line, file)
            case .table(let name), .tableInArray(let name):
                throw notKnown(name, statement.line, file)
            }
        }
        for entry in entries where entry.address.isEmpty {
            throw Failure(
                .usage, path: file, "A credential of \(entry.user ?? "nobody") has no address.",
                remedy: "Say which server may see it, as in address = \"https://example.org/\".")
        }
        return entries.sorted { $0.address.utf8.count > $1.address.utf8.count }
    }

    private static func take(
        _ pair: TOMLPair, into entry: inout CredentialEntry, _ line: Int, _ file: String
    ) throws(Failure) {
        guard case .string(let text) = pair.value, !text.isEmpty else {
            throw Failure(
                .usage, path: file, "Line \(line): the value has to be a string.",
                remedy: "Write it in quotes.")
        }
        switch pair.key {
        case ["address"]: entry.address = text
        case ["user"]: entry.user = text
        case ["password"]: entry.password = .given(Secret(text))
        case ["password-file"]: entry.password = .file(text)
        case ["password-command"]: entry.password = .command(text)
        case ["token"]: entry.token = .given(Secret(text))
        case ["token-file"]: entry.token = .file(text)
        case ["token-command"]: entry.token = .command(text)
        default: throw notKnown(pair.key, line, file)
        }
    }

    private static func notKnown(_ key: [String], _ line: Int, _ file: String) -> Failure {
        Failure(
            .usage, path: file, "Line \(line): '\(key.joined(separator: "."))' is not known here.",
            remedy: "Write [[credential]], and in it address, user, and password or token, or "
                + "these with -file or -command.")
    }
}
