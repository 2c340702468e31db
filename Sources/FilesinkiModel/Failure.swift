/// What went wrong, where, and what to do about it: the error type of the whole project.
///
/// The code is what programs act on; one file of the command line maps it to an exit code. The
/// message says what happened in a sentence, the remedy what the user can do.
package struct Failure: Error, Sendable {
    /// The kind of a failure. A struct, so that a new kind breaks nobody.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name in JSON and in logs, such as `not-found`.
        package let description: String

        package init(_ description: String) { self.description = description }

        /// There is nothing at this path, version or content ID.
        package static let notFound = Code("not-found")
        /// An argument, a rule or a setting is not understood.
        package static let usage = Code("usage")
        /// The bytes are not a path below a root.
        package static let badPath = Code("bad-path")
        /// The local file system refused.
        package static let io = Code("io")
        /// The local disk or quota is full.
        package static let full = Code("full")
        /// A limit stops the run: too many deletions, too large.
        package static let limit = Code("limit")
        /// The remote says no: not authenticated, no permission, read only.
        package static let notAllowed = Code("not-allowed")
        /// The store is not the one it was: swapped, rolled back, restored.
        package static let wrongStore = Code("wrong-store")
        /// The store cannot keep a promise that the protocol needs.
        package static let unfitStore = Code("unfit-store")
        /// The store was written by a newer format.
        package static let newerFormat = Code("newer-format")
        /// Bytes are not what their hash or their format says.
        package static let corrupt = Code("corrupt")
        /// The log no longer reaches back to a token.
        package static let tokenExpired = Code("token-expired")
        /// The remote cannot be reached, or does not answer in time.
        package static let away = Code("away")
        /// Somebody else is at work: the lock, or a race lost too often.
        package static let busy = Code("busy")
        /// A file changed while it was read or replaced.
        package static let changing = Code("changing")
        /// The name exists already.
        package static let exists = Code("exists")
        /// A condition given by the caller does not hold, such as `--if-version`.
        package static let differs = Code("differs")
        /// A link of a strategy could not answer; the next one was asked.
        package static let declined = Code("declined")
        /// A file system is mounted below the root.
        package static let mountPoint = Code("mount-point")
        /// A replica lies inside another one.
        package static let nestedReplica = Code("nested-replica")
        /// Stopped by a signal.
        package static let interrupted = Code("interrupted")
    }

    package var code: Code
    /// The path below the root, the key at the remote or the file that it is about; may be empty.
    package var path: [UInt8]
    package var message: String
    package var remedy: String
    package var cause: (any Error)?
    /// How long a remote asked to be left alone; nil when it did not say.
    package var retryAfter: Duration?

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
}

extension Failure: CustomStringConvertible {
    /// `path: message remedy`, on one line, safe for a terminal.
    package var description: String {
        let place = path.isEmpty ? "" : "\(printable(path)): "
        return place + message + (remedy.isEmpty ? "" : " " + remedy)
    }
}

/// A failure on one path that does not stop the run.
package struct Problem: Sendable {
    package var path: RelativePath
    package var failure: Failure

    package init(_ path: RelativePath, _ failure: Failure) {
        self.path = path
        self.failure = failure
    }
}
