import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiServer
import FilesinkiServerRemote
import FilesinkiSystem
import FilesinkiTesting

/// A server on a folder of its own, and ways to it.
final class ServedFolder: Sendable {
    let folder: TemporaryFolder
    let server: RunningServer
    private let token: Secret?

    /// A certificate is held against the real time.
    static let systemContext = SystemContext.ofMachine

    /// - Parameter isPrivate: Whether connections are encrypted and a token is asked for.
    init(
        isPrivate: Bool = false, rights: Set<AccessRight> = Set(AccessRight.allCases),
        zones: Set<String>? = nil, _ adjust: (inout ServerSettings) throws -> Void = { _ in }
    ) async throws {
        folder = try TemporaryFolder(inMemory: true)
        var settings = ServerSettings(folder: folder.path("store"))
        settings.createsFolder = true
        settings.port = 0
        // The machine that runs the tests may be busy.
        settings.limits.headerTime = .seconds(600)
        settings.limits.idleTime = .seconds(600)
        if isPrivate {
            let file = TokenFile(path: folder.path("own/tokens"))
            settings.tls = .selfSigned(folder: folder.path("own"))
            settings.tokenFile = file.path
            token = Secret(
                try file.makeToken(name: "test", rights: rights, zones: zones, Self.systemContext)
                    .token.text)
        } else {
            token = nil
        }
        try adjust(&settings)
        server = try await FilesinkiServer.start(settings, Self.systemContext)
    }

    /// A remote with connections of its own.
    func remote(token other: Secret? = nil) throws -> ServerRemote {
        let isSecure = server.address.isSecure
        var settings = ConnectionSettings(
            connections: 32, connectLimit: .seconds(600), silenceLimit: .seconds(600))
        if isSecure { settings.certificateFile = folder.path("own/server.pem") }
        return try ServerRemote(
            address: WebAddress(isSecure: isSecure, host: "localhost", port: server.address.port),
            transport: HTTPConnections(settings),
            credentials: other.map(Credentials.bearer) ?? credentials,
            systemContext: Self.systemContext)
    }

    /// The token that the server asks for, if it does.
    var credentials: Credentials { token.map(Credentials.bearer) ?? .none }
}

/// Gives a server for as long as the body takes.
func withServedFolder(
    _ served: ServedFolder, _ body: (ServedFolder) async throws -> Void
) async throws {
    do {
        try await body(served)
    } catch {
        try? await served.server.stop()
        throw error
    }
    try await served.server.stop()
}
