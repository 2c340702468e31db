import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiEncryption

/// What is sealed is read back, whole and in parts, and nothing else is.
@Suite struct SealedObjectTests {
    private let object: SealedObject
    private let systemContext = ManualClock().systemContext

    /// Sizes around those of frames.
    private static let sizes = [
        0, 1, 100, SealedObject.frameLength - 1, SealedObject.frameLength,
        SealedObject.frameLength + 1, 3 * SealedObject.frameLength, 50_000,
    ]

    init() throws { object = SealedObject(try Self.key(1), name: "packs/00/0011") }

    static func key(_ byte: UInt8) throws -> StoreKey {
        try #require(StoreKey(bytes: [UInt8](repeating: byte, count: 32)))
    }

    private func plain(_ size: Int) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(size))
        return random.bytes(size)
    }

    private func seal(_ plain: [UInt8]) throws -> [UInt8] {
        try object.seal(plain, systemContext.randomBytes)
    }

    @Test(
        "an object is read back whole, and its size follows from the sealed one", arguments: sizes)
    func whole(size: Int) throws {
        let sealed = try seal(plain(size))
        #expect(try object.open(sealed) == plain(size))
        #expect(SealedObject.sealedSize(Int64(size)) == Int64(sealed.count))
        #expect(SealedObject.plainSize(Int64(sealed.count)) == Int64(size))
        #expect(try seal(plain(size)) != sealed, "equal objects are not told apart")
    }

    @Test(
        "a range is read from the frames that contain it, clamped to the object", arguments: sizes)
    func ranges(size: Int) throws {
        let plain = plain(size)
        let sealed = try seal(plain)
        let frame = SealedObject.frameLength
        let places = [0, 1, 99, frame - 1, frame, frame + 1, 2 * frame, size - 1, size, size + 7]
        for lower in places where lower >= 0 {
            for upper in places + [Int.max] where upper >= lower {
                let range = Int64(lower)..<Int64(upper)
                let wanted = SealedObject.sealedRange(of: range)
                    .clamped(to: 0..<Int64(sealed.count))
                let part = Array(sealed[Int(wanted.lowerBound)..<Int(wanted.upperBound)])
                let expected = Array(plain[min(lower, size)..<min(upper, size)])
                #expect(try object.open(part, range: range) == expected, "\(range)")
            }
        }
    }

    @Test("no flipped bit is accepted")
    func flipped() throws {
        let plain = plain(SealedObject.frameLength + 40)
        let sealed = try seal(plain)
        let places = Array(0..<60) + Array((sealed.count - 90)..<sealed.count)
        for place in places {
            for bit in 0..<8 {
                var damaged = sealed
                damaged[place] ^= 1 << UInt8(bit)
                #expect(try object.open(damaged) == nil, "byte \(place), bit \(bit)")
            }
        }
    }

    @Test("an object that was cut off, prolonged or whose frames were exchanged is not accepted")
    func rearranged() throws {
        let frame = SealedObject.frameLength + SealedObject.overhead
        let plain = plain(3 * SealedObject.frameLength)
        let sealed = try seal(plain)
        for length in [0, 7, 8, 9, 8 + frame - 1, 8 + frame, 8 + 2 * frame, sealed.count - 1] {
            #expect(try object.open(Array(sealed.prefix(length))) == nil, "\(length) bytes")
        }
        #expect(try object.open(sealed + sealed.suffix(frame)) == nil)
        #expect(try object.open(sealed + [0]) == nil)
        let first = sealed[8..<(8 + frame)]
        let second = sealed[(8 + frame)..<(8 + 2 * frame)]
        let rest = sealed[(8 + 2 * frame)...]
        #expect(try object.open(Array(sealed.prefix(8) + second + first + rest)) == nil)
        #expect(try object.open(Array(sealed.prefix(8) + first + rest)) == nil)
        #expect(try object.open(Array(sealed.prefix(8) + first + second + rest)) == plain)
        // The last frame of one version after the last frame of a shorter one.
        let shorter = try seal(self.plain(SealedObject.frameLength))
        let longer = try seal(self.plain(SealedObject.frameLength + 9))
        #expect(try object.open(shorter + longer.dropFirst(8 + frame)) == nil)
        let range = Int64(0)..<Int64(100)
        #expect(try object.open(Array(sealed.prefix(8) + second), range: range) == nil)
    }

    @Test("an object under another name, or of another store, is not accepted")
    func moved() throws {
        let sealed = try seal(plain(100))
        #expect(try SealedObject(Self.key(1), name: "packs/00/0012").open(sealed) == nil)
        #expect(try SealedObject(Self.key(2), name: "packs/00/0011").open(sealed) == nil)
        #expect(try SealedObject(Self.key(1), name: "packs/00/0011").open(sealed) != nil)
        #expect(try object.open(plain(100)) == nil, "a plain object")
    }
}
