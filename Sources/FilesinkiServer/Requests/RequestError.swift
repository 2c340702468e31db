import FilesinkiModel
import FilesinkiProtocol
import HTTPTypes

/// The answer no, with its status and its reason.
struct RequestError: Error {
    var status: HTTPResponse.Status
    var error: WireError
    /// Fields beside those that every reply has.
    var fields: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, _ code: WireError.Code, _ message: String) {
        self.status = status
        error = WireError(code, message)
    }

    func with(_ name: HTTPField.Name, _ value: String) -> RequestError {
        var copy = self
        copy.fields[name] = value
        return copy
    }

    static func badRequest(_ message: String) -> RequestError {
        RequestError(.badRequest, .badRequest, message)
    }

    static let badKey = RequestError(.badRequest, .badKey, "The path names no key.")

    static let badDigest = RequestError(
        .badRequest, .badDigest, "The bytes are not those of the Content-Digest.")

    static let noToken = RequestError(
        .unauthorized, .noToken, "A token is needed, or this one is not known."
    )
    .with(.wwwAuthenticate, "Bearer")

    static let forbidden = RequestError(
        .forbidden, .forbidden, "The token lacks the right to do this, or the zone.")

    static let notThisDevice = RequestError(
        .forbidden, .forbidden, "This device belongs to another token.")

    static let slotNeedsPublication = RequestError(
        HTTPResponse.Status(code: 428), .slot, "A slot must be published: send If-None-Match: *.")

    static let exists = RequestError(
        .conflict, .exists, "The key holds other bytes. Nothing is overwritten.")

    static let tooSlow = RequestError(
        .requestTimeout, .tooSlow, "The body of the request arrives too slowly.")

    static let notFound = RequestError(.notFound, .notFound, "Nothing is there.")

    static let noMethod = RequestError(
        .methodNotAllowed, .noMethod, "The path has no such method.")

    static let noLength = RequestError(
        .lengthRequired, .noLength, "The length of the body has to be said.")

    static let tooLarge = RequestError(
        .contentTooLarge, .tooLarge, "The body is larger than the server takes.")

    static let full = RequestError(
        HTTPResponse.Status(code: 507), .full, "The store is full: its quota, or its disk.")

    static func busy(_ message: String) -> RequestError {
        RequestError(.serviceUnavailable, .busy, message).with(.retryAfter, "1")
    }

    static let tooMuch = RequestError(
        .tooManyRequests, .tooMuch, "This client asks too much at once."
    )
    .with(.retryAfter, "5")

    /// What a failure of the folder means to a client. Its message may name the server's files, so
    /// only the log gets it.
    init(_ failure: Failure) {
        switch failure.code {
        case .usage: self = .badRequest(failure.message)
        case .badPath: self = .badKey
        case .full: self = .full
        case .limit: self = .tooLarge
        case .differs: self = RequestError(.conflict, .wrongOffset, failure.message)
        case .exists: self = .exists
        case .busy: self = .busy(failure.message)
        case .away: self = .busy("The folder of the store is not there.")
        default:
            self = RequestError(
                .internalServerError, .broken, "The server's disk failed, or its store is damaged.")
        }
    }
}
