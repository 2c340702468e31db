package import FilesinkiModel

/// One answer in a reply for many objects: a byte that says which, and for ``bytes(_:)`` eight bytes
/// of length, the most significant first, and the bytes.
package enum WireFrame: Hashable, Sendable {
    /// Nothing is there (0).
    case absent
    /// The object's bytes, or those of the range (1).
    case bytes([UInt8])
    /// The object is the one whose hash was named (2).
    case same
    /// The reply is full (3): ask for this one again, or get it by itself when it is the first.
    case askAgain

    /// The byte that each begins with.
    package enum Mark {
        package static let absent: UInt8 = 0
        package static let bytes: UInt8 = 1
        package static let same: UInt8 = 2
        package static let askAgain: UInt8 = 3
    }

    /// What stands before the bytes of a ``bytes(_:)``: its mark and its length.
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

/// Reads the frames of a reply as its pieces arrive. Holds no more than one frame and one piece.
package struct WireFrameReader {
    /// The bytes that no frame was made of yet.
    private var held: [UInt8] = []
    private var start = 0
    /// The most bytes that all frames together may still declare.
    private var allowance: Int64

    /// - Parameter limit: The most bytes of contents that the whole reply may hold.
    package init(limit: Int64 = Int64(WireLimits.replyBytes)) { allowance = limit }

    /// Takes a piece of the reply.
    package mutating func add(_ piece: some Sequence<UInt8>) {
        held.removeFirst(start)
        start = 0
        held += piece
    }

    /// The next whole frame; nil when more bytes are needed.
    ///
    /// - Throws: `Failure` with code `corrupt` for a mark that there is not, or for more bytes than
    ///   the limit.
    package mutating func next() throws(Failure) -> WireFrame? {
        guard start < held.count else { return nil }
        switch held[start] {
        case WireFrame.Mark.absent: return take(.absent)
        case WireFrame.Mark.same: return take(.same)
        case WireFrame.Mark.askAgain: return take(.askAgain)
        case WireFrame.Mark.bytes: return try nextBytes()
        default: throw WireFailure.corruptReply
        }
    }

    /// Call it when the reply has ended.
    ///
    /// - Throws: `Failure` with code `away` when it ended inside a frame.
    package func finish() throws(Failure) {
        guard start == held.count else { throw WireFailure.cutReply }
    }

    private mutating func take(_ frame: WireFrame) -> WireFrame {
        start += 1
        return frame
    }

    private mutating func nextBytes() throws(Failure) -> WireFrame? {
        guard held.count - start >= 9 else { return nil }
        let length = held[(start + 1)..<(start + 9)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length <= UInt64(clamping: allowance) else { throw WireFailure.corruptReply }
        let count = Int(length)
        guard held.count - start - 9 >= count else { return nil }
        let first = start + 9
        start = first + count
        allowance -= Int64(count)
        return .bytes(Array(held[first..<start]))
    }
}
