import FilesinkiHashing
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiEncryption

/// What a hostile remote sends as a sealed object or as a key is refused, and never ends the program.
@Suite("Sealed objects and keys of a hostile remote")
struct FuzzTests {
    @Test func `a mutated object is not opened, whole or in part`() throws {
        let object = SealedObject(try SealedObjectTests.key(1), name: "packs/00/01")
        let context = ManualClock().systemContext
        let plain = [UInt8](repeating: 5, count: SealedObject.frameLength + 100)
        let sealed = try object.seal(plain, context.randomBytes)
        var random = SeededRandom(seed: 1)
        try Fuzz([sealed], count: 2_000, maximumLength: 2 * sealed.count).run { mutated in
            guard mutated != sealed else { return true }
            #expect(try object.open(mutated) == nil)
            let lower = Int64.random(in: 0...Int64(plain.count), using: &random)
            let upper = Int64.random(in: lower...Int64(plain.count), using: &random)
            let wanted = SealedObject.sealedRange(of: lower..<upper)
                .clamped(to: 0..<Int64(mutated.count))
            let part = Array(mutated[Int(wanted.lowerBound)..<Int(wanted.upperBound)])
            let opened = try object.open(part, range: lower..<upper)
            #expect(opened?.allSatisfy { $0 == 5 } ?? true)
            return false
        }
    }

    @Test func `a mutated key object is refused, or opens nothing`() throws {
        let key = try SealedObjectTests.key(1)
        let secret = try KeySecret(.passphrase, [1])
        let cheap = PasswordHash(cost: 1 << 15, blockSize: 8, parallelism: 1)
        let made = try KeyObject(key, secret, name: "a", cheap, ManualClock().systemContext)
        let lines =
            Array(
                made.encoded.split(separator: UInt8(ascii: "\n")).dropLast().joined(
                    separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
        let counts = Fuzz([lines], count: 2_000).run { body in
            let bytes = body + Array("sha256 = \(ContentHasher.hash(body))\n".utf8)
            guard let read = try? KeyObject(decoding: bytes, id: made.id) else { return false }
            // A hash of an accepted cost takes too long to compute it for each of them.
            #expect(read.id == made.id)
            let again = try? KeyObject(decoding: read.encoded, id: made.id)
            #expect(again?.encoded == read.encoded)
            return true
        }
        #expect(counts.isMixed, "\(counts)")
    }
}
