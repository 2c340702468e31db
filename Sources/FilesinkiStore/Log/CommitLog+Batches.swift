package import FilesinkiModel
internal import FilesinkiRemote

/// A slot of the log that is asked for together with others: its beginning first, so that a request
/// for many slots cannot fill the memory.
struct SlotRequest {
    let sequence: UInt64
    let request: ObjectRequest
    /// So many bytes are asked for at first.
    let limit: Int64
}

/// What was found in a slot.
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

    /// The object's bytes: those that were read, and where there are more, the rest.
    func whole(from remote: any Remote) async throws -> [UInt8] {
        guard case .bytes(let beginning) = reply else { return [] }
        guard Int64(beginning.count) >= limit else { return beginning }
        // From a byte on that is there, for a server may refuse a part that begins at the very end.
        let rest = try await remote.get(key, range: (limit - 1)..<CommitLog.maximumStoredLength)
        return beginning.dropLast() + (rest ?? [])
    }
}

extension CommitLog {
    /// The most bytes that one request for several slots asks for: 16 MiB.
    static let batchLength: Int64 = 16 << 20

    /// The most slots in one request: 64.
    package static let maximumBatch = 64

    /// The most bytes that a commit has as it is stored; what is longer is none.
    static let maximumStoredLength = Int64(maximumLength + maximumLength >> 7 + 4096)

    func slots(after sequence: UInt64, count: Int) throws(Failure) -> [SlotRequest] {
        try slots((1...UInt64(max(1, count))).map { sequence &+ $0 })
    }

    private func slots(_ sequences: [UInt64]) throws(Failure) -> [SlotRequest] {
        let limit = Self.batchLength / Int64(max(1, sequences.count))
        return try sequences.map { (sequence) throws(Failure) in
            SlotRequest(
                sequence: sequence, request: ObjectRequest(try slot(sequence), range: 0..<limit),
                limit: limit)
        }
    }

    func look(at slots: [SlotRequest]) async throws -> [SlotReply] {
        let replies = try await remote.replies(to: slots.map(\.request))
        return zip(slots, replies).map { SlotReply($0, $1) }
    }

    /// Reads commits by their numbers, up to 64 with each request.
    ///
    /// - Parameter body: Receives each number with its commit, nil when the slot is empty, or with
    ///   what is wrong in the slot.
    /// - Throws: What the remote throws, and `body`.
    package func read(
        _ sequences: [UInt64], _ body: (UInt64, Result<Commit?, Failure>) throws -> Void
    ) async throws {
        for start in stride(from: 0, to: sequences.count, by: Self.maximumBatch) {
            let end = min(start + Self.maximumBatch, sequences.count)
            for slot in try await look(at: slots(Array(sequences[start..<end]))) {
                guard !slot.isAbsent else {
                    try body(slot.sequence, .success(nil))
                    continue
                }
                let stored = try await slot.whole(from: remote)
                let commit = Result { () throws(Failure) in try decode(stored, slot.sequence) }
                try body(slot.sequence, commit.map(Optional.some))
            }
        }
    }
}
