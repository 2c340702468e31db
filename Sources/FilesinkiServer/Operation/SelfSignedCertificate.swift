import CCrypto
import Glibc

/// A new P-256 key, and a certificate of a server for it that the key itself signs.
package struct SelfSignedCertificate {
    /// In PEM.
    package let certificate: [UInt8]
    /// In PEM, PKCS #8, not encrypted.
    package let key: [UInt8]

    /// Makes a key and its certificate.
    ///
    /// - Parameters:
    ///   - hosts: The names and IP addresses that it is for.
    ///   - start: Seconds since 1970.
    ///   - end: Seconds since 1970.
    /// - Throws: ``CryptoError``.
    package init(hosts: [String], validFrom start: Int64, until end: Int64) throws(CryptoError) {
        // Without OpenSSL's settings of this machine, and nothing is left to do when the process exits.
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

    /// No KeyUsage: one that does not name the signing of certificates keeps clients on BoringSSL, our
    /// own among them, from taking it as the one that vouches for itself.
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

/// A function of libcrypto that did not do its work: there was no memory, or no randomness.
package struct CryptoError: Error {
    /// The function, or what it was to set.
    package let name: String
}

private func check(_ result: Int32, _ name: String) throws(CryptoError) {
    guard result > 0 else { throw CryptoError(name: name) }
}

private func some<Value>(_ value: Value?, _ name: String) throws(CryptoError) -> Value {
    guard let value else { throw CryptoError(name: name) }
    return value
}

/// The text that a function writes.
private func pem(_ write: (OpaquePointer) -> Int32) throws(CryptoError) -> [UInt8] {
    let output = try some(BIO_new(BIO_s_mem()), "BIO_new")
    defer { BIO_free(output) }
    try check(write(output), "PEM_write_bio")
    var text: UnsafeMutablePointer<UInt8>?
    let count = BIO_ctrl(output, BIO_CTRL_INFO, 0, &text)
    return Array(UnsafeBufferPointer(start: text, count: count))
}
