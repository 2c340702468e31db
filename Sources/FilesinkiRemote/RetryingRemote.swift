package import FilesinkiModel

/// Tries again what failed because the remote was away or busy, with growing pauses.
///
/// A remote that says how long it wants to be left alone is left alone for as long.
///
/// The pauses double from 0.1 s and are drawn by chance from their upper half, so that many devices
/// do not come back at one moment. A publication is never simply repeated: its answer may have been
/// lost on the way, so the slot is read first, and only an empty one is published to again.
package struct RetryingRemote: Remote {
    private let wrapped: any Remote
    private let surroundings: Surroundings
    private let tries: Int

    /// The first pause is half of this to all of it.
    package static let firstPause = Duration.milliseconds(100)

    /// A remote that asks to be left alone for longer than this is away: 30 s.
    package static let longestPause = Duration.seconds(30)

    /// - Parameter tries: How often a request is made at most; 1 or more.
    package init(_ wrapped: any Remote, surroundings: Surroundings, tries: Int = 5) {
        self.wrapped = wrapped
        self.surroundings = surroundings
        self.tries = max(1, tries)
    }

    package var address: String { wrapped.address }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await trying { _ in try await wrapped.get(key, range: range) }
    }

    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        try await trying { _ in try await wrapped.read(requests) }
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await trying { isRepeated in
            if isRepeated, let there = try await wrapped.get(slot, range: nil) {
                return there == bytes ? .mine : .theirs(there)
            }
            return try await wrapped.publish(bytes, to: slot)
        }
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await trying { _ in try await wrapped.put(bytes, to: key) }
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await trying { _ in try await wrapped.list(prefix: prefix, after: after, limit: limit) }
    }

    package func delete(_ key: ObjectKey) async throws {
        try await trying { _ in try await wrapped.delete(key) }
    }

    /// Passed on once: a hint is not worth trying again.
    package func wait(prefix: String, timeout: Duration) async throws {
        try await wrapped.wait(prefix: prefix, timeout: timeout)
    }

    private func trying<Answer>(_ request: (_ isRepeated: Bool) async throws -> Answer) async throws
        -> Answer
    {
        var count = 1
        while true {
            do {
                return try await request(count > 1)
            } catch let failure as Failure where count < tries && failure.isPassing {
                let wished = failure.retryAfter ?? .zero
                if wished > Self.longestPause { throw failure }
                try await surroundings.sleep(max(wished, pause(after: count)))
                count += 1
            }
        }
    }

    /// How long to wait after so many tries: 1 or more.
    private func pause(after count: Int) -> Duration {
        let longest = Self.firstPause * (1 << min(count - 1, 6))
        let chance = Int(surroundings.randomBytes(1).first ?? 0)
        return longest / 2 + longest * chance / 510
    }
}

extension Failure {
    /// Whether the same request may succeed a little later.
    fileprivate var isPassing: Bool { code == .away || code == .busy }
}
