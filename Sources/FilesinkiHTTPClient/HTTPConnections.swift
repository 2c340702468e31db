import AsyncHTTPClient
package import FilesinkiHTTP
package import FilesinkiModel
package import FilesinkiRemote
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Connections to servers, kept open and shared between requests.
package final class HTTPConnections: HTTPTransport {
    private let source: ClientSource
    private let settings: ConnectionSettings
    private let bandwidth: Bandwidth?

    /// The slowest acceptable rate in bytes per second: 16 KiB.
    private static let slowestRate = 16 << 10

    /// - Parameters:
    ///   - bandwidth: Limits what is sent and received; nil for no limit.
    ///   - learned: Called with the certificate of a pinned server, in DER form, when the server was asked
    ///     for it.
    /// - Throws: `Failure` with code `usage` when the file of certificates cannot be read.
    package init(
        _ settings: ConnectionSettings = ConnectionSettings(), bandwidth: Bandwidth? = nil,
        learned: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) throws(Failure) {
        let settings = settings.shared(bandwidth)
        self.settings = settings
        self.bandwidth = bandwidth
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: .nanoseconds(settings.connectLimit.nanoseconds),
                read: .nanoseconds(settings.silenceLimit.nanoseconds),
                write: .nanoseconds(settings.silenceLimit.nanoseconds)))
        configuration.tlsConfiguration = try Self.tlsConfiguration(settings)
        configuration.proxy = settings.proxy.map(Self.proxy)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            settings.connections
        configuration.connectionPool.retryConnectionEstablishment = false
        // A commit is one small request: negotiating HTTP/2 costs more than it saves.
        configuration.httpVersion = .http1Only
        source = ClientSource { [configuration] in
            var configuration = configuration
            if let pin = settings.pin {
                let limit = TimeAmount.nanoseconds(settings.connectLimit.nanoseconds)
                let certificate = try await pin.findCertificate(limit, learned)
                configuration.tlsConfiguration?.trustRoots = .certificates([certificate])
                // The certificate tells who the server is, whatever its names.
                configuration.tlsConfiguration?.certificateVerification = .noHostnameVerification
            }
            return HTTPClient(
                eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
                configuration: configuration)
        }
    }

    package func send(_ request: HTTPRequest) async throws -> HTTPReply {
        do {
            let response = try await execute(request)
            var body: [UInt8] = []
            for try await part in response.body {
                guard body.count + part.readableBytes <= request.maximumReply else {
                    throw tooLong(request)
                }
                try await bandwidth?.receive(part.readableBytes)
                body.append(contentsOf: part.readableBytesView)
            }
            return HTTPReply(
                status: Int(response.status.code), fields: Self.fields(response), body: body)
        } catch {
            throw await failure(error, request)
        }
    }

    package func stream(
        _ request: HTTPRequest, _ receive: @Sendable (HTTPReply) async throws -> Bool
    ) async throws {
        do {
            let response = try await execute(request)
            let status = Int(response.status.code)
            let fields = Self.fields(response)
            guard try await receive(HTTPReply(status: status, fields: fields)) else { return }
            for try await part in response.body {
                try await bandwidth?.receive(part.readableBytes)
                let reply = HTTPReply(
                    status: status, fields: fields, body: Array(part.readableBytesView))
                guard try await receive(reply) else { return }
            }
        } catch {
            throw await failure(error, request)
        }
    }

    /// What an error means; of a server that is known by its certificate, also whether it has another one now.
    private func failure(_ error: any Error, _ request: HTTPRequest) async -> any Error {
        let failure = Self.failure(error, request)
        guard Self.isUntrustedCertificate(error), let pin = settings.pin else { return failure }
        let limit = TimeAmount.nanoseconds(settings.connectLimit.nanoseconds)
        return await pin.replacement(limit) ?? failure
    }

    private func execute(_ request: HTTPRequest) async throws -> HTTPClientResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.fields.all { outgoing.headers.add(name: name, value: value) }
        if let count = request.cutAfter {
            let part = ByteBuffer(bytes: request.body.prefix(count))
            outgoing.body = .stream(
                CutBody(part: part), length: .known(Int64(request.body.count)))
        } else if let bandwidth, !request.body.isEmpty {
            outgoing.body = .stream(
                SpreadBody(bytes: request.body, bandwidth: bandwidth),
                length: .known(Int64(request.body.count)))
        } else if !request.body.isEmpty || ["PUT", "POST"].contains(request.method) {
            outgoing.body = .bytes(request.body)
        }
        return try await source.client().execute(
            outgoing, timeout: .nanoseconds(limit(of: request).nanoseconds))
    }

    private func limit(of request: HTTPRequest) -> Duration {
        if let limit = request.limit { return limit }
        let bytes = Int64(request.body.count) + Int64(request.maximumReply)
        // Requests on all connections share the bandwidth.
        let limited = bandwidth?.time(for: bytes * Int64(settings.connections)) ?? .zero
        return settings.silenceLimit + .seconds(bytes / Int64(Self.slowestRate)) + limited
    }

    private func tooLong(_ request: HTTPRequest) -> Failure {
        Failure(
            .limit, path: request.addressForMessages,
            "The server's reply is longer than \(request.maximumReply) bytes.",
            remedy: "Check the address; another server may have replied.")
    }

    private static func fields(_ response: HTTPClientResponse) -> HTTPFields {
        HTTPFields(response.headers.map { ($0.name, $0.value) })
    }

    private static func tlsConfiguration(
        _ settings: ConnectionSettings
    ) throws(Failure) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        do {
            if let file = settings.certificateFile {
                let certificates = try NIOSSLCertificate.fromPEMFile(file)
                configuration.additionalTrustRoots = [.certificates(certificates)]
            } else if let bytes = settings.certificates {
                let certificates = try NIOSSLCertificate.fromPEMBytes(bytes)
                configuration.additionalTrustRoots = [.certificates(certificates)]
            }
        } catch {
            throw Failure(
                .usage, path: settings.certificateFile ?? "", "Cannot read the certificates.",
                remedy: "Name a file of certificates in PEM form.", cause: error)
        }
        return configuration
    }

    private static func proxy(_ proxy: ConnectionSettings.Proxy) -> HTTPClient.Configuration.Proxy {
        .server(
            host: proxy.host, port: proxy.port,
            authorization: proxy.authorization.map { .basic(credentials: $0.value) })
    }
}

