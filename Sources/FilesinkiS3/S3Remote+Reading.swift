import FilesinkiHTTP
import FilesinkiModel
package import FilesinkiRemote

extension S3Remote {
    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        guard let range else { return try await whole(key) }
        let first = max(range.lowerBound, 0)
        // No range of HTTP is empty: one byte tells whether the object is there.
        let last = range.upperBound > first ? range.upperBound - 1 : first
        let found = try await ask(key, first...last)
        return range.isEmpty ? found.map { _ in [] } : found
    }

    private func whole(_ key: ObjectKey) async throws -> [UInt8]? {
        let reply = try await connection.send(
            .init(
                method: "GET", key: bucketKey(key.description),
                maximumReply: Self.maximumObjectSize))
        if isAbsent(reply) { return nil }
        guard reply.status == 200 else {
            throw await connection.failure(reply, key.description)
        }
        try demandObject(reply, key)
        return reply.body
    }

    /// The bytes from the first to the last one that is asked for, held to the object's end.
    private func ask(_ key: ObjectKey, _ range: ClosedRange<Int64>) async throws -> [UInt8]? {
        let room = min(range.upperBound - range.lowerBound, Int64(Self.maximumObjectSize))
        let reply = try await connection.send(
            .init(
                method: "GET", key: bucketKey(key.description),
                fields: ["Range": "bytes=\(range.lowerBound)-\(range.upperBound)"],
                // What says that something is wrong may be longer than the range.
                maximumReply: Int(room) + (1 << 20)))
        if isAbsent(reply) { return nil }
        switch reply.status {
        case 206:
            try demandObject(reply, key)
            try demandRange(reply, key, range)
            return reply.body
        case 416 where S3Fault(reply).code == "InvalidRange": return []
        case 200:
            // The service does without ranges, and the object is short enough to cut it here.
            try demandObject(reply, key)
            let bytes = 0..<Int64(reply.body.count)
            guard bytes.contains(range.lowerBound) else { return [] }
            return Array(reply.body[Int(range.lowerBound)...].prefix(Int(room) + 1))
        default: throw await connection.failure(reply, key.description)
        }
    }

    /// Every S3 service names the entity; what does not is none.
    private func demandObject(_ reply: HTTPReply, _ key: ObjectKey) throws(Failure) {
        guard reply.fields["ETag"] != nil else {
            throw connection.strange(
                key.description, "it is not marked as an object")
        }
    }

    /// Whether the bytes are those that were asked for, all of them.
    private func demandRange(
        _ reply: HTTPReply, _ key: ObjectKey, _ range: ClosedRange<Int64>
    ) throws(Failure) {
        let words = (reply.fields["Content-Range"] ?? "").split { " -/".contains($0) }
        guard words.count == 4, words[0] == "bytes", Int64(words[1]) == range.lowerBound,
            let last = Int64(words[2]), last >= range.lowerBound, last <= range.upperBound,
            last - range.lowerBound == Int64(reply.body.count) - 1,
            last == range.upperBound || Int64(words[3]) == last + 1
        else { throw connection.strange(key.description, "it holds another range") }
    }
}
