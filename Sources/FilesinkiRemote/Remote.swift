/// A place where replicas meet: keys and bytes, and one promise.
///
/// The engine relies on exactly these guarantees, and `RemoteContract` tests each of them on every
/// remote:
/// - ``get(_:range:)`` says nil only when the key is known to be absent; unreachable is an error
///   with code ``FilesinkiModel/Failure/Code/away``, and the two are never mixed up.
/// - ``publish(_:to:)`` fills a *write-once slot*: the bytes appear whole or not at all, and once a
///   reader has seen them they never change. Of all who try one slot, exactly one wins.
/// - ``put(_:to:)`` is for names that only this content can have (its hash, or a random id), so
///   writing twice is harmless. The bytes are visible only when they are complete.
/// - What ``put(_:to:)`` and ``publish(_:to:)`` have returned from is durable where the remote can
///   make it so.
/// - Every failure is a ``FilesinkiModel/Failure``. Retrying belongs to a wrapper, never to a remote.
/// - All methods may be called from several tasks at once.
package protocol Remote: Sendable {
    /// The remote's address as a person may see it, without secrets.
    var address: String { get }

    /// What to use when this place breaks a promise, as sentences for a person.
    var alternative: String { get }

    /// The object's bytes, or those of `range` (held to the object's end); nil when it is absent.
    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]?

    /// Several objects at once, in the order they were asked for: one round trip where the remote has
    /// a way to do that. Each reply may show another moment.
    func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply]

    /// Fills a write-once slot. The answer is what reading the slot returns, never a status code.
    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome

    /// Stores bytes under a name that only they can have.
    func put(_ bytes: [UInt8], to key: ObjectKey) async throws

    /// Up to `limit` objects whose keys begin with `prefix` and come after `after`, in key order.
    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo]

    /// Removes an object; of a missing key it succeeds.
    func delete(_ key: ObjectKey) async throws

    /// Waits until something may have changed below `prefix`, or the time is over. A hint only.
    ///
    /// The first call for a prefix begins to listen, also with no time: what comes between two calls
    /// ends the second at once. So whoever must miss nothing listens before the first look.
    func wait(prefix: String, timeout: Duration) async throws
}

extension Remote {
    package var alternative: String {
        "Use a folder on a file system that renames folders atomically, or filesinki serve."
    }
}

/// The answer of a publication.
package enum PublishOutcome: Hashable, Sendable {
    /// The slot holds our bytes.
    case mine
    /// Somebody else was first; the slot holds these bytes.
    case theirs([UInt8])
}

/// What a listing says of an object.
package struct ObjectInfo: Hashable, Sendable {
    package var key: ObjectKey
    /// In bytes.
    package var size: Int64

    package init(key: ObjectKey, size: Int64) {
        self.key = key
        self.size = size
    }
}
