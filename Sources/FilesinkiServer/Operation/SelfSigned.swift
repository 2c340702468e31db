import Crypto
import FilesinkiModel
import FilesinkiProcess
import Glibc
import NIOSSL
import SwiftASN1
import X509

/// A certificate that the server makes for itself, for those who go by its fingerprint.
struct SelfSigned {
    let folder: String
    /// What the server listens on: a name or an address.
    let host: String

    var certificate: String { folder + "/server.pem" }
    var key: String { folder + "/server.key" }

    /// Makes the files unless they are there.
    ///
    /// - Returns: The certificate's fingerprint.
    /// - Throws: `Failure`: `not-allowed`, `full`, `io`; `corrupt` when the files are none.
    func prepare(_ surroundings: Surroundings) throws(Failure) -> String {
        let there = try PrivateFile(key).read()
        if there == nil { try make(surroundings) }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate)
            guard let first = chain.first else { throw damaged(nil) }
            return hexadecimal(SHA256.hash(data: try first.toDERBytes()))
        } catch {
            throw damaged(error)
        }
    }

    private func damaged(_ cause: (any Error)?) -> Failure {
        Failure(
            .corrupt, path: certificate, "The certificate could not be read.",
            remedy: "Remove server.key and server.pem; a new one is then made.", cause: cause)
    }

    private func make(_ surroundings: Surroundings) throws(Failure) {
        let key = P256.Signing.PrivateKey()
        let text: String
        do {
            text = try sign(key, surroundings).serializeAsPEM().pemString
        } catch {
            throw Failure(
                .io, path: certificate, "Cannot create a certificate.",
                remedy: "Give a certificate and its key.", cause: error)
        }
        // The key last: where it is, the certificate is.
        try PrivateFile(certificate).replace(with: Array((text + "\n").utf8), mode: 0o644)
        try PrivateFile(self.key).replace(with: Array((key.pemRepresentation + "\n").utf8))
    }

    private func sign(
        _ key: P256.Signing.PrivateKey, _ surroundings: Surroundings
    ) throws -> Certificate {
        let name = try DistinguishedName { CommonName("filesinki") }
        let now = surroundings.now().seconds
        let year: Int64 = 365 * 86_400
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: date(now - 86_400), notValidAfter: date(now + 10 * year),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                // No KeyUsage: one that does not name the signing of certificates keeps clients on
                // BoringSSL, our own among them, from taking it as the one that vouches for itself.
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names)
            },
            issuerPrivateKey: Certificate.PrivateKey(key))
    }

    /// The names and addresses that it is for: what is listened on, this machine's, and its name.
    private var names: [GeneralName] {
        var hosts = ["localhost", "127.0.0.1", "::1", host]
        var name = [CChar](repeating: 0, count: 256)
        if gethostname(&name, name.count - 1) == 0 {
            let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            hosts.append(String(decoding: bytes, as: UTF8.self))
        }
        var seen: Set<String> = []
        return hosts.filter { !$0.isEmpty && seen.insert($0).inserted }.map { host in
            Self.address(host).map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) }
                ?? .dnsName(host)
        }
    }

    /// The bytes of an IPv4 or IPv6 address; nil for a name.
    private static func address(_ text: String) -> [UInt8]? {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
        var v6 = in6_addr()
        if inet_pton(AF_INET6, text, &v6) == 1 { return withUnsafeBytes(of: v6) { Array($0) } }
        return nil
    }
}
