import FilesinkiModel
import FilesinkiRemote

/// A request for one of several slots. It asks for a limited part first, so that a request for many
/// slots has bounded memory.
struct SlotRequest {
    let sequence: UInt64
    let request: ObjectRequest
    /// The number of bytes in the first request.
    let limit: Int64
}

/// The reply to a ``SlotRequest``.
struct SlotReply: Sendable {
    let sequence: UInt64
    private let key: ObjectKey
    private let limit: Int64
    private let reply: ObjectReply

    init(_ slot: SlotRequest, _ reply: ObjectReply) {
        sequence = slot.sequence
        key = slot.request.key
        limit = slot.limit
        self.reply = reply
    }

    var isAbsent: Bool { reply == .absent }

    /// Whether the first request has read all bytes.
    var isWhole: Bool {
        guard case .bytes(let beginning) = reply else { return true }
        return Int64(beginning.count) < limit
    }

    /// All bytes of the object. Requests the rest if the first request was too short.
    func whole(from remote: any Remote) async throws -> [UInt8] {
        guard case .bytes(let beginning) = reply else { return [] }
        if isWhole { return beginning }
        // Starts at the last byte that was read: a server may reject a range that begins at the end
        // of the object.
        let rest = try await remote.get(key, range: (limit - 1)..<CommitLog.maximumStoredLength)
        return beginning.dropLast() + (rest ?? [])
    }
}

extension CommitLog {
    /// The maximum length of one request for several slots: 16 MiB.
    static let batchLength: Int64 = 16 << 20

    /// The maximum number of slots in one request: 64.
    package static let maximumBatch = 64

    /// The maximum stored length of a commit, in bytes.
    static let maximumStoredLength = Int64(maximumLength + maximumLength >> 7 + 4096)

    func slots(after sequence: UInt64, count: Int) throws(Failure) -> [SlotRequest] {
        try slots((1...UInt64(max(1, count))).map { sequence &+ $0 })
    }

    func slots(_ sequences: [UInt64]) throws(Failure) -> [SlotRequest] {
        let limit = Self.batchLength / Int64(max(1, sequences.count))
        return try sequences.map { (sequence) throws(Failure) in
            SlotRequest(
                sequence: sequence, request: ObjectRequest(try slot(sequence), range: 0..<limit),
                limit: limit)
        }
    }

    func readSlots(_ slots: [SlotRequest]) async throws -> [SlotReply] {
        let replies = try await remote.replies(to: slots.map(\.request))
        return zip(slots, replies).map { SlotReply($0, $1) }
    }
}
