import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import HTTPTypes
import Hummingbird
import NIOCore

/// The reply to a request.
struct Reply: Sendable {
    enum Body: Sendable {
        case none
        case bytes(ByteBuffer)
        /// Written in pieces; the length if known. An error cuts the connection.
        case stream(length: Int64?, @Sendable (inout any ResponseBodyWriter) async throws -> Void)
    }

    var status: HTTPResponse.Status
    var fields: HTTPFields = [:]
    var body: Body = .none
    /// Counts the request for its client's limit until the reply is written.
    var permit: RequestPermit?

    init(_ status: HTTPResponse.Status, fields: HTTPFields = [:], body: Body = .none) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A short text.
    init(_ status: HTTPResponse.Status, text: [UInt8], type: String = "text/plain; charset=utf-8") {
        self.init(status, fields: [.contentType: type], body: .bytes(ByteBuffer(bytes: text)))
    }

    init(_ error: RequestError) {
        self.init(
            error.status, text: Array(error.body.encoded.utf8), type: "application/json")
        for field in error.fields { fields.append(field) }
    }
}

extension HTTPField.Name {
    /// A field name of the protocol, which is always valid.
    static func own(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .server
    }

    /// Tells nginx to forward notices at once.
    static let acceleratedBuffering = own("X-Accel-Buffering")
    static let protocolVersion = own(WireHeaders.version)
    static let contentDigest = own(WireHeaders.digest)
    static let uploadID = own(WireHeaders.uploadID)
    static let uploadOffset = own(WireHeaders.uploadOffset)
    static let requestPath = own(WireHeaders.path)
    static let maximumObject = own(WireHeaders.maximumObject)
    static let findPrefix = own(WireHeaders.findPrefix)
    static let findAfter = own(WireHeaders.findAfter)
    static let found = own(WireHeaders.found)
}

/// A reply with an error status.
struct RequestError: Error {
    var status: HTTPResponse.Status
    var body: WireError
    /// Additional fields.
    var fields: HTTPFields = [:]
    /// For the log only.
    var note: String?

    init(_ status: HTTPResponse.Status, _ code: WireError.Code, _ message: String) {
        self.status = status
        body = WireError(code, message)
    }

    func with(_ name: HTTPField.Name, _ value: String) -> RequestError {
        var copy = self
        copy.fields[name] = value
        return copy
    }

    static func badRequest(_ message: String) -> RequestError {
        RequestError(.badRequest, .badRequest, message)
    }

    static let badKey = RequestError(.badRequest, .badKey, "The path is not a valid key.")

    static let badDigest = RequestError(
        .badRequest, .badDigest, "The body does not match its Content-Digest.")

    static let noToken = RequestError(
        .unauthorized, .noToken, "A token is required, or the token is unknown."
    )
    .with(.wwwAuthenticate, "Bearer")

    static let forbidden = RequestError(
        .forbidden, .forbidden, "The token lacks the right for this, or does not include the zone.")

    static let readOnly = RequestError(.forbidden, .readOnly, "The token may only read.")

    static let notThisDevice = RequestError(
        .forbidden, .forbidden, "This device belongs to another token.")

    static let slotNeedsPublication = RequestError(
        HTTPResponse.Status(code: 428), .slot, "A slot must be published: send If-None-Match: *.")

    static let exists = RequestError(
        .conflict, .exists,
        "An object with this key and other bytes exists, and was not overwritten.")

    static let tooSlow = RequestError(
        .requestTimeout, .tooSlow, "The body of the request arrives too slowly.")

    static let notFound = RequestError(.notFound, .notFound, "Not found.")

    static let noMethod = RequestError(
        .methodNotAllowed, .noMethod, "The path does not support this method.")

    static let noLength = RequestError(
        .lengthRequired, .noLength, "Content-Length is missing.")

    static let tooLarge = RequestError(
        .contentTooLarge, .tooLarge, "The body is larger than the server accepts.")

    static let full = RequestError(
        HTTPResponse.Status(code: 507), .full, "The disk of the store is full.")

    static let overQuota = RequestError(
        HTTPResponse.Status(code: 507), .quota, "The quota of the store is used up.")

    /// The server itself is refused by the file system of its store.
    static func closedStore(_ failure: Failure) -> RequestError {
        var error = RequestError(
            .forbidden, .closed,
            "The server has no permission for its store, or the disk is read-only.")
        error.note = failure.message
        return error
    }

    static func misplaced(_ place: MisplacedStore) -> RequestError {
        RequestError(.forbidden, .misplaced, place.sentence)
    }

    /// Changes the store by `body`. Tells a store that the server may not write to from a server that is broken.
    static func whileWriting<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let failure as Failure where failure.code == .notAllowed {
            throw closedStore(failure)
        }
    }

    static func busy(_ message: String) -> RequestError {
        RequestError(.serviceUnavailable, .busy, message).with(.retryAfter, "1")
    }

    static let missingFolder = RequestError(
        .serviceUnavailable, .missing, "The folder of the store is missing."
    )
    .with(.retryAfter, "1")

    static let tooMuch = RequestError(
        .tooManyRequests, .tooMuch, "Too many requests of this client."
    )
    .with(.retryAfter, "5")

    /// The reply for a failure of the folder. Its message may name files of the server, so only the log
    /// contains it.
    init(_ failure: Failure) {
        switch failure.code {
        case .usage: self = .badRequest(failure.message)
        case .badPath: self = .badKey
        case .full: self = .full
        case .limit: self = .tooLarge
        case .differs: self = RequestError(.conflict, .wrongOffset, failure.message)
        case .exists: self = .exists
        case .busy: self = .busy(failure.message)
        case .away: self = .missingFolder
        default:
            self = RequestError(
                .internalServerError, .broken, "The server's disk failed, or its store is damaged.")
        }
    }
}
