package import FilesinkiModel

/// One object in the reply of a batch read: a byte for the kind, and for ``bytes(_:)`` eight bytes of
/// length, most significant first, and the bytes.
package enum WireFrame: Hashable, Sendable {
    /// The object is absent (0).
    case absent
    /// The object's bytes, or those of the range (1).
    case bytes([UInt8])
    /// The object is the one whose hash the request named (2).
    case same
    /// The reply is full (3): request this object again, or alone if it is the first.
    case askAgain

    /// The first byte of each kind.
    package enum Mark {
        package static let absent: UInt8 = 0
        package static let bytes: UInt8 = 1
        package static let same: UInt8 = 2
        package static let askAgain: UInt8 = 3
    }

    /// The mark and the length before the bytes of a ``bytes(_:)``.
    ///
    /// - Parameter count: At least 0.
    package static func head(ofBytes count: Int64) -> [UInt8] {
        let length = UInt64(clamping: count)
        return [Mark.bytes]
            + stride(from: 56, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: length >> UInt64($0))
            }
    }

    package var encoded: [UInt8] {
        switch self {
        case .absent: [Mark.absent]
        case .same: [Mark.same]
        case .askAgain: [Mark.askAgain]
        case .bytes(let bytes): Self.head(ofBytes: Int64(bytes.count)) + bytes
        }
    }
}

/// Parses the frames of a reply as its pieces arrive. Holds at most one frame and one piece in memory.
package struct WireFrameReader {
    /// Bytes received, of which those before `start` are parsed.
    private var held: [UInt8] = []
    private var start = 0
    /// The most bytes that the remaining frames may declare in total.
    private var allowance: Int64

    /// - Parameter limit: The most bytes of contents in the whole reply.
    package init(limit: Int64 = Int64(WireLimits.replyBytes)) { allowance = limit }

    /// Adds a piece of the reply.
    package mutating func add(_ piece: some Sequence<UInt8>) {
        held.removeFirst(start)
        start = 0
        held += piece
    }

    /// The next complete frame; nil when more bytes are needed.
    ///
    /// - Throws: `Failure` with code `corrupt` for an unknown mark, or for more bytes than the limit.
    package mutating func next() throws(Failure) -> WireFrame? {
        guard start < held.count else { return nil }
        switch held[start] {
        case WireFrame.Mark.absent: return consume(.absent)
        case WireFrame.Mark.same: return consume(.same)
        case WireFrame.Mark.askAgain: return consume(.askAgain)
        case WireFrame.Mark.bytes: return try nextBytes()
        default: throw WireFailure.malformedReply
        }
    }

    /// Checks that the reply ended with a complete frame.
    ///
    /// - Throws: `Failure` with code `away` when it did not.
    package func checkComplete() throws(Failure) {
        guard start == held.count else { throw WireFailure.incompleteReply }
    }

    private mutating func consume(_ frame: WireFrame) -> WireFrame {
        start += 1
        return frame
    }

    private mutating func nextBytes() throws(Failure) -> WireFrame? {
        guard held.count - start >= 9 else { return nil }
        let length = held[(start + 1)..<(start + 9)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length <= UInt64(clamping: allowance) else { throw WireFailure.malformedReply }
        let count = Int(length)
        guard held.count - start - 9 >= count else { return nil }
        let first = start + 9
        start = first + count
        allowance -= Int64(count)
        return .bytes(Array(held[first..<start]))
    }
}
