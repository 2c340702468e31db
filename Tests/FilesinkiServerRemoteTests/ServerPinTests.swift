import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiRemote
import FilesinkiServer
import FilesinkiServerRemote
import FilesinkiTesting
import Synchronization
import Testing

/// A server that is known by the fingerprint of its certificate.
@Suite struct ServerPinTests {
    private let key: ObjectKey

    init() throws { key = try ObjectKey("other/a") }

    /// What a connection told of the server's certificate.
    private final class Learned: Sendable {
        private let certificates = Mutex<[[UInt8]]>([])

        var all: [[UInt8]] { certificates.withLock { $0 } }

        func append(_ certificate: [UInt8]) {
            certificates.withLock { $0.append(certificate) }
        }
    }

    private func remote(
        _ served: ServedFolder, _ fingerprint: CertificateFingerprint,
        certificate: [UInt8]? = nil, learned: Learned = Learned()
    ) throws -> ServerRemote {
        let address = WebAddress(
            isSecure: true, host: served.server.address.host, port: served.server.address.port)
        var settings = ConnectionSettings(
            connections: 4, connectLimit: .seconds(600), silenceLimit: .seconds(600))
        settings.pin = ServerPin(address, fingerprint, certificate: certificate)
        let transport = try HTTPConnections(settings) { learned.append($0) }
        return try ServerRemote(
            address: address, transport: transport, credentials: served.credentials,
            systemContext: ServedFolder.systemContext)
    }

    private func fingerprint(of served: ServedFolder) throws -> CertificateFingerprint {
        try CertificateFingerprint(parsing: #require(served.server.address.fingerprint))
    }

    /// A server at an address that its certificate does not name.
    private func servedElsewhere() async throws -> ServedFolder {
        try await ServedFolder(isPrivate: true) { settings in
            let store = ServedStore(settings.folder)
            try store.prepare(creating: true)
            _ = try store.makeCertificate(ServedFolder.systemContext)
            settings.tls = .selfSigned(folder: store.privateFolder)
            settings.host = "127.0.0.2"
        }
    }

    @Test func `the fingerprint is enough, at any address of the server`() async throws {
        try await withServedFolder(servedElsewhere()) { served in
            let learned = Learned()
            let wanted = try fingerprint(of: served)
            let remote = try remote(served, wanted, learned: learned)
            // One certificate is asked for, however many requests wait for it.
            _ = try await mapConcurrently(Array(0..<8), limit: 8) { _ in
                try await remote.get(self.key, range: nil)
            }
            try await remote.put([1, 2], to: key)
            #expect(try await remote.get(key, range: nil) == [1, 2])
            #expect(learned.all.count == 1)

            let known = try #require(learned.all.first)
            let later = Learned()
            let second = try self.remote(served, wanted, certificate: known, learned: later)
            #expect(try await second.get(key, range: nil) == [1, 2])
            #expect(later.all.isEmpty)
        }
    }

    @Test func `a server with another certificate is not allowed`() async throws {
        try await withServedFolder(servedElsewhere()) { served in
            let other = CertificateFingerprint(hash: [UInt8](repeating: 7, count: 32))
            let remote = try remote(served, other)
            let failure = await #expect(throws: Failure.self) {
                try await remote.get(key, range: nil)
            }
            #expect(failure?.code == .notAllowed)
            let presented = try #require(served.server.address.fingerprint)
            #expect(failure?.description.contains(presented) == true)
        }
    }

    @Test func `a certificate that the server replaced is not allowed`() async throws {
        let learned = Learned()
        let first = try await servedElsewhere()
        let wanted = try fingerprint(of: first)
        try await withServedFolder(first) { served in
            _ = try await remote(served, wanted, learned: learned).get(key, range: nil)
        }
        let old = try #require(learned.all.first)
        try await withServedFolder(servedElsewhere()) { served in
            let remote = try remote(served, wanted, certificate: old)
            let failure = await #expect(throws: Failure.self) {
                try await remote.get(key, range: nil)
            }
            #expect(failure?.code == .notAllowed)
            // Both are named: an unknown certificate would read otherwise.
            let presented = try fingerprint(of: served)
            #expect(
                failure?.message.contains("was \(wanted), and is \(presented)") == true,
                "\(String(describing: failure))")
        }
    }

    @Test func `a server that is not there is away`() async throws {
        let served = try await servedElsewhere()
        let wanted = try fingerprint(of: served)
        let remote = try remote(served, wanted)
        try await served.server.stop()
        let failure = await #expect(throws: Failure.self) {
            try await remote.get(key, range: nil)
        }
        #expect(failure?.code == .away)
    }
}
