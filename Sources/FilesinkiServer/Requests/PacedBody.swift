import Hummingbird
import NIOCore

/// Reads the body of a request piece by piece, and holds the client to a minimum rate.
///
/// Only the time that is spent waiting for the client counts, not that of the server's own disk.
struct PacedBody {
    private var pieces: RequestBody.AsyncIterator
    private let clock: @Sendable () -> Duration
    private var pace: ClientPace

    init(_ body: RequestBody, _ limits: ServerLimits, _ clock: @escaping @Sendable () -> Duration) {
        pieces = body.makeAsyncIterator()
        self.clock = clock
        pace = ClientPace(limits)
    }

    /// The next piece; nil at the end.
    ///
    /// - Throws: ``RequestError`` with 408 when the body arrives too slowly.
    mutating func next() async throws -> ByteBuffer? {
        let begun = clock()
        guard let piece = try await pieces.next() else { return nil }
        guard pace.count(piece.readableBytes, waited: clock() - begun) else {
            throw RequestError.tooSlow
        }
        return piece
    }

    /// All of it, when it has at most so many bytes.
    ///
    /// - Throws: ``RequestError``: 413 for a larger one, 408 when it arrives too slowly.
    mutating func collect(upTo limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await next() {
            guard bytes.count + piece.readableBytes <= limit else { throw RequestError.tooLarge }
            bytes.append(contentsOf: piece.readableBytesView)
        }
        return bytes
    }
}
