import Glibc

/// One direction of a connection through a ``FaultProxy``: what has come from one side and is still
/// to go to the other.
struct FaultLane {
    /// Bytes that may go on from a moment on.
    private struct Piece {
        var bytes: ArraySlice<UInt8>
        var due: Int64
    }

    let source: Int32
    let sink: Int32
    private var pieces: [Piece] = []
    private var waiting = 0
    /// Whether the source has ended its side.
    var isSourceOver = false
    /// Whether the sink was told so.
    private(set) var isSinkOver = false
    /// What is sent again and again once the pieces have gone.
    private var refrain: ArraySlice<UInt8> = []

    /// How much waits before the source is left to wait: 4 MiB, more than a delayed link holds.
    private static let most = 4 << 20

    init(from source: Int32, to sink: Int32) {
        self.source = source
        self.sink = sink
    }

    var isEmpty: Bool { pieces.isEmpty && refrain.isEmpty }
    var wantsMore: Bool { !isSourceOver && waiting < Self.most }
    /// When the next bytes may go on; nil when there are none.
    var nextDue: Int64? { pieces.first?.due ?? (refrain.isEmpty ? nil : 0) }

    mutating func add(_ bytes: ArraySlice<UInt8>, due: Int64) {
        guard !bytes.isEmpty else { return }
        waiting += bytes.count
        pieces.append(Piece(bytes: bytes, due: due))
    }

    /// Sends the end of some bytes for as long as the sink takes them.
    mutating func repeatForever(_ bytes: [UInt8]) {
        refrain = Array(Array(repeating: bytes.suffix(4096), count: 16).joined())[...]
    }

    /// Sends what may go, as much as the sink takes.
    ///
    /// - Returns: False when the sink is gone.
    mutating func flush(at now: Int64) -> Bool {
        while let piece = pieces.first, piece.due <= now {
            let count = piece.bytes.withUnsafeBytes { buffer in
                send(sink, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            waiting -= count
            if count == piece.bytes.count {
                pieces.removeFirst()
            } else {
                pieces[0].bytes = piece.bytes.dropFirst(count)
            }
            if pieces.isEmpty { add(refrain, due: 0) }
        }
        if isSourceOver, pieces.isEmpty { endSink() }
        return true
    }

    mutating func endSink() {
        guard !isSinkOver else { return }
        isSinkOver = true
        shutdown(sink, Int32(SHUT_WR))
    }
}
