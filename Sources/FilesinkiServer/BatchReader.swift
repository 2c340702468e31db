import FilesinkiDirectory
import FilesinkiHashing
import FilesinkiProtocol
import FilesinkiRemote
import HTTPTypes
import Hummingbird
import NIOCore

/// Replies to batch reads. Opens many objects at a time.
struct BatchReader: Sendable {
    let remote: DirectoryRemote
    /// The number of requested objects.
    let count: Int
    /// The request with an index.
    let request: @Sendable (Int) -> ObjectRequest?
    /// Whether the reply ends with the first absent object, as for a log.
    let endsAtAbsent: Bool

    init(_ remote: DirectoryRemote, _ requests: [ObjectRequest]) {
        self.remote = remote
        count = requests.count
        request = { requests[$0] }
        endsAtAbsent = false
    }

    /// - Parameter limit: The most commits.
    init(_ remote: DirectoryRemote, logOf zone: String, from: UInt64, limit: Int) {
        self.remote = remote
        count = limit
        request = { LogSlots.request(zone: zone, from: from, step: $0) }
        endsAtAbsent = true
    }

    /// Objects of up to this size are read at once, in bytes.
    private static let small = 1 << 20
    /// How many bytes and objects are read before they are sent.
    private static let budget = 4 << 20
    private static let together = 256

    /// The reply. The first objects are read before it begins, so that a missing store is reported by a
    /// status.
    func reply() async throws -> Reply {
        let first = try await readBatch(from: 0)
        return Reply(
            .ok, fields: [.contentType: "application/octet-stream"],
            body: .stream(length: nil) { writer in
                var frames = Frames()
                try await write(first, &frames, &writer)
                try await writer.finish(nil)
            })
    }

    /// Reads some of the objects, beginning with an index.
    private func readBatch(
        from index: Int
    ) async throws -> [(ObjectRequest, DirectoryRemote.BatchEntry)] {
        let requests = (index..<min(index + Self.together, count)).compactMap(request)
        if requests.isEmpty { return [] }
        let entries = try await remote.readBatch(
            requests.map(\.key), small: Self.small, budget: Self.budget,
            untilAbsent: endsAtAbsent)
        return Array(zip(requests, entries))
    }

    /// The frames of one reply.
    private struct Frames {
        /// Frames not sent yet.
        var held = ByteBuffer()
        /// The bytes of contents that still fit into the reply; negative when it is full.
        var left = Int64(WireLimits.replyBytes)
        var isOver = false

        mutating func add(_ frame: WireFrame) { held.writeBytes(frame.encoded) }

        /// Marks the reply as full: this object and the following ones must be requested again.
        mutating func markFull() {
            add(.askAgain)
            left = -1
        }

        var isFull: Bool { left < 0 }
    }

    private func write(
        _ first: [(ObjectRequest, DirectoryRemote.BatchEntry)], _ frames: inout Frames,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        var entries = first
        var done = 0
        while !entries.isEmpty, !frames.isFull, !frames.isOver {
            for (request, entry) in entries where !frames.isFull && !frames.isOver {
                try await write(entry, request, &frames, &writer)
                done += 1
            }
            try await flush(&frames, &writer)
            entries = frames.isFull || frames.isOver ? [] : try await readBatch(from: done)
        }
        if endsAtAbsent {
            // If it is full, its last frame says so already.
            if !frames.isOver, !frames.isFull { frames.add(.askAgain) }
        } else {
            for _ in done..<count { frames.add(.askAgain) }
        }
        try await flush(&frames, &writer)
    }

    private func flush(
        _ frames: inout Frames, _ writer: inout any ResponseBodyWriter
    ) async throws {
        guard frames.held.readableBytes > 0 else { return }
        try await writer.write(frames.held)
        frames.held = ByteBuffer()
    }

    private func write(
        _ entry: DirectoryRemote.BatchEntry, _ request: ObjectRequest, _ frames: inout Frames,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        switch entry {
        case .absent:
            frames.add(.absent)
            frames.isOver = endsAtAbsent
        case .bytes(let bytes):
            write(bytes, request, &frames)
        case .large(let object):
            try await write(object, request, &frames, &writer)
        }
    }

    private func write(_ bytes: [UInt8], _ request: ObjectRequest, _ frames: inout Frames) {
        if let known = request.known, SHA256.hash(bytes) == known {
            return frames.add(.same)
        }
        let whole = 0..<Int64(bytes.count)
        let range = (request.range ?? whole).clamped(to: whole)
        guard Int64(range.count) <= frames.left else { return frames.markFull() }
        frames.left -= Int64(range.count)
        frames.held.writeBytes(WireFrame.head(ofBytes: Int64(range.count)))
        frames.held.writeBytes(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    private func write(
        _ object: StoredObject, _ request: ObjectRequest, _ frames: inout Frames,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        if let known = request.known, try await hash(object) == known { return frames.add(.same) }
        let whole = 0..<object.size
        let range = (request.range ?? whole).clamped(to: whole)
        guard Int64(range.count) <= frames.left else { return frames.markFull() }
        frames.left -= Int64(range.count)
        frames.held.writeBytes(WireFrame.head(ofBytes: Int64(range.count)))
        try await flush(&frames, &writer)
        try await ObjectReader.write(object, range, to: &writer)
    }

    private func hash(_ object: StoredObject) async throws -> [UInt8] {
        var hasher = SHA256()
        var offset: Int64 = 0
        while offset < object.size {
            let bytes = try await object.read(from: offset, count: ObjectReader.pieceSize)
            guard !bytes.isEmpty else { throw CutReplyError() }
            hasher.update(bytes)
            offset += Int64(bytes.count)
        }
        return hasher.finish()
    }
}

/// The keys of a zone's commits: see Docs/Format.md. The only part of the store's format that the server
/// uses, so that a log is read in one round trip.
enum LogSlots {
    /// The slot `step` after a number; nil on overflow.
    static func request(zone: String, from: UInt64, step: Int) -> ObjectRequest? {
        let (number, overflow) = from.addingReportingOverflow(UInt64(max(0, step)))
        let text = String(number)
        let zeros = String(repeating: "0", count: max(0, 20 - text.utf8.count))
        guard !overflow, let key = try? ObjectKey("zones/\(zone)/log/\(zeros)\(text)/c") else {
            return nil
        }
        return ObjectRequest(key)
    }
}

/// Replies to listings, without the keys that the token does not include.
struct ListingReader: Sendable {
    let remote: DirectoryRemote
    let access: Access

    func reply(prefix: String, after: ObjectKey?, limit: Int) async throws -> Reply {
        var found: [ObjectInfo] = []
        var after = after
        while found.count < limit {
            let page = try await remote.list(prefix: prefix, after: after, limit: limit)
            found += page.lazy.filter { access.allows(.read, $0.key) }.prefix(limit - found.count)
            guard page.count == limit, let last = page.last else { break }
            after = last.key
        }
        return Reply(.ok, text: ListLines.encode(found))
    }
}
