import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiText

/// Finds the credentials for a server: on the command line, in the environment, in the replica's own
/// file, then in the credentials file.
struct CredentialFinder: Sendable {
    /// The files named by the command line and by the replica.
    var access = RemoteAccess()
    /// Returns the value of a variable.
    let environment: @Sendable (String) -> String?

    /// The credentials file in the user's configuration folder.
    static let fileName = "credentials.toml"

    /// - Parameters:
    ///   - text: The address as the user wrote it.
    ///   - user: The user name in the address.
    /// - Throws: `Failure` with code `not-allowed` when a secret cannot be read or its file is not private,
    ///   `usage` when the credentials file is malformed.
    func findCredentials(_ text: String, user: String?) throws(Failure) -> FoundCredentials {
        if let credentials = try credentials(given, user: user) {
            return FoundCredentials(credentials: credentials, origin: originOfGiven)
        }
        if let path = access.pinned, let pinned = try PinnedAccess.read(path, for: text),
            let credentials = try credentials(pinned.credential, user: user)
        {
            return FoundCredentials(credentials: credentials, origin: .replica)
        }
        guard let path, let entries = try fileEntries(path) else {
            return FoundCredentials(credentials: .none, origin: .none(file: nil))
        }
        for entry in entries where entry.applies(to: text) {
            if let user, let other = entry.user, user != other { continue }
            if let credentials = try credentials(entry, user: user) {
                return FoundCredentials(credentials: credentials, origin: .credentialsFile(path))
            }
        }
        return FoundCredentials(credentials: .none, origin: .none(file: path))
    }

    /// Where ``given`` has its secret.
    private var originOfGiven: CredentialOrigin {
        if let file = access.tokenFile { return .option(file) }
        let secrets = ["FILESINKI_TOKEN", "FILESINKI_PASSWORD"]
        let names = secrets.flatMap { [$0, $0 + "_FILE", $0 + "_COMMAND"] }
        return .environment(names.first { value($0) != nil } ?? "FILESINKI_PASSWORD")
    }

    private func credentials(
        _ entry: CredentialEntry, user: String?
    ) throws(Failure) -> Credentials? {
        if let token = entry.token { return .bearer(try token.readSecret()) }
        guard let password = entry.password, let name = user ?? entry.user else { return nil }
        return .password(user: name, try password.readSecret())
    }

    /// The credentials given by the command line and the environment.
    var given: CredentialEntry {
        if let file = access.tokenFile { return CredentialEntry(token: .file(file)) }
        return CredentialEntry(
            user: environment("FILESINKI_USER"), password: source("FILESINKI_PASSWORD"),
            token: source("FILESINKI_TOKEN"))
    }

    private func source(_ name: String) -> SecretSource? {
        if let text = value(name) { return .given(Secret(text)) }
        if let path = value(name + "_FILE") { return .file(path) }
        return value(name + "_COMMAND").map(SecretSource.command)
    }

    private func value(_ name: String) -> String? {
        environment(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The entries of the credentials file; nil if there is none.
    private func fileEntries(_ path: String) throws(Failure) -> [CredentialEntry]? {
        guard let bytes = try PrivateFile(path).read() else { return nil }
        return try CredentialsFile.read(bytes, file: path)
    }

    private var path: String? {
        if let path = value("FILESINKI_CREDENTIALS") { return path }
        return BaseFolder.configuration.path(environment).map {
            "\($0)/filesinki/\(Self.fileName)"
        }
    }
}

/// Credentials, and where they were found.
struct FoundCredentials: Hashable, Sendable {
    var credentials: Credentials
    var origin: CredentialOrigin
}

/// The credentials for some addresses, from one place of settings.
struct CredentialEntry: Hashable, Sendable {
    /// The prefix of the addresses; empty for all.
    var address = ""
    var user: String?
    var password: SecretSource?
    var token: SecretSource?

    /// Whether the entry is for an address. Prefixes match whole names, with or without a slash at their end:
    /// `https://host/a` and `https://host/a/` apply to `https://host/a/b`, not to `https://host/ab`, and `https://host` not
    /// to `https://host.example`. `dav://` is `webdav://`, and `davs://` is `webdavs://`.
    func applies(to text: String) -> Bool {
        guard !address.isEmpty else { return true }
        var prefix = Self.uniform(address)
        if prefix.hasSuffix("/") { prefix.removeLast() }
        let text = Self.uniform(text)
        guard text.hasPrefix(prefix) else { return false }
        let rest = text.dropFirst(prefix.count)
        return rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?")
    }

    private static func uniform(_ address: String) -> String {
        let isShort = ["dav://", "davs://"].contains { address.hasPrefix($0) }
        return isShort ? "web" + address : address
    }
}

/// Where a secret is found. It is read when it is needed, not before.
enum SecretSource: Hashable, Sendable {
    case given(Secret)
    /// The first line of a private file.
    case file(String)
    /// The first line of the output of a user's command.
    case command(String)

    /// Reads the secret.
    ///
    /// - Throws: `Failure` with code `not-allowed` when it is missing, or other users can read its file.
    func readSecret() throws(Failure) -> Secret {
        switch self {
        case .given(let secret): secret
        case .file(let path): Secret(try SecretLine.read(file: path))
        case .command(let text): Secret(try SecretLine.read(command: text))
        }
    }
}

/// The user's credentials file, in TOML:
///
/// ```
/// [[credential]]
/// address = "webdavs://example.org/"
/// user = "me"
/// password-command = "pass show example.org"
/// ```
enum CredentialsFile {
    /// Parses the entries, and sorts the longest addresses first.
    ///
    /// - Throws: `Failure` with code `usage`, which names the line, for a malformed file.
    static func read(_ bytes: [UInt8], file: String) throws(Failure) -> [CredentialEntry] {
        var entries: [CredentialEntry] = []
        for statement in try TOMLReader.read(bytes, file: file) {
            switch statement.kind {
            case .tableInArray(["credential"]): entries.append(CredentialEntry())
            case .pair(let pair):
                guard !entries.isEmpty else { throw unknownSetting(pair.key, statement.line, file) }
                try set(pair, in: &entries[entries.count - 1], statement.line, file)
            case .table(let name), .tableInArray(let name):
                throw unknownSetting(name, statement.line, file)
            }
        }
        for entry in entries where entry.address.isEmpty {
            throw Failure(
                .usage, path: file,
                "A credential\(entry.user.map { " of \($0)" } ?? "") has no address.",
                remedy: "Add the server that may receive it: address = \"https://example.org/\".")
        }
        return entries.sorted { $0.address.utf8.count > $1.address.utf8.count }
    }

    private static func set(
        _ pair: TOMLPair, in entry: inout CredentialEntry, _ line: Int, _ file: String
    ) throws(Failure) {
        guard case .string(let text) = pair.value, !text.isEmpty else {
            throw Failure(
                .usage, path: file, "Line \(line): the value must be a string.",
                remedy: "Write it in quotation marks.")
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
        default: throw unknownSetting(pair.key, line, file)
        }
    }

    private static func unknownSetting(_ key: [String], _ line: Int, _ file: String) -> Failure {
        Failure(
            .usage, path: file, "Line \(line): unknown setting '\(key.joined(separator: "."))'.",
            remedy:
                "The settings of [[credential]] are address, user, password and token, and the last "
                + "two also with -file or -command.")
    }
}
