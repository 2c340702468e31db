import AsyncHTTPClient
package import FilesinkiHTTP
import FilesinkiHashing
import FilesinkiModel
package import FilesinkiRemote
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server that is known by its certificate alone: neither authorities nor host names are asked.
package struct ServerPin: Hashable, Sendable {
    package var address: WebAddress
    package var fingerprint: CertificateFingerprint
    /// The certificate in DER form; nil while only its fingerprint is known.
    package var certificate: [UInt8]?

    package init(
        _ address: WebAddress, _ fingerprint: CertificateFingerprint, certificate: [UInt8]? = nil
    ) {
        self.address = address
        self.fingerprint = fingerprint
        self.certificate = certificate
    }
}

/// The client of one server, made when it is first needed: its settings may depend on the certificate,
/// which the server is asked for.
final class ClientSource: Sendable {
    private let made = Mutex<Task<HTTPClient, any Error>?>(nil)
    private let make: @Sendable () async throws -> HTTPClient

    init(_ make: @escaping @Sendable () async throws -> HTTPClient) { self.make = make }

    deinit {
        guard let task = made.withLock({ $0 }) else { return }
        // The connections are idle here; the process need not wait for them to close.
        Task { try? await task.value.shutdown() }
    }

    /// The client; the first call makes it. After a failure the next call tries again.
    func client() async throws -> HTTPClient {
        let make = make
        let task = made.withLock { made in
            if let made { return made }
            let task = Task { try await make() }
            made = task
            return task
        }
        do {
            return try await task.value
        } catch {
            made.withLock { if $0 == task { $0 = nil } }
            throw error
        }
    }
}

/// Asks a server for its certificate.
struct CertificateRequest {
    let host: String
    let port: Int
    /// The time limit for the connection and for the answer, each.
    let limit: TimeAmount

    /// The certificate that the server presents. The handshake is then given up: that the server has the
    /// key is proved when a connection is made that trusts this certificate only.
    func send() async throws -> NIOSSLCertificate {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        let context = try NIOSSLContext(configuration: configuration)
        let group = MultiThreadedEventLoopGroup.singleton
        let loop = group.next()
        let promise = loop.makePromise(of: NIOSSLCertificate.self)
        let name = isAddress ? nil : host
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(context: context, serverHostname: name) {
                        chain, verdict in
                        if let first = chain.first { promise.succeed(first) }
                        verdict.succeed(NIOSSLVerificationResult.failed)
                    }
                    try channel.pipeline.syncOperations.addHandlers(handler, Ending(promise))
                }
            }
        let channel: any Channel
        do {
            channel = try await bootstrap.connect(host: host, port: port).get()
        } catch {
            promise.fail(error)
            throw error
        }
        let deadline = loop.scheduleTask(in: limit) { promise.fail(HTTPClientError.readTimeout) }
        defer {
            deadline.cancel()
            channel.close(promise: nil)
        }
        return try await promise.futureResult.get()
    }

    /// Whether the host is an address, which must not be sent as a server's name.
    private var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: port)) != nil }

    /// Fails the promise when the connection ends before the certificate has come.
    private final class Ending: ChannelInboundHandler {
        typealias InboundIn = Any
        private let promise: EventLoopPromise<NIOSSLCertificate>

        init(_ promise: EventLoopPromise<NIOSSLCertificate>) { self.promise = promise }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            promise.fail(error)
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            promise.fail(HTTPClientError.remoteConnectionClosed)
        }
    }
}

extension ServerPin {
    /// The certificate that this pin is for: the known one, else the one that the server presents.
    ///
    /// - Parameters:
    ///   - limit: The time limit for a connection, and for the server's answer.
    ///   - learned: Called with a certificate in DER form that the server was asked for.
    /// - Throws: `Failure` with code `not-allowed` when the server presents another one.
    func findCertificate(
        _ limit: TimeAmount, _ learned: @Sendable ([UInt8]) -> Void
    ) async throws -> NIOSSLCertificate {
        if let certificate { return try NIOSSLCertificate(bytes: certificate, format: .der) }
        let (found, bytes, presented) = try await askServer(limit)
        guard presented == fingerprint else {
            throw Failure(
                .notAllowed, path: address.description,
                "The server's certificate has the fingerprint \(presented), and not "
                    + "\(fingerprint).",
                remedy: "Check the address, and ask the administrator for the fingerprint: "
                    + "clone, init and remote set take it with --fingerprint HEX.")
        }
        learned(bytes)
        return found
    }

    /// The failure that the server presents another certificate than the known one; nil if it does not, or
    /// does not answer.
    func replacement(_ limit: TimeAmount) async -> Failure? {
        guard certificate != nil, let presented = try? await askServer(limit).fingerprint,
            presented != fingerprint
        else { return nil }
        return Failure(
            .notAllowed, path: address.description,
            "The server's certificate is another one than before: the fingerprint was "
                + "\(fingerprint), and is \(presented).",
            remedy: "Another server may answer in its place: ask the administrator. If the "
                + "certificate was replaced, run filesinki remote set URL --fingerprint HEX with "
                + "the new one.")
    }

    /// The certificate that the server presents, also in DER form, and its fingerprint.
    private func askServer(
        _ limit: TimeAmount
    ) async throws -> (NIOSSLCertificate, bytes: [UInt8], fingerprint: CertificateFingerprint) {
        let request = CertificateRequest(
            host: address.connectHost, port: address.port ?? 443, limit: limit)
        let found = try await request.send()
        let bytes = try found.toDERBytes()
        return (found, bytes, CertificateFingerprint(hash: SHA256.hash(bytes)))
    }
}
