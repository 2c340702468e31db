import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiS3

/// Reading, listing and deleting, and what every answer means.
@Suite struct S3RemoteTests {
    let bucket = MemoryBucket()
    let key = (try? ObjectKey("log/1/c")) ?? MemoryBucket.someKey

    @Test(
        "honours the remote contract, with pages of every size", arguments: RemoteContract.all,
        [2, 1000])
    func contract(_ contract: RemoteContract, _ pageSize: Int) async throws {
        let bucket = MemoryBucket(pageSize: pageSize)
        try await contract.check(bucket.remote(), bucket.remote())
    }

    @Test(
        "the status of a read gives its result",
        arguments: [
            (.error(404, "NoSuchKey"), nil),
            (.error(404, "NoSuchBucket"), .notFound),
            (.error(403, "AccessDenied"), .notAllowed),
            (.error(403, "InvalidAccessKeyId"), .notAllowed),
            (.error(403, "SignatureDoesNotMatch"), .notAllowed),
            (.error(403, "RequestTimeTooSkewed"), .notAllowed),
            (.error(403, "SomethingNew"), .notAllowed),
            (.error(400, "ExpiredToken"), .notAllowed),
            (.error(503, "SlowDown"), .away), (.error(500, "InternalError"), .away),
            (.error(500, "SomethingNew"), .away), (.error(429, "SomethingNew"), .away),
            (.error(400, "RequestTimeout"), .away), (.error(409, "OperationAborted"), .busy),
            (.error(501, "NotImplemented"), .unfitStore),
            (.error(400, "SomethingNew"), .unfitStore),
            (.error(301, "PermanentRedirect"), .usage),
            (.error(400, "AuthorizationHeaderMalformed", "<Region>eu-west-9</Region>"), .usage),
            (HTTPReply(status: 301, fields: ["x-amz-bucket-region": "eu-west-9"]), .usage),
            (HTTPReply(status: 302, fields: ["Location": "https://login"]), .away),
            (HTTPReply(status: 404), .away), (HTTPReply(status: 204), .away),
            (HTTPReply(status: 404, body: Array("<html>not here</html>".utf8)), .away),
            (HTTPReply(status: 404, body: Array("<Error><Code>No".utf8)), .away),
            (HTTPReply(status: 403), .notAllowed), (HTTPReply(status: 401), .notAllowed),
            (HTTPReply(status: 507), .full), (HTTPReply(status: 502), .away),
            (.error(403, "QuotaExceeded"), .full), (.error(400, "EntityTooLarge"), .limit),
            (.portal, .away), (HTTPReply(status: 200, body: [1, 2]), .away),
            (
                HTTPReply(
                    status: 200, fields: ["ETag": "x", "Content-Length": "3"], body: [1, 2]), .away
            ),
        ] as [(HTTPReply, Failure.Code?)])
    func answers(_ reply: HTTPReply, _ code: Failure.Code?) async throws {
        for range: Range<Int64>? in [nil, 1..<3] {
            bucket.script(.instead(reply))
            guard let code else {
                #expect(try await bucket.remote().get(key, range: range) == nil)
                continue
            }
            let failure = await #expect(throws: Failure.self) {
                _ = try await bucket.remote().get(key, range: range)
            }
            #expect(failure?.code == code, "\(reply.status) \(String(describing: failure))")
            #expect(failure?.remedy.isEmpty == false)
        }
    }

    @Test(
        "CK-02 an error tells unknown keys from a missing permission",
        arguments: [
            (.error(403, "AccessDenied"), .restricted),
            (.error(403, "InvalidAccessKeyId"), .noAccount),
            (.error(403, "SignatureDoesNotMatch"), .noAccount),
            (.error(400, "ExpiredToken"), .noAccount),
            (.error(403, "RequestTimeTooSkewed"), .undetermined),
            (HTTPReply(status: 403), .undetermined), (HTTPReply(status: 401), .noAccount),
            (.error(503, "SlowDown"), .unavailable),
        ] as [(HTTPReply, AccountStatus)])
    func account(_ reply: HTTPReply, _ status: AccountStatus) async throws {
        bucket.script(.instead(reply))
        let failure = await #expect(throws: Failure.self) {
            _ = try await bucket.remote().get(key, range: nil)
        }
        #expect(failure?.accountStatus == status)
    }

    @Test func `a bucket in another region is reported with that region`() async throws {
        for reply: HTTPReply in [
            .error(400, "AuthorizationHeaderMalformed", "<Region>eu-west-9</Region>"),
            .error(301, "PermanentRedirect", "", ["x-amz-bucket-region": "eu-west-9"]),
        ] {
            bucket.script(.instead(reply))
            let failure = await #expect(throws: Failure.self) {
                _ = try await bucket.remote().get(key, range: nil)
            }
            #expect(failure?.remedy.contains("region=eu-west-9") == true)
        }
    }

    @Test func `Retry-After is passed on`() async throws {
        bucket.script(.instead(.error(503, "SlowDown", "", ["Retry-After": "7"])))
        let failure = await #expect(throws: Failure.self) {
            _ = try await bucket.remote().get(key, range: nil)
        }
        #expect(failure?.retryAfter == .seconds(7))
    }

    @Test func `no failure repeats a secret, whatever the service replies`() async throws {
        let echo = "<Message>KEYID HUSHSECRET HUSHTOKEN \u{1B}[2J</Message>"
        for (status, code) in [
            (400, "SomethingNew"), (400, "ExpiredToken"), (403, "InvalidAccessKeyId"), (500, "X"),
            (400, "HUSHSECRET/"),
        ] {
            let reply = HTTPReply.error(status, code, echo.replacing("\u{1B}", with: ""))
            bucket.script(.instead(reply))
            let failure = await #expect(throws: Failure.self) {
                _ = try await bucket.remote().get(key, range: nil)
            }
            let text = failure.map { "\($0)" } ?? "HUSH"
            #expect(!text.contains("HUSH") && !text.contains("KEYID"), "\(text)")
        }
    }

    @Test(
        "a reply with another range is rejected",
        arguments: [
            "bytes 0-1/9", "bytes 1-2/9", "bytes 1-3/9", "bytes 1-1/9", "bytes */9", "",
            "bytes 1-2",
            "lines 1-2/3", "bytes 1-9223372036854775807/9223372036854775807", "bytes 2-1/3",
        ])
    func ranges(_ field: String) async throws {
        var reply = HTTPReply(status: 206, fields: ["ETag": "x"], body: [1, 2])
        reply.fields["Content-Range"] = field
        bucket.script(.instead(reply))
        let failure = await #expect(throws: Failure.self) {
            _ = try await bucket.remote().get(key, range: 1..<5)
        }
        #expect(failure?.code == .away)
    }

    @Test func `replies of a service without ranges are cut here`() async throws {
        let whole = HTTPReply(status: 200, fields: ["ETag": "x"], body: [0, 1, 2, 3])
        for (range, wanted): (Range<Int64>, [UInt8]) in [
            (1..<3, [1, 2]), (2..<9, [2, 3]), (4..<6, []), (0..<Int64.max, [0, 1, 2, 3]),
            (2..<2, []),
            (-5..<2, [0, 1]), (Int64.max..<Int64.max, []), (Int64.min..<Int64.min, []),
        ] {
            bucket.script(.instead(whole))
            #expect(try await bucket.remote().get(key, range: range) == wanted, "\(range)")
        }
    }

    @Test(
        "an invalid listing is not an empty one",
        arguments: [
            HTTPReply.portal, HTTPReply(status: 200), .xml("<html/>"), .xml("<ListBucketResult>"),
            .xml("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"),
            .xml("<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>"),
            .xml(
                "<ListBucketResult><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>"
            ),
            .error(404, "NoSuchBucket"), .error(500, "InternalError"), HTTPReply(status: 404),
        ])
    func lists(_ reply: HTTPReply) async throws {
        bucket.script(.instead(reply))
        await #expect(throws: Failure.self) {
            _ = try await bucket.remote().list(prefix: "", after: nil, limit: 9)
        }
    }

    @Test(
        "a listing that stops early or is out of order is refused",
        arguments: [["b", "a"], ["a", "a"], ["é", "z"]])
    func disorder(_ names: [String]) async throws {
        let entries = names.map { "<Contents><Key>a b/\($0)</Key><Size>1</Size></Contents>" }
        bucket.script(.instead(.xml("<ListBucketResult>\(entries.joined())</ListBucketResult>")))
        let failure = await #expect(throws: Failure.self) {
            _ = try await bucket.remote().list(prefix: "", after: nil, limit: 9)
        }
        #expect(failure?.code == .unfitStore)
    }

    @Test func `foreign objects are left out of a list, also where they fill pages`() async throws {
        let bucket = MemoryBucket(pageSize: 3)
        for number in 10..<30 { bucket.objects["a b/A\(number)"] = [1] }
        for name in ["a b/x", "a b/x/", "a b/\u{1}", "a b/..", "a b", "a c/x", "a b/y y", "a b/z"] {
            bucket.objects[name] = [1, 2]
        }
        let found = try await bucket.remote().list(prefix: "", after: nil, limit: 2)
        #expect(found.map(\.key.description) == ["x", "z"])
        #expect(found.map(\.size) == [2, 2])
    }

    @Test func `only the service's own reply confirms a deletion`() async throws {
        try await bucket.remote().put([1], to: key)
        for reply in [HTTPReply.portal, HTTPReply(status: 404), .error(404, "NoSuchBucket")] {
            bucket.script(.instead(reply))
            await #expect(throws: Failure.self) { try await bucket.remote().delete(key) }
        }
        try await bucket.remote().delete(key)
        #expect(try await bucket.remote().get(key, range: nil) == nil)
    }

    @Test func `every request is signed, including the hash of its body`() async throws {
        _ = try await bucket.remote().publish([1], to: key)
        let request = try #require(bucket.requests.first)
        #expect(request.url == "https://service/bucket/a%20b/log/1/c")
        #expect(request.fields["If-None-Match"] == "*")
        #expect(request.fields["Expect"] == nil)
        let signed =
            "SignedHeaders=content-type;host;if-none-match;x-amz-content-sha256;x-amz-date;"
        #expect(
            request.fields["authorization"]?.contains(signed + "x-amz-security-token,") == true)
        #expect(request.fields["x-amz-content-sha256"]?.hasPrefix("4bf5122f344554c5") == true)
    }

    @Test(
        "nothing is sent over a network without encryption unless the user allows it",
        arguments: [
            ("http", "service", false, false), ("http", "service", true, true),
            ("https", "service", false, true), ("http", "127.0.0.1", false, true),
            ("http", "localhost", false, true),
        ])
    func openNetworks(
        _ scheme: String, _ host: String, _ allowsInsecure: Bool, _ isSent: Bool
    ) async throws {
        var address = MemoryBucket.address
        address.endpoint = WebAddress(isSecure: scheme == "https", host: host)
        let remote = S3Remote(
            address: address, transport: bucket, credentials: MemoryBucket.credentials,
            systemContext: ManualClock().systemContext, allowsInsecure: allowsInsecure)
        bucket.script(.instead(.error(404, "NoSuchKey")))
        let failure: Failure?
        do {
            _ = try await remote.get(key, range: nil)
            failure = nil
        } catch { failure = error as? Failure }
        #expect(failure?.code == (isSent ? nil : .notAllowed))
        #expect(bucket.requests.isEmpty != isSent)
    }

    /// Two sets of keys, one after the other.
    actor Changing: S3CredentialSource {
        var number = 0

        func credentials() async throws -> S3Credentials {
            number += 1
            return S3Credentials(keyID: "key\(number)", secretKey: Secret("x"))
        }
    }

    @Test func `an expired session is renewed once`() async throws {
        let remote = bucket.remote(credentials: Changing())
        bucket.script(.instead(.error(400, "ExpiredToken")))
        #expect(try await remote.publish([1], to: key) == .mine)
        let requests = bucket.requests
        #expect(requests.map { $0.fields["authorization"]?.contains("=key2/") } == [false, true])
        bucket.script(.instead(.error(400, "ExpiredToken")), times: 2)
        let failure = await #expect(throws: Failure.self) {
            _ = try await remote.get(key, range: nil)
        }
        #expect(failure?.code == .notAllowed)
    }

    @Test(
        "a bucket's versioning is checked; if it cannot be, the race decides",
        arguments: [
            (
                .xml("<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"),
                true
            ),
            (
                .xml(
                    "<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>"),
                false
            ),
            (.xml("<VersioningConfiguration/>"), false), (.error(501, "NotImplemented"), false),
            (.xml("<GetBucketVersioningResponse/>"), false),
            (
                .xml(
                    "<GetBucketVersioningResponse><Status>Enabled</Status></GetBucketVersioningResponse>"
                ), true
            ),
            (.error(403, "AccessDenied"), false), (.error(405, "MethodNotAllowed"), false),
            (.portal, nil), (.error(403, "InvalidAccessKeyId"), nil),
            (.error(404, "NoSuchBucket"), nil),
            (.xml("<html/>"), nil), (.error(500, "InternalError"), nil),
        ] as [(HTTPReply, Bool?)])
    func versions(_ reply: HTTPReply, _ isUnfit: Bool?) async throws {
        bucket.script(.instead(reply))
        guard let isUnfit else {
            await #expect(throws: Failure.self) { _ = try await bucket.remote().unfitness() }
            return
        }
        let unfitness = try await bucket.remote().unfitness()
        #expect((unfitness != nil) == isUnfit)
        #expect(bucket.asked == ["GET ?versioning="])
    }

    private static let page = "text/html; charset=utf-8"

    @Test(
        "a reply that no S3 service sends is described",
        arguments: [
            (
                HTTPReply(
                    status: 200, fields: ["Content-Type": "text/xml"],
                    body: Array("<html/>".utf8)),
                "it is not a versioning configuration (status 200, text/xml, element html)"
            ),
            (
                HTTPReply(status: 203, body: [1]),
                "it is not a versioning configuration (status 203, no content type)"
            ),
            (
                HTTPReply(status: 200, fields: ["Content-Type": page], body: [1]),
                "it is not from an S3 service (status 200, text/html; charset=utf-8)"
            ),
        ])
    func described(_ reply: HTTPReply, _ reason: String) async throws {
        bucket.script(.instead(reply))
        let failure = await #expect(throws: Failure.self) {
            _ = try await bucket.remote().unfitness()
        }
        #expect(failure?.code == .away)
        #expect(failure?.message == "Unexpected reply from https://service: \(reason).")
        #expect(failure?.remedy == "Check the address, and whether the network requires a login.")
    }

    @Test(
        "an empty reply of the type of a web page confirms a request by its tag only",
        arguments: [
            ("PUT", 200, true, true), ("PUT", 200, false, false), ("DELETE", 204, false, true),
            ("DELETE", 200, false, false), ("HEAD", 200, true, false), ("GET", 200, true, false),
        ])
    func bare(_ method: String, _ status: Int, _ isTagged: Bool, _ isBelieved: Bool) {
        var reply = HTTPReply(status: status, fields: ["Content-Type": Self.page])
        if isTagged { reply.fields["ETag"] = "\"1\"" }
        #expect(reply.isForeign(to: method) == !isBelieved)
        reply.body = [1]
        #expect(reply.isForeign(to: method))
    }

    @Test func `an object is stored though the reply is of the type of a web page`() async throws {
        bucket.script(
            .afterwards(
                HTTPReply(status: 200, fields: ["Content-Type": Self.page, "ETag": "\"1\""])))
        #expect(try await bucket.remote().publish([1], to: key) == .mine)
    }
}

extension MemoryBucket {
    /// Stands where a key of a literal would have failed.
    static let someKey: ObjectKey = {
        guard let key = try? ObjectKey("k") else { preconditionFailure("k is a key") }
        return key
    }()
}
