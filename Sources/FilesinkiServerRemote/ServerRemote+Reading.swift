import FilesinkiModel
import FilesinkiProtocol
package import FilesinkiRemote
import Synchronization

extension ServerRemote {
    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        var replies: [ObjectReply] = []
        replies.reserveCapacity(requests.count)
        while replies.count < requests.count {
            let rest = requests[replies.count...]
            let some = try await batch(Self.question(rest))
            if some.isEmpty, let first = rest.first {
                // Too large to be answered together with others.
                let bytes = try await get(first.key, range: first.range)
                replies.append(bytes.map(ObjectReply.bytes) ?? .absent)
            }
            replies += some
        }
        return replies
    }

    /// As many requests from the beginning as one question may have.
    private static func question(
        _ requests: ArraySlice<ObjectRequest>
    ) -> ArraySlice<ObjectRequest> {
        var size = 0
        var end = requests.startIndex
        for request in requests.prefix(WireLimits.batchLines) {
            size += ReadLines.line(request).utf8.count + 1
            guard size <= WireLimits.batchBytes else { break }
            end += 1
        }
        return requests[..<max(end, requests.startIndex + 1)]
    }

    /// The replies that fit into one answer: none when the first alone does not.
    private func batch(_ requests: ArraySlice<ObjectRequest>) async throws -> [ObjectReply] {
        let collected = Mutex(FrameCollector())
        try await exchange.stream(
            "POST", WirePaths.read, body: ReadLines.encode(requests),
            maximumReply: WireLimits.replyBytes
        ) { piece in
            try collected.withLock { try $0.add(piece) }
            return true
        }
        let (replies, isFull) = try collected.withLock { try $0.finish() }
        guard replies.count == requests.count || isFull && replies.count < requests.count else {
            throw WireFailure.cutReply
        }
        return replies
    }
}

/// Puts together the frames of one answer.
private struct FrameCollector {
    private var reader = WireFrameReader()
    private var replies: [ObjectReply] = []
    private var isFull = false

    mutating func add(_ piece: [UInt8]) throws(Failure) {
        reader.add(piece)
        while let frame = try reader.next() {
            switch frame {
            case .askAgain: isFull = true
            case _ where isFull: throw WireFailure.corruptReply
            case .absent: replies.append(.absent)
            case .same: replies.append(.same)
            case .bytes(let bytes): replies.append(.bytes(bytes))
            }
        }
    }

    func finish() throws(Failure) -> ([ObjectReply], isFull: Bool) {
        try reader.finish()
        return (replies, isFull)
    }
}
