import FilesinkiModel

/// What went wrong, where, and what to do about it.
public struct FileSinkiError: Error, Sendable, Hashable {
    /// The kind of an error. A struct, so that a new kind does not break programs.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name, as the command line has it in JSON.
        public let rawValue: String

        /// A code of that name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is nothing at this path, or it is no file.
        public static let notFound = Code(rawValue: "not-found")
        /// An argument is not understood.
        public static let usage = Code(rawValue: "usage")
        /// The path leads out of the root, or is no path.
        public static let badPath = Code(rawValue: "bad-path")
        /// The content cannot be encoded or decoded as the type that was asked for.
        public static let coding = Code(rawValue: "coding")
        /// The local file system refused.
        public static let io = Code(rawValue: "io")
        /// The disk or the quota is full, here or at the store.
        public static let full = Code(rawValue: "full")
        /// A limit stops the run: too many deletions, too large.
        public static let limit = Code(rawValue: "limit")
        /// The remote says no: not authenticated, no permission, read only.
        public static let notAllowed = Code(rawValue: "not-allowed")
        /// The store is not the one it was: swapped, rolled back, restored.
        public static let wrongStore = Code(rawValue: "wrong-store")
        /// The store lacks a required guarantee.
        public static let unfitStore = Code(rawValue: "unfit-store")
        /// Bytes are not what their hash or their format says.
        public static let corrupt = Code(rawValue: "corrupt")
        /// The remote cannot be reached, or does not answer in time. What was saved is kept here and
        /// published later.
        public static let away = Code(rawValue: "away")
        /// Another process works on the same root.
        public static let busy = Code(rawValue: "busy")
        /// A file changed while it was read or replaced.
        public static let changing = Code(rawValue: "changing")
        /// The name exists already: a folder is there, or the root has another remote.
        public static let exists = Code(rawValue: "exists")
        /// The task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    /// What programs act on.
    public var code: Code
    /// The path below the root, the root or the remote that it is about; may be empty.
    public var path: String
    /// What happened, in a sentence.
    public var message: String
    /// What can be done about it; may be empty.
    public var remedy: String
    /// What lies behind it, for a log; nil when there is nothing more to say.
    public var cause: String?

    /// An error with all that is to be said of it.
    public init(
        _ code: Code, path: String, message: String, remedy: String, cause: String? = nil
    ) {
        self.code = code
        self.path = path
        self.message = message
        self.remedy = remedy
        self.cause = cause
    }
}

extension FileSinkiError: CustomStringConvertible {
    /// `path: message remedy`, on one line.
    public var description: String {
        (path.isEmpty ? "" : "\(path): ") + message + (remedy.isEmpty ? "" : " " + remedy)
    }
}

extension FileSinkiError {
    /// The public word for what the engine or the system said.
    init(_ error: any Error, _ path: String) {
        switch error {
        case let error as FileSinkiError: self = error
        case let failure as Failure:
            self.init(
                Code(rawValue: failure.code.description),
                path: failure.path.isEmpty ? path : printable(failure.path),
                message: failure.message, remedy: failure.remedy,
                cause: failure.cause.map { "\($0)" })
        case is CancellationError:
            self.init(
                .cancelled, path: path, message: "The task was cancelled.",
                remedy: "The change is kept here, and published by the next run.")
        default:
            self.init(
                .io, path: path, message: "Unexpected error.", remedy: "Try again.",
                cause: "\(error)")
        }
    }
}

/// Runs what the engine does, and says in the public words what went wrong.
func withPublicErrors<Answer>(
    _ path: String, _ body: () async throws -> Answer
) async throws(FileSinkiError) -> Answer {
    do {
        return try await body()
    } catch {
        throw FileSinkiError(error, path)
    }
}
