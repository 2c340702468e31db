import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Synchronization
import Testing

extension Machine {
    /// An observer of this replica.
    func observer(
        _ notes: Notes = Notes(), _ change: (inout ObserverOptions) throws -> Void
    ) rethrows -> Observer {
        var options = ObserverOptions()
        try change(&options)
        return Observer(self.options, options) { notes.add($0) }
    }

    func observer(_ notes: Notes = Notes()) -> Observer { observer(notes) { _ in } }

    /// The events after a start, and the token after them.
    func readEvents(
        from start: ObserverOptions.Start, _ change: (inout ObserverOptions) -> Void = { _ in }
    ) async throws -> (events: [Event], end: EventToken) {
        let observer = observer {
            $0.start = start
            change(&$0)
        }
        let events = try await observer.events()
        return (events, try #require(await observer.token))
    }
}

extension Observer {
    /// All events that are available now.
    func events() async throws -> [Event] {
        var events: [Event] = []
        while let found = try await next(.none) { events += found.events }
        return events
    }

    /// The next events, however long they take; nil when something else comes.
    func nextEvents() async throws -> [Event] {
        while let found = try await next(.forever) {
            if !found.events.isEmpty { return found.events }
        }
        return []
    }
}

extension Observed {
    var events: [Event] {
        switch self {
        case .position: []
        case .events(let events, _): events
        case .difference(let difference): difference.events
        }
    }

    var difference: EventDifference? {
        if case .difference(let difference) = self { return difference }
        return nil
    }
}

extension Event {
    /// Such as `3 +a/b` or `4 -a/b`.
    var brief: String { "\(version) \(entry.kind == .tombstone ? "-" : "+")\(path)" }
}

/// Collects the notices of an observer.
final class Notes: Sendable {
    private let kept = Mutex<[String]>([])
    private let stream = AsyncStream<String>.makeStream()

    var all: [String] { kept.withLock { $0 } }

    func add(_ notice: ObserverNotice) {
        let word =
            switch notice {
            case .waiting(let failure): "waiting: \(failure.code)"
            case .resumed: "back"
            case .failure(let failure): "trouble: \(failure.code) \(printable(failure.path))"
            }
        kept.withLock { $0.append(word) }
        stream.continuation.yield(word)
    }

    /// The next notice.
    func next() async -> String? {
        for await word in stream.stream { return word }
        return nil
    }
}

extension World {
    /// Removes the commits up to a number, as a store does that was pruned.
    func prune(to number: UInt64, keepingLast: Bool = false) async throws {
        try await PrunedLog.prune(store, to: number, keepingLast: keepingLast)
    }
}
