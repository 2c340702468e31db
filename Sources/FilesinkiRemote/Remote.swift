import Synchronization

/// An object store with write-once slots: the interface of every place where replicas exchange commits.
///
/// The engine relies on exactly these guarantees, and `RemoteContract` tests each of them on every
/// remote:
/// - ``get(_:range:)`` returns nil only when the key is known to be absent. An unreachable remote is an
///   error with code ``FilesinkiModel/Failure/Code/away``; the two are never confused.
/// - ``publish(_:to:)`` fills a *write-once slot*: the bytes appear whole or not at all, and never
///   change once a reader has seen them. Of all writers to one slot, exactly one wins.
/// - ``put(_:to:)`` is for keys that only this content can have (its hash, or a random id), so writing
///   twice is harmless. The bytes are visible only when they are complete.
/// - When ``put(_:to:)`` or ``publish(_:to:)`` has returned, the bytes are durable, if the remote can
///   make them so.
/// - Every failure is a ``FilesinkiModel/Failure``. Remotes do not retry; ``RetryingRemote`` does.
/// - All methods may be called from several tasks at once.
package protocol Remote: Sendable {
    /// The remote's address for messages; contains no secrets.
    var address: String { get }

    /// What to use if this remote breaks a guarantee, as sentences for the user.
    var alternative: String { get }

    /// The object's bytes, or those of `range` clamped to the object's size; nil when it is absent.
    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]?

    /// Reads several objects, in one round trip where the remote supports it. Replies are in the order
    /// of the requests; each may show a different moment.
    func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply]

    /// Fills a write-once slot. The outcome is what reading the slot returns, never a status code.
    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome

    /// Fills a slot as ``publish(_:to:)`` does, then looks up the first key of a listing: in one round trip
    /// where the remote supports it.
    func publish(
        _ bytes: [UInt8], to slot: ObjectKey, thenFind search: KeySearch
    ) async throws -> (outcome: PublishOutcome, found: ObjectKey?)

    /// Stores bytes under a key that only they can have.
    func put(_ bytes: [UInt8], to key: ObjectKey) async throws

    /// Up to `limit` objects whose keys begin with `prefix` and come after `after`, in key order.
    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo]

    /// Removes an object. Succeeds if the key is absent.
    func delete(_ key: ObjectKey) async throws

    /// Waits until something may have changed below `prefix`, at most for `timeout`. A hint only.
    ///
    /// The first call for a prefix starts listening, even with a timeout of zero; a change between two
    /// calls ends the second one at once. To miss nothing, call this before reading the first state.
    func wait(prefix: String, timeout: Duration) async throws
}

/// A search for one key.
package struct KeySearch: Hashable, Sendable {
    package let prefix: String
    package let after: ObjectKey

    /// - Parameters:
    ///   - prefix: What the key begins with.
    ///   - after: The key before it; the first one after this is found.
    package init(prefix: String, after: ObjectKey) {
        self.prefix = prefix
        self.after = after
    }
}

extension Remote {
    /// The first key of a search; nil if there is none.
    package func find(_ search: KeySearch) async throws -> ObjectKey? {
        try await list(prefix: search.prefix, after: search.after, limit: 1).first?.key
    }

    package func publish(
        _ bytes: [UInt8], to slot: ObjectKey, thenFind search: KeySearch
    ) async throws -> (outcome: PublishOutcome, found: ObjectKey?) {
        let outcome = try await publish(bytes, to: slot)
        return (outcome, try await find(search))
    }
}

/// A remote that reads all names of a folder for each listing in it, so that few long listings cost less than
/// many short ones.
package protocol FolderRemote: Remote {}

/// A remote whose requests cost no round trip, so that callers need not save them.
package protocol LocalRemote: FolderRemote {
    /// The present state of the folder of a prefix; nil if it does not exist. Reads none of its names.
    ///
    /// - Parameter prefix: Ends with a slash.
    func stamp(ofFolder prefix: String) async throws -> FolderStamp?
}

/// A remote whose first request waits for a login.
package protocol ConnectingRemote: Remote {
    /// Begins to log in, unless that has begun. The next request waits for it, and throws what has failed.
    func connect()
}

