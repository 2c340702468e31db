package import FilesinkiModel

/// A piece of an exchange: one byte for the kind, four for the number of the exchange, four for the length
/// of the payload, most significant first, and the payload.
package struct StreamFrame: Hashable, Sendable {
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// The ``StreamHead`` of a request or a reply.
        case head = 1
        /// A piece of the body; not empty.
        case body = 2
        /// The body is complete. Empty.
        case end = 3
        /// How many more bytes of the body the other end may send, as four bytes.
        case credit = 4
        /// Nothing more comes in this exchange, and nothing is expected. Empty.
        case cut = 5
    }

    package var kind: Kind
    package var exchange: UInt32
    package var payload: [UInt8]

    package static let headLength = 9
    /// The longest payload in bytes: 64 KiB.
    package static let maximumPayload = 64 << 10

    package init(_ kind: Kind, _ exchange: UInt32, _ payload: some Sequence<UInt8> = []) {
        self.kind = kind
        self.exchange = exchange
        self.payload = Array(payload)
    }

    /// A frame of credit.
    package static func credit(_ count: UInt32, _ exchange: UInt32) -> StreamFrame {
        StreamFrame(.credit, exchange, bytes(of: count))
    }

    package var encoded: [UInt8] {
        [kind.rawValue] + Self.bytes(of: exchange) + Self.bytes(of: UInt32(payload.count)) + payload
    }

    /// The number in a frame of credit; nil for another frame.
    package var creditCount: Int? {
        kind == .credit && payload.count == 4 ? Int(Self.number(in: payload[...])) : nil
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }

    fileprivate static func number(in bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// Parses frames as the pieces of a stream arrive. Holds at most one frame and one piece.
package struct StreamFrameReader {
    /// Bytes received, of which those before `start` are parsed.
    private var held: [UInt8] = []
    private var start = 0

    package init() {}

    package mutating func add(_ piece: some Sequence<UInt8>) {
        held.removeFirst(start)
        start = 0
        held += piece
    }

    /// The next complete frame; nil when more bytes are needed.
    ///
    /// - Throws: `Failure` with code `corrupt` for an unknown kind, or a length that the kind does not allow.
    package mutating func next() throws(Failure) -> StreamFrame? {
        guard held.count - start >= StreamFrame.headLength else { return nil }
        guard let kind = StreamFrame.Kind(rawValue: held[start]) else {
            throw StreamFailure.malformed
        }
        let exchange = StreamFrame.number(in: held[(start + 1)..<(start + 5)])
        let count = Int(StreamFrame.number(in: held[(start + 5)..<(start + 9)]))
        guard kind.allowsLength(count) else { throw StreamFailure.malformed }
        let first = start + StreamFrame.headLength
        guard held.count - first >= count else { return nil }
        start = first + count
        return StreamFrame(kind, exchange, held[first..<start])
    }
}

extension StreamFrame.Kind {
    fileprivate func allowsLength(_ count: Int) -> Bool {
        switch self {
        case .head: (1...StreamHead.maximumLength).contains(count)
        case .body: (1...StreamFrame.maximumPayload).contains(count)
        case .end, .cut: count == 0
        case .credit: count == 4
        }
    }
}

/// The failures of a stream between two programs.
package enum StreamFailure {
    /// The other end does not follow the protocol.
    package static var malformed: Failure {
        Failure(
            .corrupt, "The other end of the connection does not follow the protocol.",
            remedy: "Install the same version of filesinki on both sides.")
    }

    /// The other end ended an exchange before it was complete.
    package static var cut: Failure { WireFailure.incompleteReply }
}
