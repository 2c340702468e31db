import FoundationEssentials

/// A value that is kept in a file and in step with the same file on other devices.
///
/// Nothing is asked as long as only one device changes the file. Where two did, a `FileMergable` is
/// merged first; else ``shouldOverwrite(other:)`` says which of the two stays. What does not stay is in
/// the store's history, and can be brought back with `filesinki log` and `filesinki restore`.
///
/// The methods are called on a background thread, never for two values that are equal.
public protocol FileSyncable: Codable, Equatable, SendableMetatype {
    /// Takes the value that is to stay.
    typealias ShouldOverwriteClosure = @Sendable (Self) -> Void

    /// Takes whether the file is to go.
    typealias ShouldDeleteClosure = @Sendable (Bool) -> Void

    /// Whether this value is better than the other one and takes its place.
    ///
    /// It has to be a strict order: of two values at most one overwrites the other. A `Comparable` type
    /// has `self > other` by default; any other one `false`.
    func shouldOverwrite(other: Self) -> Bool

    /// Asks, perhaps a person, which of the two values stays.
    ///
    /// - Parameters:
    ///   - other: The other device's value.
    ///   - keep: To be called once, from any thread and as late as one likes; other paths go on
    ///     meanwhile. A value that is neither of the two is taken for a merge of them. When the closure
    ///     goes without having been called, both contents are kept side by side.
    ///
    /// By default `other` stays if it overwrites this value; else, also for a tie, this value does.
    func shouldOverwriteAsync(other: Self, keep: @escaping ShouldOverwriteClosure)

    /// Whether the local value goes, because another device deleted the file.
    ///
    /// - Parameters:
    ///   - local: What is here.
    ///   - remoteDeleted: What the file held when it was deleted, as far as this device knows.
    /// - Returns: False to keep the local value and to publish it again. By default a value goes when it
    ///   is the one that was deleted; an edit that the other device had not seen stays.
    static func shouldDelete(local: Self, remoteDeleted: Self) -> Bool

    /// Asks, perhaps a person, whether the local value goes. By default ``shouldDelete(local:remoteDeleted:)``
    /// answers.
    ///
    /// - Parameters:
    ///   - local: What is here.
    ///   - remoteDeleted: What the file held when it was deleted, as far as this device knows.
    ///   - delete: To be called once, from any thread. If it is released without having been called, an
    ///     edited file stays and an unedited one is deleted.
    static func interactiveShouldDelete(
        local: Self, remoteDeleted: Self, delete: @escaping ShouldDeleteClosure)
}

extension FileSyncable {
    /// No value is better than another: the one that is asked first stays.
    public func shouldOverwrite(other: Self) -> Bool { false }

    /// Keeps `other` if it overwrites this value, else this one.
    public func shouldOverwriteAsync(other: Self, keep: @escaping ShouldOverwriteClosure) {
        keep(other.shouldOverwrite(other: self) ? other : self)
    }

    /// True for the value that was deleted; an edit stays.
    public static func shouldDelete(local: Self, remoteDeleted: Self) -> Bool {
        local == remoteDeleted
    }

    /// Answers as ``shouldDelete(local:remoteDeleted:)`` does.
    public static func interactiveShouldDelete(
        local: Self, remoteDeleted: Self, delete: @escaping ShouldDeleteClosure
    ) {
        delete(shouldDelete(local: local, remoteDeleted: remoteDeleted))
    }
}

extension FileSyncable where Self: Comparable {
    /// The greater value stays.
    public func shouldOverwrite(other: Self) -> Bool { self > other }
}

/// A value of which two versions can be made one.
///
/// A merge is asked once for each divergence, and never for equal values; so it may be one that is not
/// idempotent, as `trophies + other.trophies`. Which device merges is not known beforehand: the result
/// should not depend on it.
///
/// ``merge(with:)`` and ``merge(with:base:)`` are called while the root is locked. One that blocks its
/// thread, as by asking a server or a person and waiting for the answer, holds the lock of the root for
/// as long: no other file of it is saved to the remote or loaded, by no process and no command. What
/// takes its time belongs into ``mergeAsync(with:merged:)``, which returns at once and answers later.
public protocol FileMergable: FileSyncable {
    /// Receives the merged value; nil if the values cannot be merged.
    typealias MergedClosure = @Sendable (Self?) -> Void

    /// One value of this one, which is here, and another device's.
    ///
    /// - Returns: Nil to merge nothing: then `shouldOverwriteAsync(other:keep:)` decides.
    func merge(with other: Self) -> Self?

    /// One value of this one, another device's, and what both of them started from.
    ///
    /// - Parameters:
    ///   - other: The other device's value.
    ///   - base: Nil if both created the file, or if the value that they started from is no longer
    ///     available.
    /// - Returns: Nil as for ``merge(with:)``, which is what is called by default.
    func merge(with other: Self, base: Self?) -> Self?

    /// Merges, and takes its time: perhaps by asking a person. By default ``merge(with:base:)`` answers.
    ///
    /// It must return at once and not wait for the answer itself: the root is locked until it returns, and
    /// not any more from then on.
    ///
    /// - Parameters:
    ///   - other: The other device's value.
    ///   - merged: To be called once, from any thread and as late as one likes; other paths go on
    ///     meanwhile. When the closure goes without having been called, it is as if it was called with
    ///     nil.
    func mergeAsync(with other: Self, merged: @escaping MergedClosure)
}

extension FileMergable {
    /// Merges nothing.
    public func merge(with other: Self) -> Self? { nil }

    /// Merges without a base.
    public func merge(with other: Self, base: Self?) -> Self? { merge(with: other) }

    /// Answers at once with the three-way merge.
    public func mergeAsync(with other: Self, merged: @escaping MergedClosure) {
        merged(merge(with: other, base: MergeBase.value()))
    }
}

/// The base of the merge that is being asked: FileSinki's asynchronous merge has no place for it.
enum MergeBase {
    @TaskLocal static var content: [UInt8]?

    static func value<Value: Decodable>() -> Value? {
        content.flatMap { ValueCoder.decode($0) }
    }
}
