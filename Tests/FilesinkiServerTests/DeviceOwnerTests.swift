import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote
import FilesinkiServer
import FilesinkiTesting
import Testing

/// Whose acknowledgements a token may write and delete.
@Suite struct DeviceOwnerTests {
    let folder: TemporaryFolder
    let file: TokenFile
    let clock = TestClock()

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        file = TokenFile(path: folder.path("own/tokens"))
    }

    private func make(_ name: String, _ rights: Set<AccessRight> = [.read, .append]) throws
        -> (id: String, text: String)
    {
        let made = try file.makeToken(name: name, rights: rights, zones: nil, clock.systemContext)
        return (made.token.id, made.token.text)
    }

    private func with(_ body: (TestServer) async throws -> Void) async throws {
        try await withServer {
            $0.tokenFile = file.path
            $0.deviceFile = folder.path("own/devices")
        } _: {
            try await body($0)
        }
    }

    private func key(_ device: String, _ number: Int) -> String {
        "devices/\(device)/main/\(number)/c"
    }

    private func publish(
        _ server: TestServer, _ device: String, _ number: Int, _ token: String
    ) async throws -> Int {
        try await server.put(key(device, number), [1], publish: true, token: token).status
    }

    private func delete(
        _ server: TestServer, _ device: String, _ number: Int, _ token: String
    ) async throws -> Int {
        try await server.ask("DELETE", "/v1/objects/\(key(device, number))", token: token).status
    }

    @Test("E5.2 an append token writes and deletes only its own devices' acknowledgements")
    func own() async throws {
        let (mine, other) = (try make("laptop").text, try make("phone").text)
        try await with { server async throws -> Void in
            #expect(try await publish(server, "a", 1, mine) == 201)
            #expect(try await publish(server, "a", 2, mine) == 201)
            #expect(try await publish(server, "b", 1, other) == 201)
            // One machine may have several replicas.
            #expect(try await publish(server, "c", 1, mine) == 201)
            #expect(try await delete(server, "a", 1, other) == 403)
            #expect(try await publish(server, "a", 99, other) == 403)
            #expect(try await delete(server, "b", 1, mine) == 403)
            #expect(try await delete(server, "a", 1, mine) == 204)
            // A device without an owner is not the own one.
            _ = try await server.direct.publish([1], to: ObjectKey(key("d", 1)))
            #expect(try await delete(server, "d", 1, mine) == 403)
            let left = try await server.direct.list(prefix: "devices/", after: nil, limit: 99)
            #expect(
                left.map(\.key.description)
                    == [key("a", 2), key("b", 1), key("c", 1), key("d", 1)])
        }
        // It is known after a restart, too.
        try await with { server async throws -> Void in
            #expect(try await publish(server, "a", 3, other) == 403)
            #expect(try await delete(server, "a", 2, other) == 403)
            #expect(try await publish(server, "a", 3, mine) == 201)
        }
    }

    @Test("E5.2 a machine keeps its device when its token is replaced")
    func replaced() async throws {
        let first = try make("laptop")
        try await with { server async throws -> Void in
            #expect(try await publish(server, "a", 1, first.text) == 201)
            // Of the same name, before the old one is revoked.
            let second = try make("laptop")
            #expect(try await publish(server, "a", 2, second.text) == 201)
            #expect(try await delete(server, "a", 1, second.text) == 204)
            let third = try make("new laptop")
            #expect(try await publish(server, "a", 3, third.text) == 403)
            #expect(try file.revoke(id: second.id))
            #expect(try await publish(server, "a", 3, third.text) == 201)
            #expect(try await delete(server, "a", 2, third.text) == 204)
        }
    }

    @Test("E5.2 a token with the right to prune deletes any, and takes over a device by publishing")
    func prune() async throws {
        let (mine, admin) = (try make("laptop").text, try make("admin", [.append, .prune]).text)
        try await with { server async throws -> Void in
            #expect(try await publish(server, "a", 1, mine) == 201)
            #expect(try await delete(server, "a", 1, admin) == 204)
            #expect(try await publish(server, "a", 2, mine) == 201)
            #expect(try await publish(server, "a", 3, admin) == 201)
            #expect(try await publish(server, "a", 4, mine) == 403)
        }
    }
}
