import CCrypto
import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import Glibc
import NIOSSL

/// The certificate of a server.
struct ServerCertificate {
    var configuration: TLSConfiguration
    /// SHA-256 of the certificate in hexadecimal, if it is self-signed.
    var fingerprint: String?

    /// Nil without encryption.
    ///
    /// - Throws: `Failure`: `usage` for invalid files, `not-allowed` when other users can read the key, and
    ///   the failures of creating a certificate.
    static func load(
        _ settings: ServerSettings, _ systemContext: SystemContext
    ) throws(Failure) -> ServerCertificate? {
        switch settings.tls {
        case .none: return nil
        case .files(let certificate, let key):
            return ServerCertificate(configuration: try configuration(certificate, key))
        case .selfSigned(let folder):
            let own = SelfSignedFiles(folder: folder, host: settings.host)
            let fingerprint = try own.prepare(systemContext)
            return ServerCertificate(
                configuration: try configuration(own.certificate, own.key),
                fingerprint: fingerprint)
        }
    }

    /// - Parameter key: The key file. Its group may read it, as is usual on some systems.
    private static func configuration(
        _ certificate: String, _ key: String
    ) throws(Failure) -> TLSConfiguration {
        guard let secret = try PrivateFile(key).read(allowing: 0o040) else {
            throw Failure(
                .usage, path: key, "The key of the certificate was not found.",
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
                .usage, path: certificate, "Cannot read the certificate or its key.",
                remedy:
                    "Name PEM files. The server's certificate must be the first one of the chain.",
                cause: error)
        }
    }
}

/// The files of a self-signed certificate, which clients identify by its fingerprint.
struct SelfSignedFiles {
    let folder: String
    /// The name or address that the server listens on.
    let host: String

    var certificate: String { folder + "/server.pem" }
    var key: String { folder + "/server.key" }

    /// Creates the files if they are missing.
    ///
    /// - Returns: The certificate's fingerprint.
    /// - Throws: `Failure`: `not-allowed`, `full`, `io`; `corrupt` when the files are damaged.
    func prepare(_ systemContext: SystemContext) throws(Failure) -> String {
        if try PrivateFile(key).read() == nil { try createFiles(systemContext) }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate)
            guard let first = chain.first else { throw damagedError(nil) }
            return hexadecimal(SHA256.hash(try first.toDERBytes()))
        } catch {
            throw damagedError(error)
        }
    }

    private func damagedError(_ cause: (any Error)?) -> Failure {
        Failure(
            .corrupt, path: certificate, "Cannot read the certificate.",
            remedy: "Remove server.key and server.pem; the server then creates new ones.",
            cause: cause)
    }

    private func createFiles(_ systemContext: SystemContext) throws(Failure) {
        let now = systemContext.now().seconds
        let year: Int64 = 365 * 86_400
        let made: SelfSignedCertificate
        do {
            made = try SelfSignedCertificate(
                hosts: hosts, validFrom: now - 86_400, until: now + 10 * year)
        } catch {
            throw Failure(
                .io, path: certificate, "Cannot create a certificate.",
                remedy: "Use a certificate and key of your own.", cause: error)
        }
        // The key last, because its existence means that the certificate exists.
        try PrivateFile(certificate).replace(with: made.certificate, mode: 0o644)
        try PrivateFile(key).replace(with: made.key)
    }

    /// The names and addresses that the certificate is valid for: that of the server, and this machine's.
    private var hosts: [String] {
        var hosts = ["localhost", "127.0.0.1", "::1", host]
        if let name = HostName.own { hosts.append(name) }
        var seen: Set<String> = []
        return hosts.filter { !$0.isEmpty && seen.insert($0).inserted }
    }
}

/// The name of this machine.
enum HostName {
    /// Nil when it has none.
    static var own: String? {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return nil }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}

