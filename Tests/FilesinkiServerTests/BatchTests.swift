import FilesinkiDirectory
import FilesinkiHashing
import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import FilesinkiTesting
import Testing

/// Many objects in one round trip.
@Suite struct BatchTests {
    private func frames(_ reply: RawReply) throws -> [WireFrame] {
        #expect(reply.status == 200 && reply.isWhole, "\(reply.status) \(reply.text)")
        var reader = WireFrameReader()
        reader.add(reply.body)
        var frames: [WireFrame] = []
        while let frame = try reader.next() { frames.append(frame) }
        try reader.checkComplete()
        return frames
    }

    private func read(_ server: TestServer, _ requests: [ObjectRequest]) async throws -> [WireFrame]
    {
        try frames(
            try await server.ask("POST", "/v1/read", body: ReadLines.encode(requests)))
    }

    private func slot(_ number: Int) throws -> ObjectKey {
        let text = String(number)
        return try ObjectKey(
            "zones/main/log/\(String(repeating: "0", count: 20 - text.count))\(text)/c")
    }

    @Test func `each line gets a reply in order: bytes, ranges, absent and same`() async throws {
        try await withServer { server in
            let large = noise(3_000_000)
            try await server.direct.put([1, 2, 3, 4], to: ObjectKey("a"))
            try await server.direct.put(large, to: ObjectKey("large"))
            let hash = SHA256.hash([1, 2, 3, 4])
            let largeHash = SHA256.hash(large)
            let key = try ObjectKey("a")
            let big = try ObjectKey("large")
            let frames = try await read(
                server,
                [
                    ObjectRequest(key), ObjectRequest(key, range: 1..<3),
                    ObjectRequest(key, range: 2..<99), ObjectRequest(key, range: 50..<99),
                    ObjectRequest(key, known: hash), ObjectRequest(key, known: largeHash),
                    ObjectRequest(key, range: 0..<1, known: hash), ObjectRequest(big),
                    ObjectRequest(big, range: 2_999_998..<3_000_000),
                    ObjectRequest(big, known: largeHash), try ObjectRequest(ObjectKey("none/x")),
                    ObjectRequest(key),
                ])
            #expect(
                frames == [
                    .bytes([1, 2, 3, 4]), .bytes([2, 3]), .bytes([3, 4]), .bytes([]), .same,
                    .bytes([1, 2, 3, 4]), .same, .bytes(large), .bytes(Array(large.suffix(2))),
                    .same, .absent, .bytes([1, 2, 3, 4]),
                ])
            #expect(try await read(server, []).isEmpty)
        }
    }

    @Test func `a reply that is full marks the rest`() async throws {
        try await withServer { server in
            // Holes cost no disk.
            let size = 40 << 20
            try await server.direct.put([UInt8](repeating: 0, count: size), to: ObjectKey("big"))
            try await server.direct.put([1], to: ObjectKey("small"))
            let big = try ObjectRequest(ObjectKey("big"))
            let small = try ObjectRequest(ObjectKey("small"))
            let frames = try await read(server, [small, big, big, small])
            #expect(frames.count == 4)
            #expect(frames[0] == .bytes([1]))
            #expect(frames[2] == .askAgain && frames[3] == .askAgain)
        }
    }

    @Test func `10,000 objects take one round trip`() async throws {
        try await withServer { server in
            let keys = try (0..<10_000).map { try ObjectKey("other/\($0 % 7)/\($0)") }
            for key in keys.prefix(500) {
                try await server.direct.put(Array(key.description.utf8), to: key)
            }
            let frames = try await read(server, keys.map { ObjectRequest($0) })
            #expect(frames.count == 10_000)
            for (index, frame) in frames.enumerated() {
                let wanted: WireFrame =
                    index < 500 ? .bytes(Array(keys[index].description.utf8)) : .absent
                if frame != wanted { Issue.record("\(index): \(frame)") }
            }
            let lines = Array(keys.map { "\($0)\n" }.joined().utf8)
            let has = try await server.ask("POST", "/v1/has", body: lines)
            let answers = String(decoding: has.body, as: UTF8.self)
            #expect(answers == (0..<10_000).map { $0 < 500 ? "1\n" : "0\n" }.joined())
        }
    }

    @Test func `the log is read from a number to its end`() async throws {
        try await withServer { server in
            for number in 1...300 {
                _ = try await server.direct.publish(Array("\(number)".utf8), to: slot(number))
            }
            let all = try frames(try await server.ask("GET", "/v1/log/main?from=1"))
            #expect(all.count == 301)
            #expect(all.last == .absent)
            #expect(all.prefix(300).elementsEqual((1...300).map { .bytes(Array("\($0)".utf8)) }))
            let page = try frames(try await server.ask("GET", "/v1/log/main?from=5&limit=2"))
            #expect(page == [.bytes([0x35]), .bytes([0x36]), .askAgain])
            let end = try frames(try await server.ask("GET", "/v1/log/main?from=301&limit=5"))
            #expect(end == [.absent])
            let unknown = try frames(try await server.ask("GET", "/v1/log/none"))
            #expect(unknown == [.absent])
            let far = try frames(
                try await server.ask("GET", "/v1/log/main?from=18446744073709551615"))
            #expect(far == [.absent])
        }
    }

    @Test func `a list is paged, in the order of the keys`() async throws {
        try await withServer { server in
            for key in ["b/2", "a/1", "b/10", "c"] {
                try await server.direct.put(Array(key.utf8), to: ObjectKey(key))
            }
            func list(_ question: String) async throws -> String {
                try await server.ask("GET", "/v1/list\(question)").text
            }
            #expect(try await list("") == "3 a/1\n4 b/10\n3 b/2\n1 c\n")
            #expect(try await list("?prefix=b/") == "4 b/10\n3 b/2\n")
            #expect(try await list("?prefix=b%2F1") == "4 b/10\n")
            #expect(try await list("?limit=2") == "3 a/1\n4 b/10\n")
            #expect(try await list("?limit=2&after=b/10") == "3 b/2\n1 c\n")
        }
    }

    @Test(
        "a malformed batch request is refused",
        arguments: [
            ("GET", "/v1/list?limit=0", 400), ("GET", "/v1/list?limit=x", 400),
            ("GET", "/v1/list?prefix=../", 400), ("GET", "/v1/list?prefix=%zz", 400),
            ("GET", "/v1/list?limit=1&limit=2", 400), ("GET", "/v1/list?after=A", 400),
            ("GET", "/v1/log/main?from=-1", 400), ("GET", "/v1/log/main/x?from=1", 400),
            ("GET", "/v1/log/?from=1", 400), ("POST", "/v1/read", 400), ("POST", "/v1/has", 400),
            ("GET", "/v1/events?prefix=%2e%2e/", 400), ("HEAD", "/v1/uploads/xyz", 400),
            ("GET", "/v2/list", 404), ("GET", "/", 404),
        ])
    func malformed(_ method: String, _ target: String, _ status: Int) async throws {
        try await withServer { server in
            let body: [UInt8]? = method == "POST" ? Array("../x\n".utf8) : nil
            let reply = try await server.ask(method, target, body: body)
            #expect(reply.status == status)
        }
    }

    @Test func `a batch request that is too long is refused`() async throws {
        try await withServer { server in
            let lines = Array(String(repeating: "a\n", count: 10_001).utf8)
            let many = try await server.ask("POST", "/v1/has", body: lines)
            #expect(many.status == 413)
            let bytes = [UInt8](repeating: 0x61, count: (1 << 20) + 1)
            let long = try await server.ask("POST", "/v1/read", body: bytes)
            #expect(long.status == 413)
        }
    }
}
