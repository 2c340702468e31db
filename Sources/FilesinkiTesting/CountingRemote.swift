package import FilesinkiRemote
import Synchronization

/// Counts the requests to a remote and their bytes: what a run costs in round trips.
package final class CountingRemote: RemoteWrapper {
    package let wrapped: any Remote
    private let counted = Mutex(RequestCounts())

    package init(_ wrapped: any Remote) { self.wrapped = wrapped }

    /// The requests so far, or since ``reset()``.
    package var counts: RequestCounts { counted.withLock { $0 } }

    /// Sets all counts to zero.
    package func reset() { counted.withLock { $0 = RequestCounts() } }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        counted.withLock { $0.gets += 1 }
        let bytes = try await wrapped.get(key, range: range)
        counted.withLock { $0.bytesRead += Int64(bytes?.count ?? 0) }
        return bytes
    }

    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        counted.withLock { $0.reads += 1 }
        let replies = try await wrapped.read(requests)
        let sum: Int64 = replies.reduce(0) { sum, reply in
            if case .bytes(let bytes) = reply { sum + Int64(bytes.count) } else { sum }
        }
        counted.withLock { $0.bytesRead += sum }
        return replies
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        counted.withLock {
            $0.publications += 1
            $0.bytesWritten += Int64(bytes.count)
        }
        return try await wrapped.publish(bytes, to: slot)
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        counted.withLock {
            $0.puts += 1
            $0.bytesWritten += Int64(bytes.count)
        }
        try await wrapped.put(bytes, to: key)
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        counted.withLock { $0.lists += 1 }
        return try await wrapped.list(prefix: prefix, after: after, limit: limit)
    }

    package func delete(_ key: ObjectKey) async throws {
        counted.withLock { $0.deletions += 1 }
        try await wrapped.delete(key)
    }

    package func wait(prefix: String, timeout: Duration) async throws {
        counted.withLock { $0.waits += 1 }
        try await wrapped.wait(prefix: prefix, timeout: timeout)
    }
}

/// The number of requests by method, and the bytes in each direction.
package struct RequestCounts: Hashable, Sendable {
    package var gets = 0
    /// Batch reads.
    package var reads = 0
    package var publications = 0
    package var puts = 0
    package var lists = 0
    package var deletions = 0
    package var waits = 0
    /// Bytes returned by gets and reads.
    package var bytesRead: Int64 = 0
    /// Bytes put or published, including failed and lost publications.
    package var bytesWritten: Int64 = 0

    package init() {}

    /// All requests except waits.
    package var requests: Int { gets + reads + publications + puts + lists + deletions }

    /// Requests that could change the store.
    package var writes: Int { publications + puts + deletions }
}
