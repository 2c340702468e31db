import Dispatch
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Synchronization

/// A running ssh, and the requests that the far end has not replied to yet. Safe to call from several
/// tasks.
///
/// One thread sends and another receives, so that neither end waits for the other. When the connection
/// ends, every waiting request fails with the reason, and so does every later one.
final class SFTPConnection: Sendable {
    private let process: ConnectedProcess
    private let bandwidth: Bandwidth?
    private let sending = DispatchQueue(label: "filesinki.sftp.send")
    private let receiving = DispatchQueue(label: "filesinki.sftp.receive")
    private let describeEnd: @Sendable (SSHEnd) -> Failure
    private let state = Mutex(State())

    /// How long ssh has to end by itself when it has closed its end.
    private static let timeToEnd = Duration.seconds(5)

    private struct State {
        var nextID = SFTPPacket.initialID + 1
        var nextBatch = 0
        var waiting: [UInt32: Place] = [:]
        var batches: [Int: Batch] = [:]
        /// Why the connection ended; nil while it has not.
        var end: Failure?
    }

    /// Where the reply to a request belongs.
    private struct Place {
        /// Nil when nobody waits for the reply.
        var batch: Int?
        var index: Int
    }

    /// Requests that were sent together.
    private struct Batch {
        var replies: [SFTPReply?]
        var left: Int
        let continuation: CheckedContinuation<[SFTPReply], any Error>
    }

    /// Starts to receive.
    ///
    /// - Parameters:
    ///   - bandwidth: Limits what is sent and received; nil for no limit.
    ///   - describeEnd: The failure for the end of the connection.
    init(
        _ process: ConnectedProcess, _ bandwidth: Bandwidth? = nil,
        describeEnd: @escaping @Sendable (SSHEnd) -> Failure
    ) {
        self.process = process
        self.bandwidth = bandwidth
        self.describeEnd = describeEnd
        receiving.async { self.receiveReplies() }
    }

    /// Whether the connection has ended.
    var isOver: Bool { state.withLock { $0.end != nil } }

    /// Ends the connection. Waiting requests fail.
    func close() { process.disconnect() }

    /// Sends requests together, and waits for all replies.
    ///
    /// - Returns: The replies in the order of the requests. A status that is an error is a reply like others.
    /// - Throws: `Failure` when the connection ends, `CancellationError` when the task is cancelled.
    func perform(_ requests: [SFTPRequest]) async throws -> [SFTPReply] {
        let batch = state.withLock { state in
            state.nextBatch += 1
            return state.nextBatch
        }
        try await bandwidth?.send(requests.reduce(0) { $0 + $1.contentLength })
        let replies = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                send(requests, as: batch, continuation)
            }
        } onCancel: {
            cancel(batch)
        }
        try await bandwidth?.receive(replies.reduce(0) { $0 + $1.contentLength })
        return replies
    }

    /// Sends a request whose reply does not matter.
    func post(_ request: SFTPRequest) {
        let id: UInt32? = state.withLock { state in
            state.end == nil ? Self.file(Place(batch: nil, index: 0), in: &state) : nil
        }
        if let id { send(request.encoded(id: id)) }
    }

    private func send(
        _ requests: [SFTPRequest], as batch: Int,
        _ continuation: CheckedContinuation<[SFTPReply], any Error>
    ) {
        let filed: Result<[UInt32], any Error> = state.withLock { state in
            if let end = state.end { return .failure(end) }
            // A cancellation that comes later finds the batch.
            if Task.isCancelled { return .failure(CancellationError()) }
            state.batches[batch] = Batch(
                replies: Array(repeating: nil, count: requests.count), left: requests.count,
                continuation: continuation)
            return .success(
                requests.indices.map { Self.file(Place(batch: batch, index: $0), in: &state) })
        }
        switch filed {
        case .success(let ids):
            send(zip(requests, ids).reduce(into: []) { $0 += $1.0.encoded(id: $1.1) })
        case .failure(let error): continuation.resume(throwing: error)
        }
    }

    private static func file(_ place: Place, in state: inout State) -> UInt32 {
        while state.waiting[state.nextID] != nil { state.nextID &+= 1 }
        defer { state.nextID &+= 1 }
        state.waiting[state.nextID] = place
        return state.nextID
    }

    private func send(_ bytes: [UInt8]) {
        sending.async { [process] in
            // The receiving thread sees the end, and reports it.
            do { try process.send(bytes) } catch { process.disconnect() }
        }
    }

    private func cancel(_ batch: Int) {
        state.withLock { $0.batches.removeValue(forKey: batch) }?.continuation
            .resume(throwing: CancellationError())
    }

    private func receiveReplies() {
        var damage: SSHDamage?
        while damage == nil {
            guard let length = try? process.receive(4), length.count == 4 else { break }
            let count = length.reduce(0) { $0 << 8 | Int($1) }
            guard (5...SFTPPacket.maximumLength).contains(count) else {
                damage = SSHDamage(start: length)
                break
            }
            guard let packet = try? process.receive(count), packet.count == count else { break }
            guard let (id, reply) = SFTPReply.decode(packet), take(reply, id) else {
                damage = SSHDamage(start: length)
                break
            }
        }
        if let damage { finish(describeEnd(.damaged(damage))) }
        process.disconnect()
        let (code, messages) = process.end(within: Self.timeToEnd)
        if damage == nil { finish(describeEnd(.ended(code: code, messages: messages))) }
    }

    /// - Returns: False when no request has this id.
    private func take(_ reply: SFTPReply, _ id: UInt32) -> Bool {
        let (isKnown, isUnwanted, finished) = state.withLock { state -> (Bool, Bool, Batch?) in
            guard let place = state.waiting.removeValue(forKey: id) else {
                return (false, false, nil)
            }
            guard let key = place.batch, var batch = state.batches.removeValue(forKey: key) else {
                return (true, true, nil)
            }
            batch.replies[place.index] = reply
            batch.left -= 1
            if batch.left == 0 { return (true, false, batch) }
            state.batches[key] = batch
            return (true, false, nil)
        }
        finished?.continuation.resume(returning: finished?.replies.compactMap(\.self) ?? [])
        // The caller was cancelled, and will not close the file.
        if isUnwanted, case .handle(let handle) = reply { post(.close(handle: handle)) }
        return isKnown
    }

    private func finish(_ failure: Failure) {
        let batches = state.withLock { state in
            defer { (state.batches, state.waiting) = ([:], [:]) }
            state.end = state.end ?? failure
            return state.batches
        }
        for batch in batches.values { batch.continuation.resume(throwing: failure) }
    }
}

extension SFTPRequest {
    /// What counts for the bandwidth: the bytes of a file; a packet without any has less than 100.
    fileprivate var contentLength: Int {
        if case .write(_, _, let bytes) = self { bytes.count } else { 100 }
    }
}

extension SFTPReply {
    /// What counts for the bandwidth.
    fileprivate var contentLength: Int {
        switch self {
        case .data(let bytes): bytes.count
        case .names(let names): names.count * 100
        default: 100
        }
    }
}
