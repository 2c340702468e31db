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
        var random = SeededRandom(seed: Fuzz.seed &+ 1)
        let plain = random.bytes(2 * SealedObject.frameLength + 100)
        let sealed = try object.seal(plain, context.randomBytes)
        let corpus = [sealed] + rearranged(sealed)
        try Fuzz(corpus, count: 2_000, maximumLength: 2 * sealed.count).run { mutated in
            let isSealed = compare(mutated, sealed) == 0
            let whole = try object.open(mutated)
            #expect(isSealed ? whole.map { compare($0, plain) } == 0 : whole == nil)
            let lower = Int.random(in: 0...plain.count, using: &random)
            let upper = Int.random(in: lower...plain.count, using: &random)
            let range = Int64(lower)..<Int64(upper)
            let (part, sound) = (bytes(of: range, in: mutated), bytes(of: range, in: sealed))
            let opened = try object.open(part, range: range)
            let wanted = plain[lower..<upper]
            if compare(part, sound) == 0 {
                #expect(opened.map { compare($0[...], wanted) } == 0)
            } else if let opened {
                // The object was cut off behind a frame: what is left of the range.
                #expect(compare(sound.prefix(part.count), part[...]) == 0)
                #expect(compare(wanted.prefix(opened.count), opened[...]) == 0)
            }
            return isSealed
        }
    }

    /// The first two frames exchanged, without the first one, and without the last one.
    private func rearranged(_ sealed: [UInt8]) -> [[UInt8]] {
        let frame = SealedObject.frameLength + SealedObject.overhead
        let (magic, frames) = (sealed.prefix(8), sealed.dropFirst(8))
        let (first, second) = (frames.prefix(frame), frames.dropFirst(frame).prefix(frame))
        let last = frames.dropFirst(2 * frame)
        return [[magic, second, first, last], [magic, second, last], [magic, first, second]]
            .map { Array($0.joined()) }
    }

    /// What is read of an object for a range of its plain bytes.
    private func bytes(of range: Range<Int64>, in object: [UInt8]) -> [UInt8] {
        let wanted = SealedObject.sealedRange(of: range).clamped(to: 0..<Int64(object.count))
        return Array(object[Int(wanted.lowerBound)..<Int(wanted.upperBound)])
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
