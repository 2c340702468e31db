import AsyncHTTPClient
package import FilesinkiModel
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Connections to servers, kept open between requests and shared by them.
package final class HTTPConnections: HTTPTransport {
    private let client: HTTPClient
    private let settings: ConnectionSettings

    /// Bytes a second below which a link is too slow to wait for: 16 KiB.
    private static let slowest = 16 << 10

    /// - Throws: `Failure` with code `usage` when the file of certificates cannot be read.
    package init(_ settings: ConnectionSettings = ConnectionSettings()) throws(Failure) {
        self.settings = settings
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: .nanoseconds(settings.connectLimit.nanoseconds),
                read: .nanoseconds(settings.silenceLimit.nanoseconds),
                write: .nanoseconds(settings.silenceLimit.nanoseconds)))
        configuration.tlsConfiguration = try Self.trust(settings)
        configuration.proxy = settings.proxy.map(Self.proxy)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            settings.connections
        configuration.connectionPool.retryConnectionEstablishment = false
        // A commit is one small request: what a second protocol would win is lost in its handshake.
        configuration.httpVersion = .http1Only
        client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
            configuration: configuration)
    }

    deinit {
        // What is closed here is idle; a process that ends need not wait for it.
        Task { [client] in try? await client.shutdown() }
    }

    package func send(_ request: HTTPRequest) async throws -> HTTPReply {
        do {
            let response = try await execute(request)
            var body: [UInt8] = []
            for try await part in response.body {
                guard body.count + part.readableBytes <= request.maximumReply else {
                    throw tooLong(request)
                }
                body.append(contentsOf: part.readableBytesView)
            }
            return HTTPReply(
                status: Int(response.status.code), fields: Self.fields(response), body: body)
        } catch {
            throw Self.failure(error, request)
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
                let reply = HTTPReply(
                    status: status, fields: fields, body: Array(part.readableBytesView))
                guard try await receive(reply) else { return }
            }
        } catch {
            throw Self.failure(error, request)
        }
    }

    private func execute(_ request: HTTPRequest) async throws -> HTTPClientResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.fields.all { outgoing.headers.add(name: name, value: value) }
        if let count = request.cutAfter {
            let part = ByteBuffer(bytes: request.body.prefix(count))
            outgoing.body = .stream(
                CutBody(part: part), length: .known(Int64(request.body.count)))
        } else if !request.body.isEmpty || ["PUT", "POST"].contains(request.method) {
            outgoing.body = .bytes(request.body)
        }
        return try await client.execute(
            outgoing, timeout: .nanoseconds(limit(of: request).nanoseconds))
    }

    private func limit(of request: HTTPRequest) -> Duration {
        if let limit = request.limit { return limit }
        let bytes = Int64(request.body.count) + Int64(request.maximumReply)
        return settings.silenceLimit + .seconds(bytes / Int64(Self.slowest))
    }

    private func tooLong(_ request: HTTPRequest) -> Failure {
        Failure(
            .limit, path: request.url,
            "The server's answer is longer than \(request.maximumReply) bytes.",
            remedy: "Check the address; what answers there may not be the store.")
    }

    private static func fields(_ response: HTTPClientResponse) -> HTTPFields {
        HTTPFields(response.headers.map { ($0.name, $0.value) })
    }

    private static func trust(_ settings: ConnectionSettings) throws(Failure) -> TLSConfiguration {
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
                .usage, path: settings.certificateFile ?? "", "These certificates cannot be read.",
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

/// A body that ends before its end.
private struct CutBody: AsyncSequence, Sendable {
    struct Cut: Error {}

    struct AsyncIterator: AsyncIteratorProtocol {
        var part: ByteBuffer?

        mutating func next() async throws -> ByteBuffer? {
            guard let part else { throw Cut() }
            self.part = nil
            return part
        }
    }

    let part: ByteBuffer

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(part: part) }
}

extension Duration {
    /// Held to what 64 bits can count.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 2 : whole + attoseconds / 1_000_000_000
    }
}
