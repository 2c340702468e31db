/// The header fields that the own server and its client give a meaning to.
package enum WireHeaders {
    /// Every reply of a filesinki server carries it, and its value is ``version``. A reply without it
    /// comes from somebody else: a captive portal, a proxy, another server.
    package static let version = "Filesinki-Protocol"
    /// The version that this document speaks.
    package static let versionValue = "1"
    /// `sha-256=:BASE64:` of a whole object: https://www.rfc-editor.org/rfc/rfc9530
    package static let digest = "Content-Digest"
    /// The name of a resumable upload.
    package static let uploadID = "Upload-Id"
    /// How many bytes of a resumable upload are there.
    package static let uploadOffset = "Upload-Offset"
    /// The largest object that the server takes, in bytes; on replies of `/health`.
    package static let maximumObject = "Filesinki-Maximum-Object"
}

/// What each request and reply is held to, on both sides.
package enum WireLimits {
    /// The lines of one question for many objects, or for many keys.
    package static let batchLines = 10_000
    /// The bytes of such a question.
    package static let batchBytes = 1 << 20
    /// The bytes of contents in one reply; what is beyond is ``WireFrame/askAgain``.
    package static let replyBytes = 64 << 20
    /// The lines of one list.
    package static let listLines = 10_000
    /// The commits of one reply of the log.
    package static let logFrames = 10_000
    /// The bytes of an error's body that a client reads.
    package static let errorBytes = 64 << 10
}
