import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote
import FilesinkiServer
import FilesinkiTesting
import Testing

/// Publications: exactly one of all who try wins, whichever way it came.
@Suite struct SlotTests {
    let slot = "zones/main/log/00000000000000000001/c"

    @Test func `the first wins, also when it asks again, and the others get its bytes`()
        async throws
    {
        try await withServer { server in
            #expect(try await server.put(slot, [1, 2, 3], publish: true).status == 201)
            #expect(try await server.put(slot, [1, 2, 3], publish: true).status == 201)
            let lost = try await server.put(slot, [4], publish: true)
            #expect(lost.status == 412)
            #expect(lost.body == [1, 2, 3])
            #expect(lost.fields["filesinki-protocol"] == "1")
            let counters = try await server.ask("GET", "/metrics").text
            #expect(counters.contains("filesinki_publications_total{outcome=\"won\"} 2\n"))
            #expect(counters.contains("filesinki_publications_total{outcome=\"lost\"} 1\n"))
        }
    }

    @Test func `a slot filled in the folder is full at the server, and the reverse`()
        async throws
    {
        try await withServer { server in
            let other = try ObjectKey("zones/main/log/00000000000000000002/c")
            #expect(try await server.direct.publish([7], to: other) == .mine)
            #expect(try await server.put(other.description, [8], publish: true).body == [7])
            _ = try await server.put(slot, [1], publish: true)
            #expect(try await server.direct.publish([2], to: ObjectKey(slot)) == .theirs([1]))
        }
    }

    static let slots = [
        "filesinki/c", "zones/main/log/00000000000000000001/c",
        "zones/main/checkpoints/00000000000000000001/c",
        "devices/000102030405060708090a0b0c0d0e0f/main/00000000000000000001/c", "moved/c",
    ]

    @Test("E5.1 only a publication fills a slot, whatever the token's rights", arguments: slots)
    func plainPut(_ slot: String) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        let rights: [Set<AccessRight>] = [[.append], [.read, .append, .prune]]
        let tokens = try rights.map { rights in
            try file.makeToken(name: "", rights: rights, zones: nil, TestClock().systemContext)
                .token
                .text
        }
        try await withServer {
            $0.tokenFile = file.path
        } _: { server in
            for token in tokens {
                let empty = try await server.put(slot, [1], token: token)
                #expect(empty.status == 428)
                #expect(empty.text.contains("\"code\":\"slot\""))
            }
            #expect(try await server.direct.list(prefix: "", after: nil, limit: 9).isEmpty)
            #expect(try await server.put(slot, [1], publish: true, token: tokens[0]).status == 201)
            for token in tokens {
                #expect(try await server.put(slot, [2], token: token).status == 428)
                let lost = try await server.put(slot, [2], publish: true, token: tokens[0])
                #expect(lost.body == [1])
            }
            #expect(try await server.direct.get(ObjectKey(slot), range: nil) == [1])
        }
    }

    @Test(
        "E5.1 nothing is written into the folder of a slot, or in its place",
        arguments: [
            "zones/main/log/1/d", "zones/main/log/1/x/c", "zones/main/log/1/c/c",
            "zones/main/log/1",
            "zones/main/log", "zones/main", "zones", "devices", "devices/d/main/1", "devices/d/x",
            "filesinki", "filesinki/d", "filesinki/x/c", "moved/d", "packs", "packs/0a",
            "packs/0a/1/c",
            "zones/main/parts", "zones/main/parts/0a", "zones/main/parts/0a/1/c",
        ])
    func besideSlots(_ key: String) async throws {
        try await withServer { server async throws -> Void in
            #expect(try await server.put(key, [1]).status == 400)
            #expect(try await server.put(key, [1], publish: true).status == 400)
            #expect(try await server.put("zones/main/log/1/c", [1], publish: true).status == 201)
            #expect(try await server.put("packs/0a/1", [1]).status == 201)
            #expect(try await server.put("packs/0b/1", [1], publish: true).status == 400)
        }
    }

    @Test("an archive takes the place of commits: it needs the right to remove them")
    func archive() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let file = TokenFile(path: folder.path("tokens"))
        let key = "zones/main/archives/00000000000000000009/000102030405060708090a0b0c0d0e0f"
        try await withServer {
            $0.tokenFile = file.path
        } _: { server in
            let rights: [(Set<AccessRight>, Int)] = [
                ([.read, .append], 403), ([.append, .prune], 201),
            ]
            for (rights, status) in rights {
                let token = try file.makeToken(
                    name: "\(status)", rights: rights, zones: nil, TestClock().systemContext)
                let reply = try await server.put(key, [1], token: token.token.text)
                #expect(reply.status == status)
                let slot = try await server.put(key, [1], publish: true, token: token.token.text)
                #expect(slot.status == (status == 403 ? 403 : 400))
            }
        }
    }

    @Test func `16 writers race for one slot, half of them in the folder`() async throws {
        try await withServer { server in
            for round in 1...10 {
                let key = try ObjectKey("zones/main/log/\(round)/c")
                let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
                    for writer in 0..<16 {
                        let bytes = [UInt8](repeating: UInt8(writer), count: 3000 + writer)
                        group.addTask {
                            if writer.isMultiple(of: 2) {
                                let outcome = try await server.direct.publish(bytes, to: key)
                                return outcome == .mine ? writer : nil
                            }
                            let reply = try await server.put(key.description, bytes, publish: true)
                            #expect(reply.status == 201 || reply.status == 412)
                            return reply.status == 201 ? writer : nil
                        }
                    }
                    return try await group.reduce(into: [Int]()) { winners, winner in
                        if let winner { winners.append(winner) }
                    }
                }
                #expect(winners.count == 1, "round \(round): \(winners)")
                let there = try await server.direct.get(key, range: nil)
                #expect(there?.first.map { Int($0) } == winners.first)
                #expect(
                    try await server.direct.list(prefix: "zones/", after: nil, limit: 99).count
                        == round)
            }
        }
    }

    @Test func `a publication has its own size limit, and needs a folder of its own`() async throws
    {
        try await withServer {
            $0.limits.publicationBytes = 10
        } _: { server in
            let large = try await server.put(slot, [UInt8](repeating: 0, count: 11), publish: true)
            #expect(large.status == 413)
            let top = try await server.put("top", [1], publish: true)
            #expect(top.status == 400)
            let wrong = ["Content-Digest": TestServer.digest([2])]
            let other = try await server.put(slot, [1], publish: true, wrong)
            #expect(other.status == 400)
            let there = try await server.ask("GET", "/v1/objects/\(slot)")
            #expect(there.status == 404)
        }
    }
}