/// A new P-256 key with a self-signed server certificate.
package struct SelfSignedCertificate {
    /// In PEM.
    package let certificate: [UInt8]
    /// In PEM, PKCS #8, not encrypted.
    package let key: [UInt8]

    /// Creates a key and its certificate.
    ///
    /// - Parameters:
    ///   - hosts: The names and IP addresses that the certificate is valid for.
    ///   - start: The begin of its validity, in seconds since 1970.
    ///   - end: The end of its validity, in seconds since 1970.
    /// - Throws: ``CryptoError``.
    package init(hosts: [String], validFrom start: Int64, until end: Int64) throws(CryptoError) {
        // Without this machine's OpenSSL configuration, and without an exit handler.
        let options = OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT
        try check(OPENSSL_init_crypto(UInt64(options), nil), "OPENSSL_init_crypto")
        let key = try Self.makeKey()
        defer { EVP_PKEY_free(key) }
        let certificate = try some(X509_new(), "X509_new")
        defer { X509_free(certificate) }
        try check(X509_set_version(certificate, Int(X509_VERSION_3)), "X509_set_version")
        let serial = UInt64.random(in: 1...UInt64(Int64.max))
        try check(
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial), "serialNumber")
        _ = try some(ASN1_TIME_set(X509_getm_notBefore(certificate), Int(start)), "notBefore")
        _ = try some(ASN1_TIME_set(X509_getm_notAfter(certificate), Int(end)), "notAfter")
        try Self.setName(of: certificate)
        try check(X509_set_pubkey(certificate, key), "X509_set_pubkey")
        try Self.addExtensions(to: certificate, hosts)
        try check(X509_sign(certificate, key, EVP_sha256()), "X509_sign")
        self.certificate = try pem { PEM_write_bio_X509($0, certificate) }
        self.key = try pem { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    private static func makeKey() throws(CryptoError) -> OpaquePointer {
        let generator = try some(EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "EC")
        defer { EVP_PKEY_CTX_free(generator) }
        try check(EVP_PKEY_keygen_init(generator), "EVP_PKEY_keygen_init")
        try check(EVP_PKEY_CTX_set_group_name(generator, "P-256"), "P-256")
        var key: OpaquePointer?
        try check(EVP_PKEY_generate(generator, &key), "EVP_PKEY_generate")
        return try some(key, "EVP_PKEY_generate")
    }

    private static func setName(of certificate: OpaquePointer) throws(CryptoError) {
        let name = X509_get_subject_name(certificate)
        try check(
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, "filesinki", -1, -1, 0), "CN")
        try check(X509_set_issuer_name(certificate, name), "X509_set_issuer_name")
    }

    /// Without KeyUsage: BoringSSL, which our own client uses, rejects a self-signed certificate whose
    /// KeyUsage does not include the signing of certificates.
    private static func addExtensions(
        to certificate: OpaquePointer, _ hosts: [String]
    ) throws(CryptoError) {
        let constraints = try some(BASIC_CONSTRAINTS_new(), "BASIC_CONSTRAINTS_new")
        defer { BASIC_CONSTRAINTS_free(constraints) }
        try check(
            X509_add1_ext_i2d(certificate, NID_basic_constraints, constraints, 1, 0),
            "basicConstraints")

        let usage = try some(EXTENDED_KEY_USAGE_new(), "EXTENDED_KEY_USAGE_new")
        defer { EXTENDED_KEY_USAGE_free(usage) }
        try check(OPENSSL_sk_push(usage, .init(OBJ_nid2obj(NID_server_auth))), "OPENSSL_sk_push")
        try check(
            X509_add1_ext_i2d(certificate, NID_ext_key_usage, .init(usage), 0, 0),
            "extendedKeyUsage")

        let names = try some(GENERAL_NAMES_new(), "GENERAL_NAMES_new")
        defer { GENERAL_NAMES_free(names) }
        for host in hosts {
            let kind = isAddress(host) ? GEN_IPADD : GEN_DNS
            let name = try some(a2i_GENERAL_NAME(nil, nil, nil, kind, host, 0), "a2i_GENERAL_NAME")
            try check(OPENSSL_sk_push(names, name), "OPENSSL_sk_push")
        }
        try check(
            X509_add1_ext_i2d(certificate, NID_subject_alt_name, .init(names), 0, 0),
            "subjectAltName")
    }

    private static func isAddress(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1
    }
}

/// A function of libcrypto failed, for lack of memory or randomness.
package struct CryptoError: Error {
    /// The function, or the field that it should set.
    package let name: String
}

private func check(_ result: Int32, _ name: String) throws(CryptoError) {
    guard result > 0 else { throw CryptoError(name: name) }
}

private func some<Value>(_ value: Value?, _ name: String) throws(CryptoError) -> Value {
    guard let value else { throw CryptoError(name: name) }
    return value
}

/// The PEM text that a function writes.
private func pem(_ write: (OpaquePointer) -> Int32) throws(CryptoError) -> [UInt8] {
    let output = try some(BIO_new(BIO_s_mem()), "BIO_new")
    defer { BIO_free(output) }
    try check(write(output), "PEM_write_bio")
    var text: UnsafeMutablePointer<UInt8>?
    let count = BIO_ctrl(output, BIO_CTRL_INFO, 0, &text)
    return Array(UnsafeBufferPointer(start: text, count: count))
}
