import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import Testing

/// What both sides write and read of questions, replies and notices.
@Suite struct WireTests {
    let hash = [UInt8](repeating: 0xAB, count: 32)

    @Test func `paths are the documented ones`() throws {
        let key = try ObjectKey("zones/main/log/1/c")
        let id = try #require(UploadID(bytes: [UInt8](repeating: 10, count: 16)))
        #expect(WirePaths.object(key) == "/v1/objects/zones/main/log/1/c")
        #expect(WirePaths.upload(id) == "/v1/uploads/0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a")
        #expect(
            WirePaths.list(prefix: "packs/", after: key, limit: 7)
                == "/v1/list?prefix=packs/&after=zones/main/log/1/c&limit=7")
        #expect(WirePaths.events(prefix: "zones/main/log/") == "/v1/events?prefix=zones/main/log/")
    }

    @Test(
        "an upload's name is 32 digits in lower case",
        arguments: [
            ("0123456789abcdef0123456789abcdef", true), ("0123456789ABCDEF0123456789abcdef", false),
            ("0123456789abcdef0123456789abcde", false), ("", false),
            ("../3456789abcdef0123456789abcdef", false),
        ])
    func uploadName(_ text: String, isOne: Bool) {
        #expect((UploadID(text) != nil) == isOne)
    }

    @Test func `a batch request makes the round trip`() throws {
        let requests = try [
            ObjectRequest(ObjectKey("filesinki/c")),
            ObjectRequest(ObjectKey("packs/0a/1"), range: 100..<110),
            ObjectRequest(ObjectKey("packs/0a/2"), known: hash),
            ObjectRequest(ObjectKey("packs/0a/3"), range: 0..<Int64.max, known: hash),
        ]
        let bytes = ReadLines.encode(requests)
        #expect(try ReadLines.decode(bytes) == requests)
        #expect(
            String(decoding: bytes, as: UTF8.self).hasPrefix(
                "filesinki/c\npacks/0a/1 100-110\npacks/0a/2 sha256=abab"))
        #expect(try ReadLines.decode([]) == [])
    }

    @Test(
        "a malformed batch request is refused",
        arguments: [
            ("a", "usage"), ("a\n\n", "bad-path"), ("../a\n", "bad-path"), ("A\n", "bad-path"),
            ("a 1\n", "usage"), ("a 2-1\n", "usage"), ("a -1-2\n", "usage"), ("a +1-2\n", "usage"),
            ("a 0-99999999999999999999\n", "usage"), ("a sha256=ab\n", "usage"),
            ("a  1-2\n", "usage"), ("a sha256= 1-2\n", "usage"), ("a 1-2 3-4\n", "usage"),
            (String(repeating: "a\n", count: 10_001), "limit"),
            (String(repeating: "a", count: 1 << 20) + "\n", "limit"),
        ])
    func malformedQuestion(_ text: String, code: String) {
        let error = #expect(throws: Failure.self) { try ReadLines.decode(Array(text.utf8)) }
        #expect(error?.code.description == code)
    }

    @Test func `keys and their replies make the round trip`() throws {
        let keys = try [ObjectKey("a"), ObjectKey("b/c")]
        #expect(try KeyLines.decode(Array("a\nb/c\n".utf8)) == keys)
        let bytes = KeyLines.encode(answers: [true, false])
        #expect(String(decoding: bytes, as: UTF8.self) == "1\n0\n")
    }

    @Test func `a list makes the round trip, and only in order`() throws {
        let objects = try [
            ObjectInfo(key: ObjectKey("a"), size: 0),
            ObjectInfo(key: ObjectKey("b"), size: 1 << 40),
        ]
        #expect(try ListLines.decode(ListLines.encode(objects)) == objects)
        #expect(try ListLines.decode([]) == [])
        for wrong in ["1 a", "1 b\n1 a\n", "1 a\n1 a\n", "-1 a\n", "1 A\n", "a\n", "\n", "1 a b\n"]
        {
            #expect(throws: Failure.self) { try ListLines.decode(Array(wrong.utf8)) }
        }
    }

    @Test func `a digest is found among others`() {
        let text = ContentDigest.encode(hash)
        #expect(text == "sha-256=:q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=:")
        #expect(ContentDigest.decode(text) == hash)
        #expect(ContentDigest.decode("sha-512=:AAAA:, " + text) == hash)
        for wrong in ["", "sha-256=q6s=", "sha-256=:AAAA:", "sha-512=:AAAA:", "sha-256=:!:"] {
            #expect(ContentDigest.decode(wrong) == nil)
        }
    }

    @Test func `an error's body makes the round trip`() {
        let error = WireError(.noToken, "A \"token\"\\ is\nneeded\u{1}: ä.")
        #expect(WireError(Array(error.encoded.utf8)) == error)
        for wrong in ["", "{}", "[]", #"{"code":1,"message":"x"}"#, #"{"code":"a""#, "<html>"] {
            #expect(WireError(Array(wrong.utf8)) == nil)
        }
        let strange = WireError(
            Array(#" { "x" : "\u00e4\/" , "message":"m", "code":"new" } "#.utf8))
        #expect(strange == WireError(WireError.Code("new"), "m"))
    }
}
