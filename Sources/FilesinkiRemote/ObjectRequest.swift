/// One object that ``Remote/read(_:)`` is asked for.
package struct ObjectRequest: Hashable, Sendable {
    package var key: ObjectKey
    /// The bytes that are wanted, held to the object's end; nil for all.
    package var range: Range<Int64>?
    /// The SHA-256 of the whole object as the caller has it. A remote may then answer
    /// ``ObjectReply/same`` and save the bytes; it need not.
    package var known: [UInt8]?

    package init(_ key: ObjectKey, range: Range<Int64>? = nil, known: [UInt8]? = nil) {
        self.key = key
        self.range = range
        self.known = known
    }
}

/// What there is at the key of an ``ObjectRequest``.
package enum ObjectReply: Hashable, Sendable {
    /// Nothing.
    case absent
    /// The bytes that the caller said it has.
    case same
    /// The object's bytes, or those of the range.
    case bytes([UInt8])
}

extension Remote {
    /// How many requests are under way at once where a remote has no way to ask for all in one.
    package static var parallelReads: Int { 8 }

    /// Asks for each object by itself, several at a time.
    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        var replies = [ObjectReply](repeating: .absent, count: requests.count)
        try await withThrowingTaskGroup(of: (Int, ObjectReply).self) { group in
            for (index, request) in requests.enumerated() {
                if index >= Self.parallelReads, let (done, reply) = try await group.next() {
                    replies[done] = reply
                }
                group.addTask {
                    let bytes = try await get(request.key, range: request.range)
                    return (index, bytes.map(ObjectReply.bytes) ?? .absent)
                }
            }
            for try await (done, reply) in group { replies[done] = reply }
        }
        return replies
    }
}
