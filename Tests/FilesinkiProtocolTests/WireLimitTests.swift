import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import Testing

/// The limits of requests and replies, each side of them, and what stands in documents.
@Suite struct WireLimitTests {
    @Test(
        "a batch request within its lines and bytes",
        arguments: [(10_000, nil), (10_001, "limit")] as [(Int, String?)])
    func lines(_ count: Int, _ code: String?) throws {
        let text = Array(String(repeating: "a\n", count: count).utf8)
        for decode in [
            { _ = try ReadLines.decode(text) }, { _ = try KeyLines.decode(text) },
        ] as [() throws -> Void] {
            do {
                try decode()
                #expect(code == nil)
            } catch let failure as Failure {
                #expect(failure.code.description == code)
            }
        }
    }

    @Test func `a request of a megabyte is within its bytes`() {
        let line = String(repeating: "a", count: 511) + "\n"
        let most = Array(String(repeating: line, count: 2048).utf8)
        #expect(most.count == WireLimits.batchBytes)
        #expect(throws: Never.self) { try ReadLines.decode(most) }
        let failure = #expect(throws: Failure.self) { try ReadLines.decode(most + [0x61, 0x0A]) }
        #expect(failure?.code == .limit)
    }

    @Test(
        "keys of a request, line by line",
        arguments: [
            ("", []), ("a\n", ["a"]), ("a\nb/c\n", ["a", "b/c"]), ("a", nil), ("\n", nil),
            ("a\n\n", nil), ("a b\n", nil), ("A\n", nil),
        ] as [(String, [String]?)])
    func keys(_ text: String, _ keys: [String]?) {
        #expect((try? KeyLines.decode(Array(text.utf8)))?.map(\.description) == keys)
    }

    @Test func `a request that is no UTF-8 is refused`() {
        #expect(throws: Failure.self) { try ReadLines.decode([0xFF, 0x0A]) }
        #expect(throws: Failure.self) { try KeyLines.decode([0xFF, 0x0A]) }
    }

    @Test(
        "a range and a hash of a request",
        arguments: [
            ("a 0-0", 0..<0), ("a 5-9", 5..<9), ("a 0-9223372036854775807", 0..<Int64.max),
            ("a", nil),
        ] as [(String, Range<Int64>?)])
    func ranges(_ line: String, _ range: Range<Int64>?) throws {
        let request = try #require(try ReadLines.decode(Array((line + "\n").utf8)).first)
        #expect(request.range == range && request.known == nil)
        #expect(ReadLines.line(request) == line)
    }

    @Test func `the words of errors are the documented ones`() {
        let codes: [WireError.Code] = [
            .badRequest, .badKey, .badDigest, .noToken, .forbidden, .readOnly, .notFound,
            .noMethod, .wrongOffset, .tooSlow, .exists, .noLength, .tooLarge, .badRange, .slot,
            .tooMuch, .broken, .busy, .missing, .full,
        ]
        #expect(
            codes.map(\.description) == [
                "bad-request", "bad-key", "bad-digest", "no-token", "forbidden", "read-only",
                "not-found", "no-method", "wrong-offset", "too-slow", "exists", "no-length",
                "too-large", "bad-range", "slot", "too-much", "broken", "busy", "missing",
                "full",
            ])
    }

    @Test("an error's body is read up to 64 KiB", arguments: [0, 1])
    func errorBody(_ more: Int) {
        let frame = WireError(.busy, "").encoded.utf8.count
        let body = Array(
            WireError(.busy, String(repeating: "x", count: (64 << 10) - frame + more)).encoded.utf8)
        #expect(body.count == (64 << 10) + more)
        #expect((WireError(body) != nil) == (more == 0))
    }

    @Test func `replies that break off are away, others are corrupt`() {
        #expect(WireFailure.incompleteReply.code == .away)
        #expect(WireFailure.malformedReply.code == .corrupt)
    }

    @Test(
        "an upload's name is of 16 bytes", arguments: [(15, false), (16, true), (17, false)])
    func uploadBytes(_ count: Int, _ isOne: Bool) {
        let name = UploadID(bytes: [UInt8](repeating: 0xF0, count: count))
        #expect((name != nil) == isOne)
        #expect(name.map { UploadID($0.description) == name } ?? true)
    }

    @Test func `a listing without an end asks for the first page`() {
        #expect(WirePaths.list(prefix: "", after: nil, limit: 1) == "/v1/list?prefix=&limit=1")
    }

    @Test func `the limit of frames is used up to its last byte`() throws {
        var reader = WireFrameReader(limit: 5)
        reader.add(WireFrame.bytes([1, 2, 3]).encoded + WireFrame.bytes([4, 5]).encoded)
        #expect(try reader.next() == .bytes([1, 2, 3]))
        #expect(try reader.next() == .bytes([4, 5]))
        #expect(try reader.next() == nil)
        reader.add(WireFrame.bytes([]).encoded + WireFrame.bytes([6]).encoded)
        #expect(try reader.next() == .bytes([]))
        #expect(throws: Failure.self) { try reader.next() }
    }

    @Test("a digest among other members, and its bytes", arguments: [" ", "", "  "])
    func digest(_ space: String) {
        let bytes = (0..<32).map { UInt8($0) }
        let text = ContentDigest.encode(bytes)
        #expect(ContentDigest.decode("md5=:AA==:,\(space)\(text)") == bytes)
        #expect(ContentDigest.decode("\(text),\(space)sha-512=:AAAA:") == bytes)
        // A hash of another length is none, whatever follows.
        #expect(ContentDigest.decode("sha-256=:AAAA:,\(space)\(text)") == nil)
        #expect(ContentDigest.decode("sha-256=:::") == nil)
    }
}

/// The stream of change notices.
@Suite struct ChangeNoticeTests {
    private func read(_ text: String) throws -> [ChangeNotice] {
        var reader = ChangeNoticeReader()
        return try reader.add(Array(text.utf8))
    }

    @Test(
        "an event ends with an empty line",
        arguments: [
            ("event: hello\n\n", [ChangeNotice.hello]), ("event:hello\r\n\r\n", [.hello]),
            ("event: hello\n", []), ("event: change\ndata: a\ndata:b\n\n", [.change(["a", "b"])]),
            ("event: change\n\n", [.change([])]), ("data: a\n\n", []), ("\n\n", []),
            (": x\n", [.heartbeat]), (":\n", [.heartbeat]),
            ("event: other\ndata: a\n\nevent: hello\n\n", [.hello]),
            // The last event line counts, and an unknown field is ignored.
            ("event: change\nid: 7\nevent: hello\nretry: 5\n\n", [.hello]),
            ("event: change\ndata:  a\n\n", [.change([" a"])]),
            ("events: hello\n\n", []), ("event hello\n\n", []),
        ] as [(String, [ChangeNotice])])
    func events(_ text: String, _ notices: [ChangeNotice]) throws {
        #expect(try read(text) == notices)
    }

    @Test func `an event of 256 KiB is read, a longer one is refused, and each has its own`() throws
    {
        let head = "event: change\ndata: "
        let room = (256 << 10) - (head.utf8.count - 1)
        let most = head + String(repeating: "k", count: room) + "\n\n"
        #expect(try read(most + most).count == 2)
        #expect(throws: Failure.self) {
            try read(head + String(repeating: "k", count: room + 1) + "\n\n")
        }
    }
}
