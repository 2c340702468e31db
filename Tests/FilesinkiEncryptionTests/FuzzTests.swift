import FilesinkiHashing
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiEncryption

/// What a hostile remote sends as a sealed object or as a key is refused, and never ends the program.
/// `FILESINKI_FUZZ_SECONDS` makes each test run so long, `FILESINKI_FUZZ_SEED` repeats a run or makes another one.
@Suite("Sealed objects and keys of a hostile remote")
struct FuzzTests {
    private static let usualCount = 2_000

    private static func knob(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    /// Calls `body` with random numbers, again and again.
    private func fuzz(_ body: (inout SeededRandom) throws -> Void) rethrows {
        let seed = Self.knob("FILESINKI_FUZZ_SEED") ?? 1
        let seconds = Self.knob("FILESINKI_FUZZ_SECONDS")
        var random = SeededRandom(seed: UInt64(clamping: seed))
        let start = ContinuousClock.now
        var count = 0
        while seconds.map({ start.duration(to: .now) < .seconds($0) }) ?? (count < Self.usualCount)
        {
            try body(&random)
            count += 1
        }
    }

    /// Changes, removes, repeats or inserts a few bytes.
    private func mutate(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[start] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(start..<end)
            case 2: bytes.insert(contentsOf: bytes[start..<end], at: start)
            default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: start)
            }
        }
        return bytes
    }

    @Test func `a mutated object is not opened, whole or in part`() throws {
        let object = SealedObject(try SealedObjectTests.key(1), name: "packs/00/01")
        let context = ManualClock().systemContext
        let plain = [UInt8](repeating: 5, count: SealedObject.frameLength + 100)
        let sealed = try object.seal(plain, context.randomBytes)
        try fuzz { random in
            let mutated = mutate(sealed, &random)
            guard mutated != sealed else { return }
            #expect(try object.open(mutated) == nil)
            let lower = Int64.random(in: 0...Int64(plain.count), using: &random)
            let upper = Int64.random(in: lower...Int64(plain.count), using: &random)
            let wanted = SealedObject.sealedRange(of: lower..<upper)
                .clamped(to: 0..<Int64(mutated.count))
            let part = Array(mutated[Int(wanted.lowerBound)..<Int(wanted.upperBound)])
            let opened = try object.open(part, range: lower..<upper)
            #expect(opened?.allSatisfy { $0 == 5 } ?? true)
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
        fuzz { random in
            let body = mutate(lines, &random)
            let bytes = body + Array("sha256 = \(ContentHasher.hash(body))\n".utf8)
            guard body != lines, let read = try? KeyObject(decoding: bytes, id: made.id) else {
                return
            }
            // A hash of an accepted cost takes too long to compute it for each of them.
            #expect(read.id == made.id)
            let again = try? KeyObject(decoding: read.encoded, id: made.id)
            #expect(again?.encoded == read.encoded)
        }
    }
}
