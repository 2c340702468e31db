import FilesinkiCompression
import FilesinkiHashing
import FilesinkiModel
import Testing

@testable import FilesinkiStore

@Suite("Envelopes")
struct EnvelopeTests {
    private let plain = Array("a record, a record, a record, a record, a record".utf8)

    @Test("an envelope makes the round trip", arguments: [0, 1, 47, 48, 49, 5000, 100_000])
    func roundTrip(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* $0) }
        let stored = try Envelope.seal(bytes, as: .checkpoint)
        #expect(try Envelope.open(stored, as: .checkpoint, key: "k") == bytes)
    }

    @Test("it has the documented layout")
    func layout() throws {
        let stored = try Envelope.seal(Array("hi".utf8), as: .commit)
        let hash = ContentHasher.hash(Array("hi".utf8)).bytes
        #expect(
            stored == Array("fsk1".utf8) + [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0] + hash
                + Array("hi".utf8))
    }

    @Test("any single flipped bit gives the right content or a failure")
    func flippedBits() throws {
        let stored = try Envelope.seal(plain, as: .commit)
        for bit in 0..<(stored.count * 8) {
            var damaged = stored
            damaged[bit / 8] ^= 1 << (bit % 8)
            let opened = try? Envelope.open(damaged, as: .commit, key: "k")
            #expect(opened == nil || opened == plain, "bit \(bit)")
        }
    }

    @Test("a truncated envelope, or one with trailing bytes, is refused")
    func truncation() throws {
        let stored = try Envelope.seal(plain, as: .commit)
        for length in 0..<stored.count {
            #expect(throws: Failure.self) {
                try Envelope.open(Array(stored[..<length]), as: .commit, key: "k")
            }
        }
        #expect(throws: Failure.self) { try Envelope.open(stored + [0], as: .commit, key: "k") }
    }

    @Test(
        "an invalid envelope is refused with the right code",
        arguments: [
            (0, UInt8(ascii: "g"), Failure.Code.corrupt), (3, UInt8(ascii: "2"), .newerFormat),
            (4, 2, .corrupt), (4, 9, .corrupt), (5, 9, .newerFormat), (6, 1, .newerFormat),
            (7, 1, .newerFormat), (15, 0x80, .corrupt), (12, 1, .corrupt), (16, 0, .corrupt),
        ])
    func header(position: Int, value: UInt8, code: Failure.Code) throws {
        var stored = try Envelope.seal(Array("hi".utf8), as: .commit)
        stored[position] = value
        let failure = #expect(throws: Failure.self) {
            try Envelope.open(stored, as: .commit, key: "the/key")
        }
        #expect(failure?.code == code)
        #expect(failure.map { String(decoding: $0.path, as: UTF8.self) } == "the/key")
    }

    @Test("a declared bomb is refused before memory is allocated")
    func bomb() throws {
        var stored = try Envelope.seal(plain, as: .checkpoint)
        // One GiB from some hundred bytes; within the limit of a checkpoint, beyond the ratio.
        stored.replaceSubrange(8..<16, with: [0, 0, 0, 0x40, 0, 0, 0, 0])
        let failure = #expect(throws: Failure.self) {
            try Envelope.open(stored, as: .checkpoint, key: "k")
        }
        #expect(failure?.message.contains("invalid length") == true)
    }

    @Test("a record that compresses well is stored compressed")
    func compressed() throws {
        let bytes = (0..<20).flatMap { _ in plain }
        let stored = try Envelope.seal(bytes, as: .commit)
        #expect(stored[5] == Codec.zstd.rawValue)
        #expect(stored.count < bytes.count / 2)
    }

    @Test("a content that compresses like a bomb is stored plain, so that readers accept it")
    func honestZeros() throws {
        let zeros = [UInt8](repeating: 0, count: 8 << 20)
        let stored = try Envelope.seal(zeros, as: .commit)
        #expect(stored[5] == 0)
        let opened = try Envelope.open(stored, as: .commit, key: "k")
        #expect(compare(opened, zeros) == 0)
    }

    @Test(
        "a header may name 65,536 plain bytes, and 1,024 more for each byte of payload",
        arguments: [(65_536, true), (65_536 + 1024 * 50 + 1023, true), (65_536 + 1024 * 51, false)])
    func ratio(length: Int, isPossible: Bool) throws {
        var stored = try Envelope.seal(plain, as: .commit)
        stored = Array(stored.prefix(48)) + [UInt8](repeating: 0, count: 50)
        for byte in 0..<8 { stored[8 + byte] = UInt8(truncatingIfNeeded: length >> (8 * byte)) }
        let failure = #expect(throws: Failure.self) {
            try Envelope.open(stored, as: .commit, key: "k")
        }
        #expect(failure?.message.contains("invalid length") == !isPossible)
    }

    @Test("a record of exactly the limit of its kind is read")
    func longest() throws {
        let longest = [UInt8](repeating: 1, count: 4096)
        let stored = try Envelope.seal(longest, as: .acknowledgement)
        #expect(try Envelope.open(stored, as: .acknowledgement, key: "k") == longest)
    }

    @Test("it is not made for more than the limit of its kind")
    func tooLong() throws {
        let failure = #expect(throws: Failure.self) {
            try Envelope.seal([UInt8](repeating: 1, count: 4097), as: .acknowledgement)
        }
        #expect(failure?.code == .limit)
    }
}