/// A remote on which a killed writer may leave unfinished objects, which no listing shows.
package protocol SweepableRemote: Remote {
    /// Removes what killed writers left unfinished.
    ///
    /// A writer that sleeps for longer than `age` and wakes up finds its upload gone, and stores it again.
    ///
    /// - Parameters:
    ///   - folders: Where writers may have staged objects: prefixes of keys that end with a slash, empty for
    ///     the whole store's folder. A remote that knows all unfinished objects looks everywhere.
    ///   - age: Only older objects are removed, by the remote's own clock.
    ///   - isDryRun: Count the objects, and remove none.
    /// - Returns: The number of removed objects.
    func sweep(_ folders: [String], olderThan age: Duration, isDryRun: Bool) async throws -> Int
}

extension SweepableRemote {
    /// Removes what killed writers left unfinished: see ``sweep(_:olderThan:isDryRun:)``.
    package func sweep(_ folders: [String], olderThan age: Duration) async throws -> Int {
        try await sweep(folders, olderThan: age, isDryRun: false)
    }
}

/// A remote that seals objects before it stores them.
package protocol EncryptedRemote: Remote {
    /// Identifies the key that the objects are sealed with: 32 hexadecimal digits.
    var keyFingerprint: String { get }
}

/// The outcome of ``Remote/publish(_:to:)``.
package enum PublishOutcome: Hashable, Sendable {
    /// The slot holds our bytes.
    case mine
    /// Another writer was first; the slot holds these bytes.
    case theirs([UInt8])

    /// The outcome for the writer of `own` when the slot holds `stored`.
    package init(stored: [UInt8], own: [UInt8]) {
        self = stored == own ? .mine : .theirs(stored)
    }
}

/// An object in a listing.
package struct ObjectInfo: Hashable, Sendable {
    package var key: ObjectKey
    /// In bytes.
    package var size: Int64

    package init(key: ObjectKey, size: Int64) {
        self.key = key
        self.size = size
    }
}

/// One object of a ``Remote/read(_:)``.
package struct ObjectRequest: Hashable, Sendable {
    package var key: ObjectKey
    /// The wanted bytes, clamped to the object's size; nil for all.
    package var range: Range<Int64>?
    /// The SHA-256 of the whole object as the caller has it. A remote may then reply
    /// ``ObjectReply/same`` instead of sending the bytes, but need not.
    package var known: [UInt8]?

    package init(_ key: ObjectKey, range: Range<Int64>? = nil, known: [UInt8]? = nil) {
        self.key = key
        self.range = range
        self.known = known
    }
}

/// The reply to an ``ObjectRequest``.
package enum ObjectReply: Hashable, Sendable {
    case absent
    /// The object is the one whose hash the request named.
    case same
    /// The object's bytes, or those of the range.
    case bytes([UInt8])
}

extension Remote {
    /// The number of concurrent requests of a remote that has no batch request.
    package static var parallelReads: Int { 8 }

    /// Reads each object with a request of its own, ``parallelReads`` at a time.
    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        try await mapConcurrently(requests, limit: Self.parallelReads) { request in
            let bytes = try await get(request.key, range: request.range)
            return bytes.map(ObjectReply.bytes) ?? .absent
        }
    }

    package var alternative: String {
        "Use a folder on a file system that renames folders atomically, or filesinki serve."
    }
}

/// Transforms the elements in concurrent tasks, at most `limit` at a time.
///
/// - Returns: The results in the order of the elements.
/// - Throws: The first error; the other tasks are cancelled.
package func mapConcurrently<Element: Sendable, Result: Sendable>(
    _ elements: [Element], limit: Int,
    _ transform: @escaping @Sendable (Element) async throws -> Result
) async throws -> [Result] {
    var results = [Result?](repeating: nil, count: elements.count)
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        for (index, element) in elements.enumerated() {
            if index >= limit, let (done, result) = try await group.next() {
                results[done] = result
            }
            group.addTask { (index, try await transform(element)) }
        }
        for try await (done, result) in group { results[done] = result }
    }
    return results.compactMap(\.self)
}

/// The state that a polling remote saw last below each prefix, so that a change between two waits ends
/// the second one at once.
package final class PollCursor<State: Sendable>: Sendable {
    private let states = Mutex<[String: State]>([:])

    /// The most prefixes that are remembered. A zone's log uses one.
    private static var maximum: Int { 64 }

    package init() {}

    package subscript(prefix: String) -> State? { states.withLock { $0[prefix] } }

    /// Stores the state seen now.
    ///
    /// - Returns: The previous state; nil for the first one.
    @discardableResult
    package func advance(_ prefix: String, to state: State) -> State? {
        states.withLock { states in
            if states.count >= Self.maximum, states[prefix] == nil { states = [:] }
            return states.updateValue(state, forKey: prefix)
        }
    }
}
