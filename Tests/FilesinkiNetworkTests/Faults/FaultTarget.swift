import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiRemote
import FilesinkiServer
import FilesinkiServerRemote
import FilesinkiTesting
import FilesinkiWebDAV
import Glibc

@testable import FilesinkiS3

/// An empty store at a server that speaks plain HTTP, so that a proxy can stand before it.
struct FaultTarget: Sendable {
    /// The server's port on 127.0.0.1.
    let port: Int
    /// Opens the remote by way of another port.
    let connect: @Sendable (_ port: Int, ConnectionSettings) throws -> any Remote
    /// Keeps the server alive.
    private let keeper: any Sendable

    /// The kinds of this run that a proxy can look into; without a wish, the own server.
    static let kinds: [RemoteKind] =
        getenv("FILESINKI_REMOTES") == nil
        ? [.server]
        : RemoteKind.chosen.filter {
            ![.directory, .secureServer, .ssh, .sshFilesinki, .rclone].contains($0)
        }

    static func make(_ kind: RemoteKind) async throws -> FaultTarget {
        switch kind {
        case .server: return try await ownServer()
        case .ceph: return try await bucket()
        default: return try await webDAV(kind)
        }
    }

    /// - Parameter adjust: Changes the server's settings before it starts.
    static func ownServer(
        _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> FaultTarget {
        let folder = try TemporaryFolder(inMemory: true)
        var settings = ServerSettings(folder: folder.path("store"))
        settings.createsFolder = true
        settings.port = 0
        adjust(&settings)
        let server = try await FilesinkiServer.start(settings, .quick)
        return FaultTarget(
            port: server.address.port,
            connect: { port, settings in
                let address = WebAddress(isSecure: false, host: "127.0.0.1", port: port)
                let transport = try HTTPConnections(settings)
                return try ServerRemote(
                    address: address, transport: transport, systemContext: .quick)
            },
            keeper: ServerKeeper {
                try? await server.stop()
                _ = folder
            })
    }

    private static func webDAV(_ kind: RemoteKind) async throws -> FaultTarget {
        let server = try await started(kind)
        let path = server.path + "/" + name()
        return FaultTarget(
            port: server.port ?? 0,
            connect: { port, settings in
                WebDAVRemote(
                    address: WebAddress(
                        isSecure: false, host: "127.0.0.1", port: port, path: path),
                    transport: try HTTPConnections(settings), credentials: .none,
                    systemContext: .quick)
            }, keeper: ())
    }

    private static func bucket() async throws -> FaultTarget {
        let server = try await started(.ceph)
        let prefix = name()
        let credentials = S3Credentials(
            keyID: RemoteKind.cephKey.name, secretKey: Secret(RemoteKind.cephKey.secret))
        let connect: @Sendable (Int, ConnectionSettings) throws -> S3Remote = { port, settings in
            let endpoint = WebAddress(isSecure: false, host: "127.0.0.1", port: port)
            return S3Remote(
                address: S3Address(
                    bucket: "faults", prefix: prefix, endpoint: endpoint, region: "us-east-1",
                    style: .path),
                transport: try HTTPConnections(settings), credentials: credentials,
                systemContext: .quick)
        }
        let remote = try connect(server.port ?? 0, ConnectionSettings())
        // 409 says that it is ours already.
        let reply = try await remote.connection.send(.init(method: "PUT"))
        guard reply.isSuccess || reply.status == 409 else {
            throw Failure(.away, S3Error(reply).code, remedy: "\(reply.status)")
        }
        return FaultTarget(port: server.port ?? 0, connect: connect, keeper: ())
    }

    private static func started(_ kind: RemoteKind) async throws -> WebAddress {
        guard let server = kind.realServer else {
            throw Failure(.usage, "\(kind) has no server.", remedy: "")
        }
        return try WebAddress(await server.sharedAddress(), schemes: ["http": false])
    }

    private static func name() -> String {
        String(UInt64.random(in: .min ... .max), radix: 16)
    }
}

/// Ends a server of this process when it is deallocated.
private final class ServerKeeper: Sendable {
    private let stop: @Sendable () async -> Void

    init(stop: @escaping @Sendable () async -> Void) { self.stop = stop }

    deinit {
        Task { [stop] in await stop() }
    }
}
