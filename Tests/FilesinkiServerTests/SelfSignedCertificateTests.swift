import FilesinkiServer
import NIOSSL
import Testing

/// The certificate that a server makes for itself.
@Suite struct SelfSignedCertificateTests {
    private func names(_ certificate: NIOSSLCertificate) -> [String] {
        certificate._subjectAlternativeNames().map { name in
            let bytes = Array(name.contents)
            return switch name.nameType {
            case .dnsName: "name \(String(decoding: bytes, as: UTF8.self))"
            case .ipAddress: "address \(bytes.map(String.init).joined(separator: "."))"
            default: "other"
            }
        }
    }

    @Test("H6 a self-signed certificate has the requested names, addresses and dates")
    func contents() throws {
        let made = try SelfSignedCertificate(
            hosts: ["localhost", "127.0.0.1", "::1", "a,IP:10.0.0.1"], validFrom: 1_700_000_000,
            until: 2_900_000_000)
        let certificate = try NIOSSLCertificate(bytes: made.certificate, format: .pem)
        let local = "address 0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1"
        #expect(
            names(certificate) == [
                "name localhost", "address 127.0.0.1", local, "name a,IP:10.0.0.1",
            ])
        #expect(certificate.notValidBefore == 1_700_000_000)
        // Beyond 2049 the standard has another form of dates.
        #expect(certificate.notValidAfter == 2_900_000_000)
        #expect(certificate.description.contains("common_name=filesinki"))
        let key = try NIOSSLPrivateKey(bytes: made.key, format: .pem)
        #expect(try certificate.extractPublicKey().toSPKIBytes().count == 91, "a P-256 key")
        _ = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(certificate)], privateKey: .privateKey(key)))
    }

    @Test("H6 two certificates have two keys and two serial numbers")
    func chance() throws {
        let made = try (0..<2).map { _ in
            try SelfSignedCertificate(hosts: ["a"], validFrom: 0, until: 1)
        }
        #expect(made[0].key != made[1].key)
        let numbers = try made.map {
            try NIOSSLCertificate(bytes: $0.certificate, format: .pem).serialNumber
        }
        #expect(numbers[0] != numbers[1])
    }
}
