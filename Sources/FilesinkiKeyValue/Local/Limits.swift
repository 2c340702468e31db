package import FilesinkiItems
internal import FilesinkiModel

/// How much a store may hold: a setting of this device.
package struct Limits: Hashable, Sendable {
    /// The most keys that have a value.
    package var keys = 1_024
    /// The most bytes of all values together.
    package var bytes = 1 << 20
    /// The most bytes of one value.
    package var value = 1 << 20
    /// The longest key, in bytes.
    package var key = 64

    /// The most bytes of one value that any limit may allow, so that it fits into a commit: 32 MiB.
    package static let maximumValue = 32 << 20

    package init() {}

    /// Refuses a key that is too long to be set.
    ///
    /// - Throws: `Failure` with code `usage`.
    func check(_ key: ValueKey) throws(Failure) {
        guard key.bytes.count <= self.key else {
            throw ItemKey.tooLong(key.bytes, limit: self.key)
        }
    }

    /// Refuses a value that is too large, unless it replaces one that is as large.
    func check(_ size: Int, replacing former: Int, of key: ValueKey) throws(Failure) {
        guard size > value, size > former else { return }
        throw Failure(
            .limit, path: key.bytes, "The value has \(size) bytes; at most \(value) are allowed.",
            remedy: "Nothing was changed. Keep it in a file, or raise the limit with kv quota.")
    }

    /// Refuses a change that exceeds a limit; a change that needs less than before is always allowed.
    func check(_ usage: Usage, after former: Usage) throws(Failure) {
        if usage.keys > keys, usage.keys > former.keys {
            throw Failure(
                .limit, "There would be \(usage.keys) keys; at most \(keys) are allowed.",
                remedy: "Nothing was changed. Remove some, or raise the limit with kv quota.")
        }
        if usage.bytes > bytes, usage.bytes > former.bytes {
            throw Failure(
                .limit,
                "The values would have \(usage.bytes) bytes together; at most \(bytes) are allowed.",
                remedy: "Nothing was changed. Remove some, or raise the limit with kv quota.")
        }
    }
}

extension Usage {
    /// Whether it exceeds the limits, as a merge may do.
    package func isOver(_ limits: Limits) -> Bool { keys > limits.keys || bytes > limits.bytes }
}
