import FilesinkiHashing
import FilesinkiModel
import Testing

/// The hashes give what their standards publish.
@Suite struct HashTests {
    /// Examples of FIPS 180-4 and of NIST's test vectors:
    /// https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
    static let sha256Examples: [(message: String, hash: String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ]

    /// https://www.rfc-editor.org/rfc/rfc1321#appendix-A.5
    static let md5Examples: [(message: String, hash: String)] = [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f"
        ),
        (
            String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"
        ),
    ]

    @Test("H6 SHA-256 matches FIPS 180-4", arguments: sha256Examples)
    func sha256(_ message: String, _ hash: String) {
        let bytes = Array(message.utf8)
        #expect(hexadecimal(SHA256.hash(bytes)) == hash)
        #expect(ContentHasher.hash(bytes).description == hash)
    }

    @Test("H6 MD5 matches RFC 1321", arguments: md5Examples)
    func md5(_ message: String, _ hash: String) {
        #expect(hexadecimal(MD5.hash(Array(message.utf8))) == hash)
    }

    @Test("H6 the hash does not depend on the pieces, and a copy continues on its own")
    func pieces() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let whole = SHA256.hash(bytes)
        for step in [1, 3, 63, 64, 65, 127, 999] {
            var hasher = SHA256()
            for start in stride(from: 0, to: bytes.count, by: step) {
                hasher.update(Array(bytes[start..<min(start + step, bytes.count)]))
                // What was added so far may be asked for at any time.
                #expect(hasher.finish().count == SHA256.byteCount)
            }
            var other = hasher
            other.update([0])
            hasher.update([])
            #expect(hasher.finish() == whole)
            #expect(other.finish() == SHA256.hash(bytes + [0]))
        }
    }

    /// https://www.rfc-editor.org/rfc/rfc4231#section-4; the fifth shows a part of its code only.
    @Test(
        "H6 HMAC matches RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                Array(1...25), [UInt8](repeating: 0xCD, count: 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
            (
                [UInt8](repeating: 0x0C, count: 20), Array("Test With Truncation".utf8),
                "a3b6167473100ee06e0c796c2955552b"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                Array(
                    ("This is a test using a larger than block-size key and a larger than "
                        + "block-size data. The key needs to be hashed before being used by the "
                        + "HMAC algorithm.").utf8),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ])
    func hmac(_ key: [UInt8], _ message: [UInt8], _ code: String) {
        #expect(hexadecimal(HMACSHA256.code(of: message, key: key)).hasPrefix(code))
    }
}
