import FilesinkiModel
import FilesinkiServer
import FilesinkiTesting
import Foundation
import Glibc
import Testing

/// A server that was started before there was a token, and folders that hold no store.
@Suite struct OpenServerTests {
    @Test("E5.4 a server without tokens requires one as soon as the first is created, for good")
    func firstToken() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("own/tokens"))
        try await withServer {
            $0.tokenFile = file.path
            $0.isOpenUntilFirstToken = true
            $0.limits.heartbeat = .milliseconds(10)
        } _: { server in
            func status(_ token: String? = nil) async throws -> Int {
                try await server.ask("GET", "/v1/list", token: token).status
            }
            #expect(try await status() == 200)
            #expect(try await server.put("packs/0a/1", [1]).status == 201)
            let listener = try server.connect()
            await listener.send(TestServer.head("GET", "/v1/events"))
            #expect(await listener.receive(until: "hello").contains("200 OK"))
            let made = try file.makeToken(
                name: "a", rights: [.read], zones: nil, TestClock().systemContext)
            #expect(try await status() == 401)
            #expect(try await status(made.token.text) == 200)
            #expect(try await server.put("packs/0a/2", [1]).status == 401)
            // Its stream of notices ends, too, with one of the next heartbeats.
            var isOver = false
            for _ in 0..<1000 where !isOver { isOver = await listener.receive().isEmpty }
            #expect(isOver)
            #expect(try file.revoke(id: made.token.id))
            #expect(try await status() == 401)
            unlink(file.path)
            #expect(try await status() == 401, "a server that needed a token is never open again")
        }
    }

    @Test("E5.4 a token file without tokens, or one that cannot be read, does not open the server")
    func emptyFile() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("own/tokens"))
        let made = try file.makeToken(
            name: "a", rights: [.read], zones: nil, TestClock().systemContext)
        #expect(try file.revoke(id: made.token.id))
        #expect(file.exists)
        for mode in [0o600, 0o644] as [mode_t] {
            chmod(file.path, mode)
            try await withServer {
                $0.tokenFile = file.path
                $0.isOpenUntilFirstToken = true
            } _: { server in
                let status = try await server.ask("GET", "/v1/list").status
                #expect(status == (mode == 0o600 ? 401 : 500))
            }
        }
    }

    @Test("E5.4 a server that listens beyond this machine never starts without tokens")
    func beyondLoopback() throws {
        var settings = ServerSettings(folder: "/nowhere")
        settings.host = "0.0.0.0"
        settings.tls = .selfSigned(folder: "/nowhere")
        settings.tokenFile = "/nowhere/tokens"
        try settings.check()
        settings.isOpenUntilFirstToken = true
        #expect(throws: Failure.self) { try settings.check() }
        settings.allowInsecure = true
        try settings.check()
    }

    @Test("E5.5 a missing, empty or foreign folder is served only with --create")
    func folders() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        mkdir(folder.path("empty"), 0o777)
        mkdir(folder.path("documents"), 0o777)
        mkdir(folder.path("documents/letters"), 0o777)
        for name in ["missing/deep", "empty", "documents"] {
            var settings = ServerSettings(folder: folder.path(name))
            settings.port = 0
            let failure = await #expect(throws: Failure.self) {
                _ = try await FilesinkiServer.start(settings, TestClock().systemContext)
            }
            #expect(failure?.code == .notFound, "\(name)")
            #expect(failure?.remedy.contains("--create") == true)
            #expect(access(folder.path(name) + "/.serve", F_OK) != 0, "nothing is made")
            settings.createsFolder = true
            try await FilesinkiServer.start(settings, TestClock().systemContext).stop()
            // From now on it is known.
            settings.createsFolder = false
            try await FilesinkiServer.start(settings, TestClock().systemContext).stop()
        }
    }

    @Test("E5.5 a store that was created without a server is served")
    func storeOfDirectory() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        mkdir(folder.path("store"), 0o777)
        mkdir(folder.path("store/filesinki"), 0o777)
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path("store/filesinki/c")))
        try ServedStore(folder.path("store")).prepare(creating: false)
        #expect(throws: Failure.self) {
            try ServedStore(folder.path("store/filesinki/c")).prepare(creating: true)
        }
    }
}
