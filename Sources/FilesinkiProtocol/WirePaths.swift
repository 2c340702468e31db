import FilesinkiModel
package import FilesinkiRemote
import FilesinkiText

/// The paths of the server's API, below the path of its address.
package enum WirePaths {
    /// An object: ``object(_:)`` without the key.
    package static let objects = "/v1/objects/"
    /// The state of an unfinished upload.
    package static let uploads = "/v1/uploads/"
    /// Lists objects: ``list(prefix:after:limit:)`` without the query.
    package static let list = "/v1/list"
    /// Reads many objects: the request is ``ReadLines``, the reply ``WireFrame``s.
    package static let read = "/v1/read"
    /// Tests the presence of many keys: request and reply are ``KeyLines``. Our own client does not use it.
    package static let has = "/v1/has"
    /// Reads the log of a zone: followed by the zone and `?from=NUMBER&limit=COUNT`. Our own client reads
    /// logs with batch reads.
    package static let log = "/v1/log/"
    /// The stream of change notices.
    package static let events = "/v1/events"
    /// Reports that the server is up; needs no token.
    package static let health = "/health"
    /// The server's counters, in the text form of Prometheus.
    package static let metrics = "/metrics"

    package static func object(_ key: ObjectKey) -> String { objects + key.description }

    package static func upload(_ id: UploadID) -> String { uploads + id.description }

    /// - Parameters:
    ///   - prefix: As of `Remote.list`; contains only characters of keys.
    ///   - limit: 1 to ``WireLimits/listLines``.
    package static func list(prefix: String, after: ObjectKey?, limit: Int) -> String {
        let after = after.map { "&after=\($0)" } ?? ""
        return "\(list)?prefix=\(prefix)\(after)&limit=\(limit)"
    }

    package static func events(prefix: String) -> String { "\(events)?prefix=\(prefix)" }
}

/// The random name of a resumable upload: 32 lower-case hexadecimal digits.
package struct UploadID: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// - Parameter bytes: 16 random bytes; nil for another number.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        description = hexadecimal(bytes)
    }

    /// Nil for anything but 32 of `0-9 a-f`.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, let bytes = FilesinkiModel.bytes(hexadecimal: text),
            hexadecimal(bytes) == text
        else { return nil }
        description = String(text)
    }
}

/// The header fields of the protocol.
package enum WireHeaders {
    /// Present in every reply of a filesinki server, with the value ``versionValue``. A reply without it
    /// comes from something else: a captive portal, a proxy, another server.
    package static let version = "Filesinki-Protocol"
    /// The version of the protocol that this program implements.
    package static let versionValue = "1"
    /// `sha-256=:BASE64:` of a whole object: https://www.rfc-editor.org/rfc/rfc9530
    package static let digest = "Content-Digest"
    /// The name of a resumable upload.
    package static let uploadID = "Upload-Id"
    /// The bytes of a resumable upload that the server has.
    package static let uploadOffset = "Upload-Offset"
    /// With a publication: the first key with this prefix that comes after ``findAfter`` is looked up when
    /// the slot has been filled.
    package static let findPrefix = "Find-Prefix"
    package static let findAfter = "Find-After"
    /// In the reply: the key that was found, or ``foundNothing``.
    package static let found = "Found"
    /// No key: a key has no such character.
    package static let foundNothing = "*"
    /// With the value ``pathUnknown`` in the reply to a request whose path is none of the protocol's, where 404 alone could be
    /// about an object.
    package static let path = "Filesinki-Path"
    package static let pathUnknown = "unknown"
    /// The largest object that the server accepts, in bytes; in replies of `/health`.
    package static let maximumObject = "Filesinki-Maximum-Object"
}

/// The limits of requests and replies, enforced on both sides.
package enum WireLimits {
    /// The lines of one batch request.
    package static let batchLines = 10_000
    /// The bytes of one batch request.
    package static let batchBytes = 1 << 20
    /// The bytes of contents in one reply; objects beyond are ``WireFrame/askAgain``.
    package static let replyBytes = 64 << 20
    /// The lines of one listing.
    package static let listLines = 10_000
    /// The commits of one reply of the log.
    package static let logFrames = 10_000
    /// The bytes of an error's body that a client reads.
    package static let errorBytes = 64 << 10
}

/// The value of `Content-Digest`, with SHA-256 only:
/// https://www.rfc-editor.org/rfc/rfc9530#section-2
package enum ContentDigest {
    /// `sha-256=:BASE64:`
    ///
    /// - Parameter sha256: 32 bytes.
    package static func encode(_ sha256: [UInt8]) -> String {
        "sha-256=:\(Base64.encode(sha256)):"
    }

    /// The 32 bytes; nil when the value has no SHA-256. Other algorithms are ignored.
    package static func decode(_ value: String) -> [UInt8]? {
        for member in value.split(separator: ",") {
            let text = member.drop { $0 == " " }
            guard text.hasPrefix("sha-256=:"), text.hasSuffix(":"), text.utf8.count > 10 else {
                continue
            }
            let coded = text.dropFirst("sha-256=:".count).dropLast()
            guard let bytes = Base64.decode(coded), bytes.count == 32 else { return nil }
            return bytes
        }
        return nil
    }
}