/// A body that fails after its first part, which cuts the connection.
private struct CutBody: AsyncSequence, Sendable {
    struct CutError: Error {}

    struct AsyncIterator: AsyncIteratorProtocol {
        var part: ByteBuffer?

        mutating func next() async throws -> ByteBuffer? {
            guard let part else { throw CutError() }
            self.part = nil
            return part
        }
    }

    let part: ByteBuffer

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(part: part) }
}

/// A body that is sent in pieces, as fast as the bandwidth allows.
private struct SpreadBody: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        /// Small enough that connections which share a low bandwidth are not silent for long: 16 KiB.
        private static let pieceLength = 16 << 10

        var left: ArraySlice<UInt8>
        let bandwidth: Bandwidth

        mutating func next() async throws -> ByteBuffer? {
            guard !left.isEmpty else { return nil }
            let piece = left.prefix(Self.pieceLength)
            left = left.dropFirst(piece.count)
            try await bandwidth.send(piece.count)
            return ByteBuffer(bytes: piece)
        }
    }

    let bytes: [UInt8]
    let bandwidth: Bandwidth

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(left: bytes[...], bandwidth: bandwidth)
    }
}

extension Duration {
    /// Clamped to 64 bits.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 2 : whole + attoseconds / 1_000_000_000
    }
}

/// Settings of the connections to a server.
package struct ConnectionSettings: Hashable, Sendable {
    /// A PEM file of certificates to trust besides the system's; nil for none.
    package var certificateFile: String?
    /// Such certificates in PEM form, if no file is named.
    package var certificates: [UInt8]?
    /// Nil for direct connections.
    package var proxy: Proxy?
    /// The only server to trust; nil for those that the certificates vouch for.
    package var pin: ServerPin?
    /// The most simultaneous connections to one server.
    package var connections: Int
    /// The time limit for opening a connection.
    package var connectLimit: Duration
    /// How long the server may send nothing during an exchange.
    package var silenceLimit: Duration

    package struct Proxy: Hashable, Sendable {
        package var host: String
        package var port: Int
        package var authorization: Secret?

        package init(host: String, port: Int, authorization: Secret? = nil) {
            self.host = host
            self.port = port
            self.authorization = authorization
        }
    }

    package init(
        certificateFile: String? = nil, proxy: Proxy? = nil, connections: Int = 8,
        connectLimit: Duration = .seconds(10), silenceLimit: Duration = .seconds(30)
    ) {
        self.certificateFile = certificateFile
        self.proxy = proxy
        self.connections = connections
        self.connectLimit = connectLimit
        self.silenceLimit = silenceLimit
    }

    /// With the patience that connections need which share a bandwidth: one is silent while the others use it.
    fileprivate func shared(_ bandwidth: Bandwidth?) -> ConnectionSettings {
        var settings = self
        // About what each of them may have under way at one moment: 64 KiB.
        settings.silenceLimit += bandwidth?.time(for: Int64(connections) << 16) ?? .zero
        return settings
    }
}
