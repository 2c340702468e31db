import FilesinkiHTTP
package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiS3
import FilesinkiServerRemote
import FilesinkiWebDAV
import Synchronization

/// Opens the remotes that are reached over a network, by their addresses.
package final class NetworkRemotes: Sendable {
    private let environment: @Sendable (String) -> String?
    private let surroundings: Surroundings
    /// What was found for an address: a command for a password is run once in a process.
    private let found = Mutex<[String: Credentials]>([:])

    /// - Parameter environment: Gives a variable's value.
    package init(
        surroundings: Surroundings, environment: @escaping @Sendable (String) -> String?
    ) {
        self.environment = environment
        self.surroundings = surroundings
    }

    /// Opens a remote, with connections of its own; what it is asked for is tried again when it
    /// fails in passing.
    ///
    /// - Parameter text: `http(s)://` for the own server, `webdav(s)://` or `dav(s)://`, `s3://`.
    /// - Throws: `Failure` with code `usage` for an address that is not understood, `not-allowed`
    ///   when credentials cannot be found where they should be.
    package func connect(_ text: String) throws(Failure) -> any Remote {
        RetryingRemote(try remote(text), surroundings: surroundings)
    }

    private func remote(_ text: String) throws(Failure) -> any Remote {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        switch scheme {
        case "s3": return try bucket(text)
        case "http", "https": return try server(text)
        default: return try webDAV(text)
        }
    }

    private func server(_ text: String) throws(Failure) -> any Remote {
        let address = try WebAddress(text, schemes: ["http": false, "https": true])
        return try ServerRemote(
            ServerPlace(
                address, transport: connections(to: address),
                credentials: credentials(text, user: address.user), isInsecure: isInsecure),
            surroundings: surroundings)
    }

    private func webDAV(_ text: String) throws(Failure) -> any Remote {
        let address = try WebAddress(
            text, schemes: ["webdav": false, "dav": false, "webdavs": true, "davs": true])
        return WebDAVRemote(
            address: address, transport: try connections(to: address),
            credentials: try credentials(text, user: address.user), surroundings: surroundings,
            allowsInsecure: isInsecure)
    }

    private func bucket(_ text: String) throws(Failure) -> any Remote {
        let written = try S3Address(text)
        let configuration = try AWSConfiguration(
            profile: written.profile, environment: environment)
        let address = try configuration.completing(written)
        return S3Remote(
            address: address, transport: try connections(to: address.service),
            credentials: configuration, surroundings: surroundings, allowsInsecure: isInsecure)
    }

    private func connections(to address: WebAddress) throws(Failure) -> HTTPConnections {
        try HTTPConnections(ConnectionSettings(for: address, environment: environment))
    }

    private func credentials(_ text: String, user: String?) throws(Failure) -> Credentials {
        if let known = found.withLock({ $0[text] }) { return known }
        let credentials = try CredentialFinder(environment: environment).find(text, user: user)
        found.withLock { $0[text] = credentials }
        return credentials
    }

    /// Whether secrets may pass over a network without encryption, because the user said so.
    private var isInsecure: Bool { environment("FILESINKI_INSECURE") == "1" }
}
