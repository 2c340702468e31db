import FilesinkiHTTP
import FilesinkiModel
import FilesinkiXML

/// What an S3 service says is wrong:
/// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
struct S3Fault {
    let reply: HTTPReply
    /// Such as `NoSuchKey`; empty when it was no S3 service that answered.
    let code: String
    /// The region that the service names instead of the one that was asked.
    private let region: String?
    private let message: String

    init(_ reply: HTTPReply) {
        self.reply = reply
        let error = reply.xml(maximumElements: 64).flatMap { $0.name == "Error" ? $0 : nil }
        let word = error?.text(of: "Code") ?? ""
        code = word.utf8.count <= 64 && word.utf8.allSatisfy(Self.isWordByte) ? word : ""
        message = error?.text(of: "Message") ?? ""
        let region = reply.fields["x-amz-bucket-region"] ?? error?.text(of: "Region")
        self.region = region.flatMap { try? S3Address.checked(region: $0) }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
    }

    /// Whether other credentials of the same user may be believed.
    var isAboutExpiry: Bool {
        ["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken"]
            .contains(code)
    }

    /// What it means when the request cannot do with it.
    ///
    /// - Parameters:
    ///   - key: The object that it is about.
    ///   - credentials: Whose secrets no message may hold, should the service repeat them.
    func failure(_ key: String, at address: S3Address, _ credentials: S3Credentials) -> Failure {
        // The status alone decides how long to leave the service alone.
        var failure = reply.failure(key, at: "\(address.service)")
        guard let found = meaning(address) ?? unknown(address, credentials) else { return failure }
        failure.code = found.code
        failure.message = found.message
        failure.remedy = found.remedy
        return failure
    }

    private typealias Meaning = (code: Failure.Code, message: String, remedy: String)

    private func meaning(_ address: S3Address) -> Meaning? {
        let who = "\(address.service)"
        return switch code {
        case "NoSuchBucket":
            (
                .notFound, "The bucket \(address.bucket) was not found at \(who).",
                "Make the bucket, without versioning, or put its address right."
            )
        case "QuotaExceeded", "EntityTooLarge", "StorageLimitExceeded", "XMinioStorageFull":
            (
                .limit, "\(who) has no room for this (\(code)).",
                "Make room there, or raise its quota."
            )
        case "SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "Throttling",
            "ThrottlingException", "RequestLimitExceeded", "Busy":
            (.away, "\(who) cannot serve this now (\(code)).", "Run the command again later.")
        case "BadDigest", "XAmzContentSHA256Mismatch", "IncompleteBody":
            (
                .away, "\(who) did not get the bytes that were sent (\(code)).",
                "Run the command again; if it stays so, something between here and there alters them."
            )
        case "OperationAborted", "ConditionalRequestConflict":
            (.busy, "\(who) is at work on this (\(code)).", "Run the command again.")
        case "NotImplemented", "MethodNotAllowed":
            (
                .unfitStore, "\(who) cannot do what the store needs (\(code)).",
                "Use another service, or filesinki serve."
            )
        default: permission(address) ?? elsewhere(address)
        }
    }

    private func permission(_ address: S3Address) -> Meaning? {
        let who = "\(address.service)"
        return switch code {
        case "AccessDenied", "AllAccessDisabled", "Forbidden":
            (
                .notAllowed,
                "\(who) does not allow this in the bucket \(address.bucket) (\(code)).",
                "Give the key the rights to list the bucket, and to get, put and delete objects."
            )
        case "InvalidAccessKeyId":
            (.notAllowed, "\(who) does not know the key (\(code)).", "Check AWS_ACCESS_KEY_ID.")
        case "SignatureDoesNotMatch":
            (
                .notAllowed, "\(who) does not believe the signature (\(code)).",
                "Check AWS_SECRET_ACCESS_KEY and the region."
            )
        case _ where isAboutExpiry:
            (.notAllowed, "\(who) no longer believes the session (\(code)).", "Log in again.")
        case "RequestTimeTooSkewed", "RequestExpired":
            (
                .notAllowed, "This device's clock and that of \(who) differ too much (\(code)).",
                "Set the clock right."
            )
        default: nil
        }
    }

    private func elsewhere(_ address: S3Address) -> Meaning? {
        let codes = [
            "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException",
        ]
        let isSentElsewhere = (300..<400).contains(reply.status) && reply.status != 304
        guard codes.contains(code) || isSentElsewhere && region != nil else { return nil }
        let region = region.map { "region=\($0)" } ?? "the right region and endpoint"
        return (
            .usage, "The bucket \(address.bucket) is not served at \(address.service).",
            "Put \(region) into the address."
        )
    }

    private func unknown(_ address: S3Address, _ credentials: S3Credentials) -> Meaning? {
        // Those say enough by themselves.
        guard !code.isEmpty, reply.status < 500, ![401, 403, 429].contains(reply.status) else {
            return nil
        }
        let secrets =
            [credentials.keyID, credentials.secretKey.value]
            + [
                credentials.sessionToken?.value
            ].compactMap(\.self)
        let isClean = !secrets.contains { message.contains($0) }
        let words = isClean ? ": " + printable(message.utf8.prefix(200)) : ""
        return (
            .unfitStore, "\(address.service) refuses this (\(code))\(words).",
            "Check the address with filesinki remote check URL."
        )
    }
}

extension HTTPReply {
    /// The body as XML; nil when it is something else.
    func xml(maximumElements: Int) -> XMLNode? {
        // What a captive portal answers with is not worth a parser's time.
        guard body.first(where: { $0 > 0x20 && $0 < 0x80 }) == UInt8(ascii: "<") else { return nil }
        return try? XMLReader.parse(body, maximumElements: maximumElements)
    }

    /// Whether something else than an S3 service seems to have answered, such as a captive portal.
    var isForeign: Bool {
        if fields.all.contains(where: { $0.name.lowercased().hasPrefix("x-amz-") }) { return false }
        return fields["Content-Type"]?.lowercased().hasPrefix("text/html") ?? false
    }
}
