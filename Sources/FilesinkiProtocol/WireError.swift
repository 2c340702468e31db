import FilesinkiText

/// The body of every reply that says no: `{"code":"…","message":"…"}`.
package struct WireError: Hashable, Sendable {
    /// What is wrong, for programs. A struct, so that a new code breaks nobody.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }

        /// 400: the request is malformed.
        package static let badRequest = Code("bad-request")
        /// 400: the path names no key.
        package static let badKey = Code("bad-key")
        /// 400: the bytes are not those of the digest, or the digest is malformed.
        package static let badDigest = Code("bad-digest")
        /// 401: a token is needed, or this one is not known.
        package static let noToken = Code("no-token")
        /// 403: the token lacks the right, or the zone.
        package static let forbidden = Code("forbidden")
        /// 404: nothing is there.
        package static let notFound = Code("not-found")
        /// 405: the path has no such method.
        package static let noMethod = Code("no-method")
        /// 409: the upload is not as long as its continuation says.
        package static let wrongOffset = Code("wrong-offset")
        /// 408: the body of the request arrives too slowly.
        package static let tooSlow = Code("too-slow")
        /// 409: the key holds other bytes.
        package static let exists = Code("exists")
        /// 411: the length of the body has to be said.
        package static let noLength = Code("no-length")
        /// 413: the body is larger than the server takes.
        package static let tooLarge = Code("too-large")
        /// 416: the range begins behind the end.
        package static let badRange = Code("bad-range")
        /// 428: the key is a slot, which only a publication fills.
        package static let slot = Code("slot")
        /// 429: too much at once; `Retry-After` says for how long.
        package static let tooMuch = Code("too-much")
        /// 500: the server's disk failed, or holds what it must not.
        package static let broken = Code("broken")
        /// 503: not now; `Retry-After` says for how long.
        package static let busy = Code("busy")
        /// 507: the quota or the disk is full.
        package static let full = Code("full")
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

    /// Reads the body of a reply; nil when it is not one of ours.
    package init?(_ body: [UInt8]) {
        guard body.count <= WireLimits.errorBytes,
            let fields = JSONTree.strings(of: body), let code = fields["code"],
            let message = fields["message"]
        else { return nil }
        self.init(Code(code), message)
    }
}
