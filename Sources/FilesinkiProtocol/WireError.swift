package import FilesinkiModel
import FilesinkiText

/// The body of every error reply: `{"code":"…","message":"…"}`.
package struct WireError: Hashable, Sendable {
    /// The error, for programs. A struct, so that a new code breaks no client.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }

        /// 400: the request is malformed.
        package static let badRequest = Code("bad-request")
        /// 400: the path is not a valid key.
        package static let badKey = Code("bad-key")
        /// 400: the bytes do not match the digest, or the digest is malformed.
        package static let badDigest = Code("bad-digest")
        /// 401: a token is needed, or this one is unknown.
        package static let noToken = Code("no-token")
        /// 403: the token lacks the right, or the zone.
        package static let forbidden = Code("forbidden")
        /// 403: the token has the right to read only, and this writes.
        package static let readOnly = Code("read-only")
        /// 404: not found.
        package static let notFound = Code("not-found")
        /// 405: the path does not support the method.
        package static let noMethod = Code("no-method")
        /// 409: the upload does not have the length at which it is to be continued.
        package static let wrongOffset = Code("wrong-offset")
        /// 408: the body of the request arrives too slowly.
        package static let tooSlow = Code("too-slow")
        /// 409: the object exists with other bytes.
        package static let exists = Code("exists")
        /// 411: the length of the body is missing.
        package static let noLength = Code("no-length")
        /// 413: the body is larger than the server accepts.
        package static let tooLarge = Code("too-large")
        /// 416: the range begins after the end.
        package static let badRange = Code("bad-range")
        /// 428: the key is a slot, which only a conditional request fills.
        package static let slot = Code("slot")
        /// 429: too many requests; see `Retry-After`.
        package static let tooMuch = Code("too-much")
        /// 500: the server's disk failed, or its store is damaged.
        package static let broken = Code("broken")
        /// 503: temporarily unavailable; see `Retry-After`.
        package static let busy = Code("busy")
        /// 503: the folder of the store is not there.
        package static let missing = Code("missing")
        /// 403: the server itself may not write to the folder of the store, or its disk is read-only.
        package static let closed = Code("closed")
        /// 403: the folder is in a replica or in another store, where no store is made.
        package static let misplaced = Code("misplaced")
        /// 507: the disk is full.
        package static let full = Code("full")
        /// 507: the quota is used up.
        package static let quota = Code("quota")
    }

    package var code: Code
    /// A sentence for people, in English.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The body as JSON.
    package var encoded: String {
        let object: JSONObject = [
            "code": .string(code.description), "message": .string(message),
        ]
        return String(decoding: object.bytes, as: UTF8.self) + "\n"
    }

    /// Parses the body of a reply; nil when it has another form.
    package init?(_ body: [UInt8]) {
        guard body.count <= WireLimits.errorBytes,
            let fields = JSONTree.strings(of: body), let code = fields["code"],
            let message = fields["message"]
        else { return nil }
        self.init(Code(code), message)
    }
}

/// The failures of malformed and incomplete replies.
package enum WireFailure {
    /// The reply does not follow the protocol.
    package static var malformedReply: Failure {
        Failure(
            .corrupt, "The server's reply is malformed.",
            remedy: "Check that the address is that of a filesinki server.")
    }

    /// The connection ended in the middle of a reply.
    package static var incompleteReply: Failure {
        Failure(
            .away, "The server's reply is incomplete.", remedy: "Run the command again.")
    }
}
