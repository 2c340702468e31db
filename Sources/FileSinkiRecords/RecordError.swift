import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords

/// An error of a zone of records.
public struct RecordError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. A struct, so that new kinds do not break programs.
    public struct Kind: Hashable, Sendable {
        let name: String

        init(name: String) { self.name = name }

        /// Another device, or another part of the program, changed the record, and the policy of the save does not
        /// allow that: see ``RecordError/conflict``. As CloudKit's `serverRecordChanged`.
        public static let conflict = Kind(name: "conflict")
        /// There is no record, asset or zone of this name, or the zone was deleted. As CloudKit's `unknownItem` and
        /// `userDeletedZone`.
        public static let notFound = Kind(name: "not-found")
        /// The record exists, and the save asks for a new one.
        public static let exists = Kind(name: "exists")
        /// A name, a value, a predicate or a reference is not valid. As CloudKit's `invalidArguments` and
        /// `referenceViolation`.
        public static let invalid = Kind(name: "usage")
        /// The record, the batch or the zone is too large. As CloudKit's `limitExceeded`.
        public static let limit = Kind(name: "limit")
        /// Another operation of an atomic batch failed. As CloudKit's `batchRequestFailed`.
        public static let batchFailed = Kind(name: "declined")
        /// The remote cannot be reached; what was saved is kept. As CloudKit's `networkUnavailable`.
        public static let away = Kind(name: "away")
        /// The remote does not allow it. As CloudKit's `permissionFailure` and `notAuthenticated`.
        public static let notAllowed = Kind(name: "not-allowed")
        /// The remote has another store than the known one.
        public static let account = Kind(name: "wrong-store")
        /// Some changes since the token are not known any more: fetch everything. As CloudKit's `changeTokenExpired`.
        public static let tokenExpired = Kind(name: "token-expired")
        /// Any other error.
        public static let other = Kind(name: "other")

        private static let known = [
            conflict, notFound, exists, invalid, limit, batchFailed, away, notAllowed, account,
            tokenExpired,
        ]

        init(_ failure: Failure?) {
            let code = failure?.code.description
            self = Self.known.first { $0.name == code } ?? Self.other
        }
    }

    /// The three versions of a record whose save was refused.
    public struct Conflict: Sendable, Hashable {
        /// Why: the policy, `tag` for another change tag, or `ask` for a field with this rule.
        public let reason: String
        /// The record on which both last agreed; nil, here and below, when there is none.
        public let ancestor: Record?
        /// The record that was to be saved.
        public let client: Record?
        /// The record that stays. Merge into this one, and save it.
        public let server: Record?
    }

    /// The kind, for programs.
    public let kind: Kind
    /// What happened and what to do, for people.
    public let description: String
    /// The versions of a record whose save was refused; nil for another kind.
    public let conflict: Conflict?

    init(_ error: any Error) {
        switch error {
        case let error as RecordError: self = error
        case let conflict as RecordConflict: self.init(conflict, serverTag: nil)
        default:
            let failure = error as? Failure
            self.init(Kind(failure), failure?.description ?? "\(error)", nil)
        }
    }

    private init(_ kind: Kind, _ description: String, _ conflict: Conflict?) {
        self.kind = kind
        self.description = description
        self.conflict = conflict
    }

    /// - Parameter serverTag: The change tag of the record that stays; nil if it is not known.
    init(_ conflict: RecordConflict, serverTag: String?) {
        let description =
            "\(conflict.name?.text ?? ""): "
            + (conflict.reason == "tag"
                ? "The record has another change tag; nothing was changed."
                : "Another device changed the record; its version stays.")
            + " Merge into the server's record, and save that."
        var server = conflict.server.map { Record($0) }
        server?.changeTag = serverTag
        let versions = Conflict(
            reason: conflict.reason, ancestor: conflict.ancestor.map { Record($0) },
            client: conflict.client.map { Record($0) }, server: server)
        self.init(.conflict, description, versions)
    }
}

/// Runs `body`, and says what went wrong in the public words.
func withRecordErrors<Answer>(
    _ body: () async throws -> Answer
) async throws -> Answer {
    do {
        return try await body()
    } catch is CancellationError {
        throw CancellationError()
    } catch let error as EncodingError {
        throw error
    } catch let error as DecodingError {
        throw error
    } catch {
        throw RecordError(error)
    }
}
