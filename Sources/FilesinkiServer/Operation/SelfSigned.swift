import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import Glibc
import NIOSSL

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
    func prepare(_ systemContext: SystemContext) throws(Failure) -> String {
        let there = try PrivateFile(key).read()
        if there == nil { try make(systemContext) }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate)
            guard let first = chain.first else { throw damaged(nil) }
            return hexadecimal(SHA256.hash(try first.toDERBytes()))
        } catch {
            throw damaged(error)
        }
    }

    private func damaged(_ cause: (any Error)?) -> Failure {
        Failure(
            .corrupt, path: certificate, "The certificate could not be read.",
            remedy: "Remove server.key and server.pem; a new one is then made.", cause: cause)
    }

    private func make(_ systemContext: SystemContext) throws(Failure) {
        let now = systemContext.now().seconds
        let year: Int64 = 365 * 86_400
        let made: SelfSignedCertificate
        do {
            made = try SelfSignedCertificate(
                hosts: hosts, validFrom: now - 86_400, until: now + 10 * year)
        } catch {
            throw Failure(
                .io, path: certificate, "Cannot create a certificate.",
                remedy: "Give a certificate and its key.", cause: error)
        }
        // The key last: where it is, the certificate is.
        try PrivateFile(certificate).replace(with: made.certificate, mode: 0o644)
        try PrivateFile(key).replace(with: made.key)
    }

    /// The names and addresses that it is for: what is listened on, this machine's, and its name.
    private var hosts: [String] {
        var hosts = ["localhost", "127.0.0.1", "::1", host]
        var name = [CChar](repeating: 0, count: 256)
        if gethostname(&name, name.count - 1) == 0 {
            let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            hosts.append(String(decoding: bytes, as: UTF8.self))
        }
        var seen: Set<String> = []
        return hosts.filter { !$0.isEmpty && seen.insert($0).inserted }
    }
}
