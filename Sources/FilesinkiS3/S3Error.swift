import FilesinkiHTTP
import FilesinkiModel
import FilesinkiXML

/// The error in the reply of an S3 service:
/// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
struct S3Error {
    let reply: HTTPReply
    /// Such as `NoSuchKey`; empty when the reply is not of an S3 service.
    let code: String
    /// The region that the service names instead of the requested one.
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

    /// Whether renewed credentials of the same user may be accepted.
    var isAboutExpiry: Bool {
        ["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken"]
            .contains(code)
    }

    /// The failure that the error means.
    ///
    /// - Parameters:
    ///   - key: The key for the message.
    ///   - credentials: No message contains their secrets, even if the service repeats them.
    func failure(_ key: String, at address: S3Address, _ credentials: S3Credentials) -> Failure {
        // The retry time comes from the status and fields alone.
        var failure = reply.failure(key, at: "\(address)")
        failure.account = account
        guard let found = knownError(address) ?? unknownError(address, credentials) else {
            return failure
        }
        failure.path = Array("\(address)".utf8)
        failure.code = found.code
        failure.message = found.message
        failure.remedy = found.remedy
        return failure
    }

    /// What the error says about the account. The status does not: a service replies 403 to an unknown key, too.
    private var account: AccountStatus? {
        switch code {
        case "AccessDenied", "AllAccessDisabled", "Forbidden": .restricted
        case "InvalidAccessKeyId", "SignatureDoesNotMatch": .noAccount
        default: isAboutExpiry || reply.status == 401 ? .noAccount : nil
        }
    }

    private typealias Explanation = (code: Failure.Code, message: String, remedy: String)

    private func knownError(_ address: S3Address) -> Explanation? {
        let service = "\(address.service)"
        return switch code {
        case "NoSuchBucket":
            (
                .notFound, "The bucket \(address.bucket) was not found at \(service).",
                "Create the bucket without versioning, or correct the address."
            )
        case "QuotaExceeded", "EntityTooLarge", "StorageLimitExceeded", "XMinioStorageFull":
            (
                code == "EntityTooLarge" ? .limit : .full, "No space left at \(service) (\(code)).",
                "Free space there, or raise its quota."
            )
        case "SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "Throttling",
            "ThrottlingException", "RequestLimitExceeded", "Busy":
            (
                .away, "\(service) is temporarily unavailable (\(code)).",
                "Run the command again later."
            )
        case "BadDigest", "XAmzContentSHA256Mismatch", "IncompleteBody":
            (
                .away, "\(service) received damaged data (\(code)).",
                "Run the command again. If this happens again, the network damages data."
            )
        case "OperationAborted", "ConditionalRequestConflict":
            (.busy, "Conflicting request at \(service) (\(code)).", "Run the command again.")
        case "NotImplemented", "MethodNotAllowed":
            (
                .unfitStore,
                "\(service) does not support a request that the store needs (\(code)).",
                "Use another service, or filesinki serve."
            )
        default: permissionError(address) ?? redirectError(address)
        }
    }

    private func permissionError(_ address: S3Address) -> Explanation? {
        let service = "\(address.service)"
        return switch code {
        case "AccessDenied", "AllAccessDisabled", "Forbidden":
            (
                .notAllowed,
                "Permission denied in the bucket \(address.bucket) at \(service) (\(code)).",
                "Grant the key the permissions to list the bucket, and to get, put and delete objects."
            )
        case "InvalidAccessKeyId":
            (
                .notAllowed, "Unknown access key at \(service) (\(code)).",
                "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key of the service, or write it into "
                    + "~/.aws/credentials. See filesinki help credentials."
            )
        case "SignatureDoesNotMatch":
            (
                .notAllowed, "\(service) rejected the signature (\(code)).",
                "Check AWS_SECRET_ACCESS_KEY, or the secret key in ~/.aws/credentials, and the region."
            )
        case _ where isAboutExpiry:
            (.notAllowed, "The session at \(service) expired (\(code)).", "Log in again.")
        case "RequestTimeTooSkewed", "RequestExpired":
            (
                .notAllowed,
                "The clocks of this device and of \(service) differ too much (\(code)).",
                "Set this device's clock."
            )
        default: nil
        }
    }

    private func redirectError(_ address: S3Address) -> Explanation? {
        let codes = [
            "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException",
        ]
        let isRedirect = (300..<400).contains(reply.status) && reply.status != 304
        guard codes.contains(code) || isRedirect && region != nil else { return nil }
        let region = region.map { "region=\($0)" } ?? "the right region and endpoint"
        return (
            .usage, "The bucket \(address.bucket) is not at \(address.service).",
            "Add \(region) to the address."
        )
    }

    private func unknownError(_ address: S3Address, _ credentials: S3Credentials) -> Explanation? {
        // These statuses have a message of their own.
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
            .unfitStore, "\(address.service) rejected the request (\(code))\(words).",
            "Check the address with filesinki remote check URL."
        )
    }
}

extension HTTPReply {
    /// The body parsed as XML; nil when it is something else.
    func xml(maximumElements: Int) -> XMLNode? {
        // The page of a captive portal is not worth parsing.
        guard body.first(where: { $0 > 0x20 && $0 < 0x80 }) == UInt8(ascii: "<") else { return nil }
        return try? XMLReader.parse(body, maximumElements: maximumElements)
    }

    /// Whether the reply to a request with this method seems to come from something else than an S3 service, such as a
    /// captive portal.
    func isForeign(to method: String) -> Bool {
        if fields.all.contains(where: { $0.name.lowercased().hasPrefix("x-amz-") }) { return false }
        return isWebPage && !isBareSuccess(of: method)
    }

    /// Whether it has no body and confirms the request, as the tag of a stored object does. moto declares such replies as
    /// HTML, too. The replies to HEAD are not told apart so: they have no body, and web pages have tags.
    private func isBareSuccess(of method: String) -> Bool {
        guard body.isEmpty else { return false }
        return method == "PUT" && fields["ETag"] != nil || method == "DELETE" && status == 204
    }

    /// Its status and the type of its body, for messages.
    var kind: String {
        let type = fields["Content-Type"].map { printable($0.utf8.prefix(60)) }
        return "status \(status), \(type ?? "no content type")"
    }
}
