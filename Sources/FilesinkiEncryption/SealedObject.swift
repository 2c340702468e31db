import FilesinkiHashing
import FilesinkiModel

/// The sealed form of an object: a magic number, then frames. See *Sealed objects* in Docs/Format.md.
///
/// Each frame holds up to 16 KiB and is sealed on its own, so that a part of an object can be read. Its position and
/// whether it is the last one are authenticated with it, and its key belongs to the object's name: a frame
/// that was moved, exchanged, left out or cut off is not opened. The construction is STREAM with random nonces:
/// https://eprint.iacr.org/2015/189
struct SealedObject {
    /// The plain bytes of a frame: as many in all but the last one.
    static let frameLength = 16 << 10
    /// What a frame has besides them: a flag, a nonce and a tag.
    static let overhead = 1 + FrameCipher.nonceLength + FrameCipher.tagLength
    static let magic: [UInt8] = [0x66, 0x73, 0x73, 0x65, 0x61, 0x6C, 0x0D, 0x0A]

    private static let sealedFrameLength = frameLength + overhead

    private let key: [UInt8]

    /// - Parameter name: The object's key at the remote, before names are encrypted.
    init(_ storeKey: StoreKey, name: String) {
        key = HMACSHA256.code(of: Array(name.utf8), key: storeKey.data)
    }

    // MARK: Sizes

    /// The sealed size of so many plain bytes.
    static func sealedSize(_ plain: Int64) -> Int64 {
        let frames = max(1, (plain + Int64(frameLength) - 1) / Int64(frameLength))
        return Int64(magic.count) + plain + frames * Int64(overhead)
    }

    /// The plain size of an object of so many sealed bytes; 0 for a size that no sealed object has.
    static func plainSize(_ sealed: Int64) -> Int64 {
        let body = max(0, sealed - Int64(magic.count))
        let frames = (body + Int64(sealedFrameLength) - 1) / Int64(sealedFrameLength)
        return max(0, body - frames * Int64(overhead))
    }

    /// The sealed bytes that contain a range of plain bytes.
    static func sealedRange(of plain: Range<Int64>) -> Range<Int64> {
        let first = plain.lowerBound / Int64(frameLength)
        // Without the frames of an empty range its object would not be verified, and nothing would be read.
        let end = max(first + 1, (plain.upperBound - 1) / Int64(frameLength) + 1)
        let frame = Int64(sealedFrameLength)
        let start = first == 0 ? 0 : Int64(magic.count) + first * frame
        let (last, overflow) = end.multipliedReportingOverflow(by: frame)
        return start..<(overflow ? .max : max(start, last &+ Int64(magic.count)))
    }

    // MARK: Sealing and opening

    /// Seals an object.
    ///
    /// - Parameter randomBytes: Returns so many random bytes.
    func seal(_ plain: [UInt8], _ randomBytes: (Int) -> [UInt8]) throws(Failure) -> [UInt8] {
        let cipher = try FrameCipher(key: key, isSealing: true)
        let count = max(1, (plain.count + Self.frameLength - 1) / Self.frameLength)
        let nonces = randomBytes(count * FrameCipher.nonceLength)
        var sealed = Self.magic
        sealed.reserveCapacity(Int(Self.sealedSize(Int64(plain.count))))
        for index in 0..<count {
            let start = index * Self.frameLength
            let end = min(plain.count, start + Self.frameLength)
            let nonce = Array(
                nonces[(index * FrameCipher.nonceLength)...].prefix(FrameCipher.nonceLength))
            let flag: UInt8 = index == count - 1 ? 1 : 0
            sealed.append(flag)
            sealed += nonce
            try cipher.seal(
                plain[start..<end], nonce: nonce, additional: Self.additional(index, flag),
                to: &sealed)
        }
        return sealed
    }

    private static func additional(_ index: Int, _ flag: UInt8) -> [UInt8] {
        withUnsafeBytes(of: UInt64(index).littleEndian) { Array($0) } + [flag]
    }

    /// Opens a whole object.
    ///
    /// - Returns: Its plain bytes; nil if they are not what was sealed.
    func open(_ sealed: [UInt8]) throws(Failure) -> [UInt8]? {
        guard sealed.starts(with: Self.magic) else { return nil }
        let frames = sealed[Self.magic.count...]
        guard let (plain, isWhole) = try open(frames, first: 0), isWhole else { return nil }
        return plain
    }

    /// Opens the frames that contain a range of an object.
    ///
    /// - Parameters:
    ///   - sealed: The bytes of ``sealedRange(of:)``, clamped to the object's size.
    /// - Returns: The plain bytes of the range, clamped; nil if they are not what was sealed.
    func open(_ sealed: [UInt8], range: Range<Int64>) throws(Failure) -> [UInt8]? {
        let first = range.lowerBound / Int64(Self.frameLength)
        var frames = sealed[...]
        if first == 0 {
            guard sealed.starts(with: Self.magic) else { return nil }
            frames = frames.dropFirst(Self.magic.count)
        } else if sealed.isEmpty {
            // The range begins after the last frame.
            return []
        }
        guard let (plain, _) = try open(frames, first: Int(first)) else { return nil }
        let offset = first * Int64(Self.frameLength)
        let start = min(Int64(plain.count), range.lowerBound - offset)
        let end = min(Int64(plain.count), max(start, range.upperBound - offset))
        return Array(plain[Int(start)..<Int(end)])
    }

    /// - Returns: The plain bytes, and whether the last frame is the object's last; nil if a frame is not what was sealed.
    private func open(
        _ sealed: ArraySlice<UInt8>, first: Int
    ) throws(Failure) -> (plain: [UInt8], isWhole: Bool)? {
        let cipher = try FrameCipher(key: key, isSealing: false)
        var plain: [UInt8] = []
        plain.reserveCapacity(sealed.count)
        var isWhole = false
        var rest = sealed
        var index = first
        while !rest.isEmpty {
            let frame = rest.prefix(Self.sealedFrameLength)
            rest = rest.dropFirst(Self.sealedFrameLength)
            guard !isWhole, frame.count >= Self.overhead, let flag = frame.first else { return nil }
            // Only the last frame may be short: a cut one is noticed here or by its tag.
            guard flag == 1 || frame.count == Self.sealedFrameLength else { return nil }
            let nonce = Array(frame.dropFirst().prefix(FrameCipher.nonceLength))
            guard
                cipher.open(
                    frame.dropFirst(1 + FrameCipher.nonceLength), nonce: nonce,
                    additional: Self.additional(index, flag), to: &plain)
            else { return nil }
            isWhole = flag == 1
            index += 1
        }
        return (plain, isWhole)
    }
}
