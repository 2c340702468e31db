import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem

/// Finds who the user is to a server: on the command line, in the environment, in what the replica was
/// given when it was made, then in the file of credentials.
struct CredentialFinder: Sendable {
    /// What the command line names, and where the replica keeps what it was given.
    var access = RemoteAccess()
    /// Gives a variable's value.
    let environment: @Sendable (String) -> String?

    /// The name of the file in the user's configuration.
    static let fileName = "credentials.toml"

    /// - Parameters:
    ///   - text: The address as the user wrote it.
    ///   - user: The name that stands in the address.
    /// - Throws: `Failure` with code `not-allowed` when a secret cannot be found where it should be
    ///   or is not private, `usage` when the file of credentials is not understood.
    func find(_ text: String, user: String?) throws(Failure) -> Credentials {
        if let credentials = try credentials(given, user: user) { return credentials }
        if let path = access.pinned, let pinned = try PinnedAccess.read(path, for: text),
            let credentials = try credentials(pinned.credential, user: user)
        {
            return credentials
        }
        for entry in try fileEntries() where entry.isFor(text) {
            if let user, let other = entry.user, user != other { continue }
            if let credentials = try credentials(entry, user: user) { return credentials }
        }
        return .none
    }

    private func credentials(
        _ entry: CredentialEntry, user: String?
    ) throws(Failure) -> Credentials? {
        if let token = entry.token { return .bearer(try token.find()) }
        guard let password = entry.password, let name = user ?? entry.user else { return nil }
        return .password(user: name, try password.find())
    }

    /// What the command line and the environment say.
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

    private func fileEntries() throws(Failure) -> [CredentialEntry] {
        guard let path, let bytes = try PrivateFile(path).read() else { return [] }
        return try CredentialsFile.read(bytes, file: path)
    }

    private var path: String? {
        if let path = value("FILESINKI_CREDENTIALS") { return path }
        let folder =
            absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { $0 + "/.config" }
        return folder.map { "\($0)/filesinki/\(Self.fileName)" }
    }

    private func absolute(_ name: String) -> String? {
        value(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
