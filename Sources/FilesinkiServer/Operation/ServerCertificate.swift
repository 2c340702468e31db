import FilesinkiModel
import FilesinkiSystem
import NIOSSL

/// The certificate that a server shows.
struct ServerCertificate {
    var configuration: TLSConfiguration
    /// SHA-256 of the certificate, in hexadecimal; nil for one that the user brought.
    var fingerprint: String?

    /// Nil when nothing is encrypted.
    ///
    /// - Throws: `Failure`: `usage` when the files are no certificate and key, `not-allowed` when other
    ///   users can read the key; what making a certificate of its own can meet.
    static func load(
        _ settings: ServerSettings, _ systemContext: SystemContext
    ) throws(Failure) -> ServerCertificate? {
        switch settings.tls {
        case .none: return nil
        case .files(let certificate, let key):
            return ServerCertificate(configuration: try configuration(certificate, key))
        case .selfSigned(let folder):
            let own = SelfSigned(folder: folder, host: settings.host)
            let fingerprint = try own.prepare(systemContext)
            return ServerCertificate(
                configuration: try configuration(own.certificate, own.key),
                fingerprint: fingerprint)
        }
    }

    /// - Parameter key: The file of the key. A group may read it, as some systems have it.
    private static func configuration(
        _ certificate: String, _ key: String
    ) throws(Failure) -> TLSConfiguration {
        guard let secret = try PrivateFile(key).read(allowing: 0o040) else {
            throw Failure(
                .usage, path: key, "The key of the certificate is not found.",
                remedy: "Name a PEM file with --key.")
        }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate)
            let key = try NIOSSLPrivateKey(bytes: secret, format: .pem)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            return configuration
        } catch {
            throw Failure(
                .usage, path: certificate, "The certificate or its key cannot be read.",
                remedy: "Give PEM files, the chain's first certificate being the server's.",
                cause: error)
        }
    }
}
