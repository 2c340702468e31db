import FoundationEssentials

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
    /// Takes the merged value; nil where there is none.
    typealias MergedClosure = @Sendable (Self?) -> Void

    /// One value of this one, which is here, and another device's.
    ///
    /// - Returns: Nil to merge nothing: then `shouldOverwriteAsync(other:keep:)` decides.
    func merge(with other: Self) -> Self?

    /// One value of this one, another device's, and what both of them started from.
    ///
    /// - Parameters:
    ///   - other: The other device's value.
    ///   - base: Nil where both made the file by themselves, or nobody has what they started from any
    ///     more.
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
