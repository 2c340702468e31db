import FilesinkiModel
import Testing

@testable import FilesinkiEncryption

/// The ciphers and scrypt give what their standards publish.
@Suite struct CipherTests {
    private func bytes(_ text: String) throws -> [UInt8] {
        let bytes = FilesinkiModel.bytes(hexadecimal: text)
        return try #require(bytes)
    }

    /// Test case 16 of the paper that NIST SP 800-38D is based on:
    /// https://csrc.nist.rip/groups/ST/toolkit/BCM/documents/proposedmodes/gcm/gcm-spec.pdf
    @Test("AES-256-GCM seals and opens the published example")
    func galoisCounterMode() throws {
        let key = try bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
        let plain = try bytes(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
        let sealed = try bytes(
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                + "76fc6ece0f4e1768cddf8853bb2d551b")
        let additional = try bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let nonce = try bytes("cafebabefacedbaddecaf888")
        var output: [UInt8] = [1]
        try FrameCipher(key: key, isSealing: true).seal(
            plain[...], nonce: nonce, additional: additional, to: &output)
        #expect(output == [1] + sealed)
        let opening = try FrameCipher(key: key, isSealing: false)
        for _ in 0..<2 {
            output = []
            #expect(
                opening.open(sealed[...], nonce: nonce, additional: additional, to: &output))
            #expect(output == plain)
        }
        #expect(!opening.open(sealed[...], nonce: nonce, additional: [], to: &output))
        #expect(!opening.open(sealed.prefix(15), nonce: nonce, additional: [], to: &output))
        #expect(output == plain, "nothing is appended")
    }

    @Test("an empty message has a tag")
    func emptyMessage() throws {
        let key = [UInt8](repeating: 0, count: 32)
        let nonce = [UInt8](repeating: 0, count: 12)
        var sealed: [UInt8] = []
        try FrameCipher(key: key, isSealing: true).seal(
            [], nonce: nonce, additional: [], to: &sealed)
        // Test case 13 of the same paper.
        #expect(hexadecimal(sealed) == "530f8afbc74536b9a963b4f1c4cb738b")
        var plain: [UInt8] = []
        let opening = try FrameCipher(key: key, isSealing: false)
        #expect(opening.open(sealed[...], nonce: nonce, additional: [], to: &plain))
        #expect(plain.isEmpty)
    }

    /// ECB-AES256 of NIST SP 800-38A, F.1.5, which is the first block of a chain that begins with zeros.
    @Test("a name is two chained blocks, and can be reversed")
    func names() throws {
        let key = try bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
        let name = try bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
        let sealed = try NameCipher.apply(to: name, key: key, isSealing: true)
        #expect(hexadecimal(sealed.prefix(16)) == "f3eed1bdb5d2a03c064b5a7e3db181f8")
        #expect(try NameCipher.apply(to: sealed, key: key, isSealing: false) == name)
    }

    /// https://www.rfc-editor.org/rfc/rfc7914#section-12
    @Test("scrypt gives the key of its standard")
    func scrypt() throws {
        let hash = PasswordHash(cost: 16384, blockSize: 8, parallelism: 1)
        let key = try hash.derive(Array("pleaseletmein".utf8), salt: Array("SodiumChloride".utf8))
        #expect(
            hexadecimal(key)
                == "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2")
        #expect(!hash.isAcceptable, "too cheap for a passphrase")
    }

    @Test("what a program takes for a new key is not cheap, and is acceptable")
    func cost() {
        let context = SystemContext(
            now: { Timestamp(nanoseconds: 0) }, randomBytes: { _ in [] }, sleep: { _ in })
        #expect(context.keyCost == 131_072)
        #expect(PasswordHash(cost: context.keyCost, blockSize: 8, parallelism: 1).isAcceptable)
    }
}
