import FilesinkiModel
import FilesinkiSystem

/// A part of the packs of a store, for a check that does not read all of them.
package enum PackPart: Hashable, Sendable {
    /// One of `count` parts of about the same size, from 1. All parts together are all packs.
    case number(Int, of: Int)
    /// A share of the packs in millionths, 1 to 1,000,000: those after the ones that the last such check
    /// of this replica has read.
    case share(Int)

    /// The share that is all packs.
    package static let millionths = 1_000_000

    /// Reads `10%`, `0.5%` or `3/10`; nil for other text, for a share of nothing or of more than
    /// everything, and for a part that does not exist.
    package init?(_ text: String) {
        func number(_ digits: Substring, _ range: ClosedRange<Int>) -> Int? {
            guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int(digits), range.contains(number)
            else { return nil }
            return number
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard let count = number(parts[1], 1...Self.millionths),
                let chosen = number(parts[0], 1...count)
            else { return nil }
            self = .number(chosen, of: count)
            return
        }
        guard text.hasSuffix("%") else { return nil }
        let digits = text.dropLast().split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let percent = digits.first.flatMap({ number($0, 0...100) }) else { return nil }
        var share = percent * 10_000
        if digits.count == 2 {
            guard (1...4).contains(digits[1].utf8.count),
                let rest = number(
                    digits[1] + String(repeating: "0", count: 4 - digits[1].utf8.count), 0...9999)
            else { return nil }
            share += rest
        }
        guard (1...Self.millionths).contains(share) else { return nil }
        self = .share(share)
    }

    /// Whether it is all packs.
    package var isAll: Bool {
        switch self {
        case .number(_, let count): count == 1
        case .share(let share): share == Self.millionths
        }
    }
}

/// A range of the ids of packs.
///
/// The first four bytes of an id, which is random, are the place of a pack on a circle of 2^32 places. A
/// range is an arc of it.
struct PackIDRange: Hashable, Sendable {
    /// The place of the first pack.
    let start: UInt32
    /// The number of places: 1 to 2^32.
    let length: UInt64

    private static let circle: UInt64 = 1 << 32

    init(start: UInt32, length: UInt64) {
        self.start = start
        self.length = length
    }

    /// - Parameter start: Where a share begins.
    init(_ part: PackPart, start: UInt32) {
        switch part {
        case .number(let number, let count):
            let first = UInt64(number - 1) * Self.circle / UInt64(count)
            let end = UInt64(number) * Self.circle / UInt64(count)
            self.init(start: UInt32(truncatingIfNeeded: first), length: end - first)
        case .share(let share):
            // Rounded up, so that ten shares of 10 % are all packs.
            let all = UInt64(PackPart.millionths)
            let length = (UInt64(share) * Self.circle + all - 1) / all
            self.init(start: start, length: length)
        }
    }

    /// Where the next range begins.
    var end: UInt32 { start &+ UInt32(truncatingIfNeeded: length) }

    /// Whether a pack is in the range.
    func contains(_ pack: [UInt8]) -> Bool {
        let place = pack.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        return UInt64(place &- start) < length
    }
}

/// Where the next check of a share of the packs begins: one number in a file of the state folder.
///
/// The first check begins at a random place, so that devices with the same schedule read different packs.
struct CheckedPosition {
    let path: String

    /// The number in the file; a random one if the file does not exist or is damaged.
    func read(_ systemContext: SystemContext) -> UInt32 {
        let stored = ((try? StateFile.read(path)) ?? nil)
            .flatMap { UInt32(String(decoding: $0, as: UTF8.self)) }
        return stored ?? systemContext.randomBytes(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Writes the file. If it cannot be written, the next check begins at a random place.
    func write(_ position: UInt32) {
        try? StateFile.replace(path, with: Array(String(position).utf8), durable: false)
    }
}
