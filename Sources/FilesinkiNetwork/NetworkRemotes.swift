import FilesinkiDirectory
import FilesinkiHTTP
import FilesinkiHTTPClient
package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiS3
import FilesinkiSSH
import FilesinkiServerRemote
import FilesinkiSystem
import FilesinkiWebDAV
import Glibc
import Synchronization

/// Opens remotes that are reached over a network, by their addresses.
package final class NetworkRemotes: Sendable {
    private let environment: @Sendable (String) -> String?
    private let systemContext: SystemContext
    /// Credentials found before, so that a password command is run once in a process.
    private let found = Mutex<[Target: FoundCredentials]>([:])

    private let pins = ServerPins()

    /// The running rclones, which remotes of one address share as long as one of them exists.
    private let rclones = Mutex<[Target: WeakRclone]>([:])

    private struct WeakRclone {
        weak var link: RcloneLink?
    }

    private struct Target: Hashable {
        var address: String
        var access: RemoteAccess
    }

    /// - Parameter environment: Returns the value of a variable.
    package init(
        systemContext: SystemContext, environment: @escaping @Sendable (String) -> String?
    ) {
        self.environment = environment
        self.systemContext = systemContext
    }

    /// Opens a remote that has its own connections and retries transient failures.
    ///
    /// - Parameters:
    ///   - text: `http(s)://` for `filesinki serve`, `webdav(s)://` or `dav(s)://`, `s3://`, `rclone:`.
    ///   - access: Where to look first for its credentials and certificates.
    /// - Throws: `Failure` with code `usage` for an invalid address, `not-allowed` when credentials cannot
    ///   be read.
    package func connect(
        _ text: String, _ access: RemoteAccess = RemoteAccess()
    ) throws(Failure) -> any Remote {
        RetryingRemote(
            try remote(Target(address: text, access: access)), systemContext: systemContext)
    }

    /// Stores the credentials and certificates given by the command line or the environment in the
    /// replica's file, for its later runs. If there are none, the file is removed if it is for another
    /// address.
    ///
    /// - Throws: `Failure` when a secret or certificate file cannot be read, or the replica's file cannot be
    ///   written.
    package func pin(_ text: String, _ access: RemoteAccess) throws(Failure) {
        guard let path = access.pinned else { return }
        let previous = try? PinnedAccess.read(path, for: text)
        var pinned = PinnedAccess(address: text)
        pinned.credential = CredentialFinder(access: access, environment: environment).given
        let file = access.certificateFile ?? environment("FILESINKI_CA_FILE")
        if let file, !file.isEmpty {
            pinned.certificates = try CertificateFile.text(file)
        }
        pinned.fingerprint = try pins.fingerprint(access, pinned.credential, previous)
        pinned.serverCertificate = pinned.fingerprint.flatMap { pins.certificate($0, previous) }
        if pinned.credential.token == nil, pinned.credential.password == nil {
            pinned.credential = previous?.credential ?? CredentialEntry()
        }
        if pinned.fingerprint == nil {
            pinned.certificates = pinned.certificates ?? previous?.certificates
        }
        pinned.writer =
            access.isSingleWriter ? RcloneWriters.id(ofStateBeside: path) : previous?.writer
        if pinned.isEmpty {
            unlink(path)
        } else {
            try pinned.write(path)
        }
    }

    private func remote(_ target: Target) throws(Failure) -> any Remote {
        switch NetworkKind(scheme: target.address.prefix { $0 != ":" }) {
        case .s3: return try bucket(target)
        case .rclone: return try rclone(target)
        case .server: return try server(target)
        case .webDAV, nil: return try webDAV(target)
        }
    }

    private func server(_ target: Target) throws(Failure) -> any Remote {
        let address = try WebAddress(target.address, schemes: ["http": false, "https": true])
        let transport = try connections(to: address, target)
        let found = try credentials(target, user: address.user)
        return try ServerRemote(
            address: address, transport: transport, credentials: found.credentials,
            from: found.origin, systemContext: systemContext, allowsInsecure: allowsInsecure)
    }

    private func webDAV(_ target: Target) throws(Failure) -> any Remote {
        let address = try WebAddress(
            target.address,
            schemes: ["webdav": false, "dav": false, "webdavs": true, "davs": true])
        let transport = try connections(to: address, target)
        let found = try credentials(target, user: address.user)
        return WebDAVRemote(
            address: address, transport: transport, credentials: found.credentials,
            from: found.origin, systemContext: systemContext, allowsInsecure: allowsInsecure)
    }

    private func bucket(_ target: Target) throws(Failure) -> any Remote {
        let parsed = try S3Address(target.address)
        let configuration = try AWSConfiguration(
            profile: parsed.profile, environment: environment)
        let address = try configuration.completing(parsed)
        return S3Remote(
            address: address, transport: try connections(to: address.service, target),
            credentials: configuration, systemContext: systemContext, allowsInsecure: allowsInsecure
        )
    }

    private func rclone(_ target: Target) throws(Failure) -> any Remote {
        guard let address = try RcloneAddress(target.address) else {
            throw Failure(
                .usage, path: target.address, "Invalid address for rclone.",
                remedy: "Write rclone:REMOTE:PATH.")
        }
        var pinned: PinnedAccess?
        if let path = target.access.pinned {
            pinned = try PinnedAccess.read(path, for: target.address)
        }
        let declared =
            target.access.isSingleWriter
            ? RcloneWriters.id(ofStateBeside: target.access.pinned) : nil
        let link = rclones.withLock { rclones in
            if let link = rclones[target]?.link { return link }
            let command = RcloneCommand(address: address, environment: environment)
            let link = RcloneLink(command, systemContext, target.access.bandwidth)
            rclones[target] = WeakRclone(link: link)
            return link
        }
        return RcloneRemote(link, RcloneWriters(pinned?.writer ?? declared))
    }

    private func connections(
        to address: WebAddress, _ target: Target
    ) throws(Failure) -> HTTPConnections {
        var pinned: PinnedAccess?
        if let path = target.access.pinned {
            pinned = try PinnedAccess.read(path, for: target.address)
        }
        var settings = try ConnectionSettings(
            for: address, certificateFile: target.access.certificateFile,
            pinned: pinned?.certificates, environment: environment)
        let given = CredentialFinder(access: target.access, environment: environment).given
        settings.pin = try pins.pin(
            of: address, target.access, given: given, kept: pinned, settings)
        guard let fingerprint = settings.pin?.fingerprint else {
            return try HTTPConnections(settings, bandwidth: target.access.bandwidth)
        }
        return try HTTPConnections(settings, bandwidth: target.access.bandwidth) { [pins] in
            pins.learn($0, fingerprint)
        }
    }

    private func credentials(
        _ target: Target, user: String?
    ) throws(Failure) -> FoundCredentials {
        if let known = found.withLock({ $0[target] }) { return known }
        let finder = CredentialFinder(access: target.access, environment: environment)
        let credentials = try finder.findCredentials(target.address, user: user)
        found.withLock { $0[target] = credentials }
        return credentials
    }

    /// Whether the user allowed to send secrets without encryption.
    private var allowsInsecure: Bool { environment("FILESINKI_INSECURE") == "1" }
}

