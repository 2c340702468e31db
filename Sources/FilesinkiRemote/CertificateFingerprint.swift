package import FilesinkiModel

/// The SHA-256 of a server's certificate in DER form, by which the server is known when no authority vouches
/// for it.
package struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    private let hash: [UInt8]

    /// - Parameter hash: The SHA-256 of the certificate, 32 bytes.
    package init(hash: [UInt8]) { self.hash = hash }

    /// Parses 64 hexadecimal digits in either case, with or without colons between the bytes, as
    /// `openssl x509 -fingerprint -sha256` prints them.
    ///
    /// - Throws: `Failure` with code `usage` for anything else.
    package init(parsing text: String) throws(Failure) {
        let digits = text.filter { $0 != ":" }
        guard let hash = bytes(hexadecimal: digits), hash.count == 32 else {
            throw Failure(
                .usage, path: text, "Not the fingerprint of a certificate.",
                remedy: "Give the 64 digits that filesinki serve --self-signed prints.")
        }
        self.hash = hash
    }

    /// 64 hexadecimal digits in lower case.
    package var description: String { hexadecimal(hash) }
}
