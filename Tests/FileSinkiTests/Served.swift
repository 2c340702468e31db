import FileSinki
import FilesinkiServer
import FilesinkiSystem

/// A server in this process, at an address that stays the same when it goes and comes back.
actor Served {
    nonisolated let address: String
    private var settings: ServerSettings
    private var server: RunningServer?

    init(_ folder: String) async throws {
        var settings = ServerSettings(folder: folder)
        settings.createsFolder = true
        settings.port = 0
        // The machine that runs the tests may be busy.
        settings.limits.headerTime = .seconds(600)
        settings.limits.idleTime = .seconds(600)
        let server = try await FilesinkiServer.start(settings, .ofMachine)
        settings.port = server.address.port
        self.settings = settings
        self.server = server
        address = "http://127.0.0.1:\(settings.port)"
    }

    func go() async throws {
        let running = server
        server = nil
        try await running?.stop()
    }

    func comeBack() async throws {
        server = try await FilesinkiServer.start(settings, .ofMachine)
    }
}
