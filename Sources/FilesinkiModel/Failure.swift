/// The error type of the project: what failed, where, and what to do about it.
///
/// Programs act on the code, which the command line maps to an exit code. The message says in a
/// sentence what happened, the remedy what the user can do.
package struct Failure: Error, Sendable {
    /// The kind of a failure. A struct, so that new codes do not break callers.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name in JSON and in logs, such as `not-found`.
        package let description: String

        package init(_ description: String) { self.description = description }

        /// The path, version or content ID does not exist.
        package static let notFound = Code("not-found")
        /// An argument, rule or setting is invalid.
        package static let usage = Code("usage")
        /// The bytes are not a valid path below a root.
        package static let badPath = Code("bad-path")
        /// The local file system returned an error.
        package static let io = Code("io")
        /// The disk or the quota is full, here or at the store.
        package static let full = Code("full")
        /// A limit stopped the run, such as too many deletions or a size.
        package static let limit = Code("limit")
        /// The remote denied access: not authenticated, no permission, or read-only.
        package static let notAllowed = Code("not-allowed")
        /// The store is not the known one: swapped, rolled back or restored.
        package static let wrongStore = Code("wrong-store")
        /// The store lacks a guarantee that the protocol needs.
        package static let unfitStore = Code("unfit-store")
        /// The store has a newer format.
        package static let newerFormat = Code("newer-format")
        /// Bytes do not match their hash or format.
        package static let corrupt = Code("corrupt")
        /// The log no longer reaches back to a token.
        package static let tokenExpired = Code("token-expired")
        /// The remote cannot be reached, or does not answer in time.
        package static let away = Code("away")
        /// Another process holds the lock, or a race was lost too often.
        package static let busy = Code("busy")
        /// A file changed while it was read or replaced.
        package static let changing = Code("changing")
        /// The name exists already.
        package static let exists = Code("exists")
        /// A condition of the caller is not met, such as `--if-version`.
        package static let differs = Code("differs")
        /// A link of a strategy declined; the next one was tried.
        package static let declined = Code("declined")
        /// A file system is mounted below the root.
        package static let mountPoint = Code("mount-point")
        /// A replica lies inside another one.
        package static let nestedReplica = Code("nested-replica")
        /// Stopped by a signal.
        package static let interrupted = Code("interrupted")
    }

    package var code: Code
    /// The path below the root, the key at the remote or the file that failed; may be empty.
    package var path: [UInt8]
    package var message: String
    package var remedy: String
    package var cause: (any Error)?
    /// The time to wait that the remote requested; nil if none.
    package var retryAfter: Duration?
    /// Whether the same request may succeed a moment later, where the code says so; not if somebody has to act first,
    /// or a long time was waited.
    package var mayPassSoon = true
    /// Whether the remedy is for another device, on which its commands name another folder than on this one.
    package var isForOtherDevice = false
    /// Whether the command has made its change here, and only failed to publish it.
    package var isMadeHere = false
    /// What the remote's reply says about the account; nil for nothing. The code alone does not tell unknown
    /// credentials from a missing right.
    package var account: AccountStatus?

    package init(
        _ code: Code, path: [UInt8] = [], _ message: String, remedy: String,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.path = path
        self.message = message
        self.remedy = remedy
        self.cause = cause
    }

    package init(
        _ code: Code, path: String, _ message: String, remedy: String, cause: (any Error)? = nil
    ) {
        self.init(code, path: Array(path.utf8), message, remedy: remedy, cause: cause)
    }

    /// The failure with a remedy that is for another device.
    package var forOtherDevice: Failure {
        var failure = self
        failure.isForOtherDevice = true
        return failure
    }
}

extension Failure: CustomStringConvertible {
    /// `path: message remedy` on one line, safe to display on a terminal.
    package var description: String {
        let place = path.isEmpty ? "" : "\(printable(path)): "
        return place + message + (remedy.isEmpty ? "" : " " + remedy)
    }
}

/// A failure on one path that does not stop the run.
package struct Problem: Sendable {
    package var path: RelativePath
    package var failure: Failure
    /// Whether a notice is said also to who wants to hear of errors only: what it says cannot be undone later.
    package var isUrgent: Bool
    /// Whether a notice is also shown where a run did nothing and nobody looks on: earlier runs did not have it.
    package var isNews: Bool

    package init(
        _ path: RelativePath, _ failure: Failure, isUrgent: Bool = false, isNews: Bool = false
    ) {
        self.path = path
        self.failure = failure
        self.isUrgent = isUrgent
        self.isNews = isNews
    }
}