extension RemoteAddress {
    /// Returns a function that opens remotes by their addresses, for programs that use the library. It
    /// runs a password command once.
    ///
    /// - Parameter access: Where to look first for a remote's credentials and certificates.
    package static func connector(
        _ systemContext: SystemContext, _ access: RemoteAccess = RemoteAccess()
    ) -> @Sendable (String) throws -> any Remote {
        let remotes = NetworkRemotes(systemContext: systemContext) { name in
            getenv(name).map { String(cString: $0) }
        }
        let ssh = SSHRemotes(.ofProgram, systemContext: systemContext)
        return { text in
            switch try RemoteAddress(absolute: text) {
            case .folder(let path): DirectoryRemote(path: path)
            case .ssh(let address): ssh.connect(address, note: access.sshNote)
            case .network(let address): try remotes.connect(address, access)
            }
        }
    }

    /// Creates the folder of a store that a program has not used yet, if its parent exists.
    package func makeStoreFolder() async {
        guard case .ssh(let address) = self else { return makeFolder() }
        _ = try? await SSHRemotes(.ofProgram, systemContext: .ofMachine).makeFolder(address)
    }
}

extension SSHCommand {
    /// That of a program that uses the library: ssh asks nothing.
    fileprivate static var ofProgram: SSHCommand {
        SSHCommand(environment: { name in getenv(name).map { String(cString: $0) } })
    }
}
