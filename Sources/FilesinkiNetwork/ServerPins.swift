import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Synchronization

/// Which servers are known by their certificates alone: by the command line, by the file of a token, or by the
/// replica's own file.
final class ServerPins: Sendable {
    /// The certificates that servers were asked for in this process, in DER form.
    private let learned = Mutex<[CertificateFingerprint: [UInt8]]>([:])

    /// The pin of a server; nil when certificates are to be verified as usual.
    ///
    /// - Parameters:
    ///   - given: The credentials of the command line and the environment.
    ///   - kept: What the replica's own file says of this address.
    /// - Throws: `Failure` with code `usage` for a fingerprint without encryption, or with a proxy.
    func pin(
        of address: WebAddress, _ access: RemoteAccess, given: CredentialEntry,
        kept: PinnedAccess?, _ settings: ConnectionSettings
    ) throws(Failure) -> ServerPin? {
        guard let fingerprint = try fingerprint(access, given, kept) else { return nil }
        guard address.isSecure else {
            // The file of a token serves a plain connection, too, where the server has one.
            guard access.fingerprint != nil else { return nil }
            throw Failure(
                .usage, path: address.description,
                "A connection without encryption has no certificate.",
                remedy: "Use an address with https://, or leave out --fingerprint.")
        }
        guard settings.proxy == nil else {
            throw Failure(
                .usage, path: address.description,
                "A fingerprint cannot be checked through a proxy.",
                remedy: "Add the host to no_proxy, or give --ca-file instead of --fingerprint.")
        }
        return ServerPin(address, fingerprint, certificate: certificate(fingerprint, kept))
    }

    /// Notes the certificate that a server was asked for, which has the fingerprint that was wanted.
    func learn(_ certificate: [UInt8], _ fingerprint: CertificateFingerprint) {
        learned.withLock { $0[fingerprint] = certificate }
    }

    /// The fingerprint to trust. What the command line says of certificates precedes what files say.
    ///
    /// - Throws: `Failure` when the file of a token cannot be read.
    func fingerprint(
        _ access: RemoteAccess, _ given: CredentialEntry, _ kept: PinnedAccess?
    ) throws(Failure) -> CertificateFingerprint? {
        if let fingerprint = access.fingerprint { return fingerprint }
        if access.certificateFile != nil { return nil }
        if case .file(let path)? = given.token, let fingerprint = try Self.fingerprint(in: path) {
            return fingerprint
        }
        return kept?.fingerprint
    }

    /// The certificate with a fingerprint, in DER form, if it is known.
    func certificate(_ fingerprint: CertificateFingerprint, _ kept: PinnedAccess?) -> [UInt8]? {
        if let certificate = learned.withLock({ $0[fingerprint] }) { return certificate }
        return kept?.fingerprint == fingerprint ? kept?.serverCertificate : nil
    }

    /// The line `fingerprint HEX` below a token, which `serve token make --self-signed` writes.
    private static func fingerprint(in path: String) throws(Failure) -> CertificateFingerprint? {
        guard let bytes = try PrivateFile(path).read() else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .dropFirst()
        {
            let words = line.split(separator: " ")
            guard words.count == 2, words[0] == "fingerprint" else { continue }
            return try CertificateFingerprint(parsing: String(words[1]))
        }
        return nil
    }
}
