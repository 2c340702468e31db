import FilesinkiHTTP
package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiS3
import FilesinkiServerRemote
import FilesinkiWebDAV
import Glibc
import Synchronization

/// Opens the remotes that are reached over a network, by their addresses.
package final class NetworkRemotes: Sendable {
    private let environment: @Sendable (String) -> String?
    private let systemContext: SystemContext
    /// What was found for an address: a command for a password is run once in a process.
    private let found = Mutex<[Place: Credentials]>([:])

    private struct Place: Hashable {
        var address: String
        var access: RemoteAccess
    }

    /// - Parameter environment: Gives a variable's value.
    package init(
        systemContext: SystemContext, environment: @escaping @Sendable (String) -> String?
    ) {
        self.environment = environment
        self.systemContext = systemContext
    }

    /// Opens a remote, with connections of its own; what it is asked for is tried again when it
    /// fails in passing.
    ///
    /// - Parameters:
    ///   - text: `http(s)://` for the own server, `webdav(s)://` or `dav(s)://`, `s3://`.
    ///   - access: Where the secret and the certificates for it are found first.
    /// - Throws: `Failure` with code `usage` for an address that is not understood, `not-allowed`
    ///   when credentials cannot be found where they should be.
    package func connect(
        _ text: String, _ access: RemoteAccess = RemoteAccess()
    ) throws(Failure) -> any Remote {
        RetryingRemote(
            try remote(Place(address: text, access: access)), systemContext: systemContext)
    }

    /// Keeps what the command line or the environment says of a remote in the replica's own file, for
    /// its later runs; where neither says anything, only a file for another address is removed.
    ///
    /// - Throws: `Failure` when a secret or a file of certificates cannot be read, or the replica's file
    ///   cannot be written.
    package func pin(_ text: String, _ access: RemoteAccess) throws(Failure) {
        guard let path = access.pinned else { return }
        let before = try? PinnedAccess.read(path, for: text)
        var pinned = PinnedAccess(address: text)
        pinned.credential = CredentialFinder(access: access, environment: environment).given
        let file = access.certificateFile ?? environment("FILESINKI_CA_FILE")
        if let file, !file.isEmpty {
            pinned.certificates = try CertificateFile.text(file)
        }
        if pinned.credential.token == nil, pinned.credential.password == nil {
            pinned.credential = before?.credential ?? CredentialEntry()
        }
        pinned.certificates = pinned.certificates ?? before?.certificates
        if pinned.isEmpty {
            unlink(path)
        } else {
            try pinned.write(path)
        }
    }

    private func remote(_ place: Place) throws(Failure) -> any Remote {
        let scheme = place.address.prefix { $0 != ":" }.lowercased()
        switch scheme {
        case "s3": return try bucket(place)
        case "http", "https": return try server(place)
        default: return try webDAV(place)
        }
    }

    private func server(_ place: Place) throws(Failure) -> any Remote {
        let address = try WebAddress(place.address, schemes: ["http": false, "https": true])
        return try ServerRemote(
            ServerPlace(
                address, transport: connections(to: address, place),
                credentials: credentials(place, user: address.user), isInsecure: isInsecure),
            systemContext: systemContext)
    }

    private func webDAV(_ place: Place) throws(Failure) -> any Remote {
        let address = try WebAddress(
            place.address,
            schemes: ["webdav": false, "dav": false, "webdavs": true, "davs": true])
        return WebDAVRemote(
            address: address, transport: try connections(to: address, place),
            credentials: try credentials(place, user: address.user), systemContext: systemContext,
            allowsInsecure: isInsecure)
    }

    private func bucket(_ place: Place) throws(Failure) -> any Remote {
        let written = try S3Address(place.address)
        let configuration = try AWSConfiguration(
            profile: written.profile, environment: environment)
        let address = try configuration.completing(written)
        return S3Remote(
            address: address, transport: try connections(to: address.service, place),
            credentials: configuration, systemContext: systemContext, allowsInsecure: isInsecure)
    }

    private func connections(
        to address: WebAddress, _ place: Place
    ) throws(Failure) -> HTTPConnections {
        var pinned: PinnedAccess?
        if let path = place.access.pinned {
            pinned = try PinnedAccess.read(path, for: place.address)
        }
        return try HTTPConnections(
            ConnectionSettings(
                for: address, certificateFile: place.access.certificateFile,
                pinned: pinned?.certificates, environment: environment))
    }

    private func credentials(_ place: Place, user: String?) throws(Failure) -> Credentials {
        if let known = found.withLock({ $0[place] }) { return known }
        let finder = CredentialFinder(access: place.access, environment: environment)
        let credentials = try finder.find(place.address, user: user)
        found.withLock { $0[place] = credentials }
        return credentials
    }

    /// Whether secrets may pass over a network without encryption, because the user said so.
    private var isInsecure: Bool { environment("FILESINKI_INSECURE") == "1" }
}
