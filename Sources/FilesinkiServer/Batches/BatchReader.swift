import FilesinkiDirectory
import FilesinkiHashing
import FilesinkiProtocol
import FilesinkiRemote
import Hummingbird
import NIOCore

/// Writes the frames of a reply for many objects, looking at many of them in one go.
struct BatchReader: Sendable {
    let remote: DirectoryRemote
    /// How many are asked for.
    let count: Int
    /// The one of a number, from 0 on.
    let request: @Sendable (Int) -> ObjectRequest?
    /// What ends a reply that is about a row of numbers: the first absent one.
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

    /// Objects up to this size are read at once, in bytes.
    private static let small = 1 << 20
    /// How much is read before it is sent, in bytes, and how many objects are.
    private static let budget = 4 << 20
    private static let together = 256

    /// The reply. Its first objects are read before it begins, so that a store that is away is told by
    /// a status.
    func reply() async throws -> Reply {
        let first = try await look(0)
        return Reply(
            .ok, fields: [.contentType: "application/octet-stream"],
            body: .stream(length: nil) { writer in
                var frames = Frames()
                try await write(first, &frames, &writer)
                try await writer.finish(nil)
            })
    }

    /// Looks at some of the objects from a number on.
    private func look(_ index: Int) async throws -> [(ObjectRequest, DirectoryRemote.BatchEntry)] {
        let requests = (index..<min(index + Self.together, count)).compactMap(request)
        if requests.isEmpty { return [] }
        let entries = try await remote.readBatch(
            requests.map(\.key), small: Self.small, budget: Self.budget,
            untilAbsent: endsAtAbsent)
        return Array(zip(requests, entries))
    }

    /// What was written so far, and what waits to be.
    private struct Frames {
        var held = ByteBuffer()
        var left = Int64(WireLimits.replyBytes)
        var isOver = false

        mutating func add(_ frame: WireFrame) { held.writeBytes(frame.encoded) }

        /// Says that the reply is full, for this and all that follow.
        mutating func fill() {
            add(.askAgain)
            left = -1
        }

        var isFull: Bool { left < 0 }
    }

    private func write(
        _ first: [(ObjectRequest, DirectoryRemote.BatchEntry)], _ frames: inout Frames,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        var looks = first
        var done = 0
        while !looks.isEmpty, !frames.isFull, !frames.isOver {
            for (request, look) in looks where !frames.isFull && !frames.isOver {
                try await write(look, request, &frames, &writer)
                done += 1
            }
            try await flush(&frames, &writer)
            looks = frames.isFull || frames.isOver ? [] : try await look(done)
        }
        if endsAtAbsent {
            // When it is full, the frame that says so is there already.
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
        _ look: DirectoryRemote.BatchEntry, _ request: ObjectRequest, _ frames: inout Frames,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        switch look {
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
        guard Int64(range.count) <= frames.left else { return frames.fill() }
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
        guard Int64(range.count) <= frames.left else { return frames.fill() }
        frames.left -= Int64(range.count)
        frames.held.writeBytes(WireFrame.head(ofBytes: Int64(range.count)))
        try await flush(&frames, &writer)
        try await ObjectReader.write(object, range, to: &writer)
    }

    private func hash(_ object: StoredObject) async throws -> [UInt8] {
        var hasher = SHA256()
        var offset: Int64 = 0
        while offset < object.size {
            let bytes = try await object.read(from: offset, count: ObjectReader.piece)
            guard !bytes.isEmpty else { throw CutReply() }
            hasher.update(bytes)
            offset += Int64(bytes.count)
        }
        return hasher.finish()
    }
}
