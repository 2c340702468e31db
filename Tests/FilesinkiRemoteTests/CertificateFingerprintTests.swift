import FilesinkiModel
import FilesinkiRemote
import Testing

@Suite struct CertificateFingerprintTests {
    private static let digits = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    private static let bytes: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF]

    /// As OpenSSL prints it.
    private static let colons = stride(from: 0, to: 64, by: 2).map { start in
        String(digits.uppercased().dropFirst(start).prefix(2))
    }.joined(separator: ":")

    @Test(arguments: [digits, digits.uppercased(), colons])
    func `a fingerprint is read as servers and OpenSSL print it`(_ text: String) throws {
        let fingerprint = try CertificateFingerprint(parsing: text)
        #expect(fingerprint.description == Self.digits)
        let hash = (0..<4).flatMap { _ in Self.bytes }
        #expect(fingerprint == CertificateFingerprint(hash: hash))
    }

    @Test(arguments: ["", "ab", String(digits.dropLast()), digits + "ab", "g" + digits.dropFirst()])
    func `anything else is refused`(_ text: String) {
        let failure = #expect(throws: Failure.self) { try CertificateFingerprint(parsing: text) }
        #expect(failure?.code == .usage)
    }
}
