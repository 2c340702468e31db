import FilesinkiHTTP
import FilesinkiModel
import FilesinkiTesting
import FilesinkiText
import Synchronization

@testable import FilesinkiS3

/// An S3 service in memory, as an `HTTPTransport`: right by itself, and wrong where a script says so.
final class MemoryBucket: HTTPTransport {
    /// What a script does to a request.
    enum Turn: Sendable {
        /// The request is not served, and this is the answer.
        case instead(HTTPReply)
        /// The request is served, and this is the answer.
        case afterwards(HTTPReply)
        /// No reply, before or after the request is executed.
        case silence(isServed: Bool)
    }

    struct State {
        var objects: [String: [UInt8]] = [:]
        var uploads: [String: [Int: [UInt8]]] = [:]
        /// The keys of uploads, and when they were begun.
        var begun: [String: (key: String, time: String)] = [:]
        var script: [(isFor: @Sendable (HTTPRequest) -> Bool, turn: Turn)] = []
        var requests: [HTTPRequest] = []
    }

    let state = Mutex(State())
    /// What it puts on one page at most.
    let pageSize: Int
    /// Whether it names objects by their MD5.
    let namesByMD5: Bool

    init(pageSize: Int = 1000, namesByMD5: Bool = true) {
        self.pageSize = pageSize
        self.namesByMD5 = namesByMD5
    }

    static let address = S3Address(
        bucket: "bucket", prefix: "a b", endpoint: WebAddress(isSecure: true, host: "service"),
        region: "here")
    static let credentials = S3Credentials(
        keyID: "KEYID", secretKey: Secret("HUSHSECRET"), sessionToken: Secret("HUSHTOKEN"))

    /// What it holds.
    var objects: [String: [UInt8]] {
        get { state.withLock { $0.objects } }
        set { state.withLock { $0.objects = newValue } }
    }

    /// What it was asked.
    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// The uploads that were neither completed nor aborted.
    var openUploads: Int { state.withLock { $0.uploads.count } }

    /// What was asked, as the method and the address below the bucket.
    var asked: [String] {
        requests.map { request in
            let path = request.url.dropFirst("https://service/bucket".count)
            return "\(request.method) \(path)"
        }
    }

    /// The next request that the test finds to be meant takes this turn.
    func script(
        _ turn: Turn, times: Int = 1,
        _ isFor: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true }
    ) {
        state.withLock { state in
            for _ in 0..<times { state.script.append((isFor, turn)) }
        }
    }

    func remote(
        _ clock: ManualClock = ManualClock(), _ settings: S3Remote.UploadSettings = .init(),
        credentials: any S3CredentialSource = MemoryBucket.credentials
    ) -> S3Remote {
        S3Remote(
            address: Self.address, transport: self, credentials: credentials,
            systemContext: clock.systemContext, settings: settings)
    }

    func send(_ request: HTTPRequest) async throws -> HTTPReply {
        try state.withLock { state in
            state.requests.append(request)
            if let index = state.script.firstIndex(where: { $0.isFor(request) }) {
                switch state.script.remove(at: index).turn {
                case .instead(let reply): return reply
                case .afterwards(let reply):
                    _ = serve(request, &state)
                    return reply
                case .silence(let isServed):
                    if isServed { _ = serve(request, &state) }
                    throw Failure(.away, "silence", remedy: "")
                }
            }
            return serve(request, &state)
        }
    }

    func stream(
        _ request: HTTPRequest, _ receive: @Sendable (HTTPReply) async throws -> Bool
    ) async throws { _ = try await receive(try await send(request)) }

    // MARK: The service

    private func serve(_ request: HTTPRequest, _ state: inout State) -> HTTPReply {
        let parts = request.url.dropFirst("https://service/bucket".count)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let key = PercentCoding.decodedText(parts.first?.dropFirst() ?? "") ?? ""
        var query: [String: String] = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let halves = pair.split(separator: "=", omittingEmptySubsequences: false)
            query[String(halves[0])] = PercentCoding.decodedText(halves[1])
        }
        guard request.fields["authorization"] != nil else { return .error(403, "AccessDenied") }
        if key.isEmpty, query["uploads"] != nil { return listUploads(query, state) }
        if key.isEmpty { return query["versioning"] == nil ? list(query, state) : .xml(Self.plain) }
        if query["uploads"] != nil || query["uploadId"] != nil {
            return multipart(request, key, query, &state)
        }
        switch request.method {
        case "PUT":
            if request.fields["If-None-Match"] == "*", state.objects[key] != nil {
                return .error(412, "PreconditionFailed")
            }
            state.objects[key] = request.body
            return reply(200, request.body, isHead: true)
        case "DELETE":
            state.objects[key] = nil
            return HTTPReply(status: 204)
        default: return get(request, state.objects[key])
        }
    }

    private static let plain = "<VersioningConfiguration xmlns=\"x\"/>"

    private func reply(_ status: Int, _ bytes: [UInt8], isHead: Bool = false) -> HTTPReply {
        let tag = namesByMD5 ? S3SlotWriter.tag(of: bytes) : "opaque-1"
        return HTTPReply(
            status: status,
            fields: ["ETag": "\"\(tag)\"", "Content-Length": isHead ? "0" : "\(bytes.count)"],
            body: isHead ? [] : bytes)
    }

    private func get(_ request: HTTPRequest, _ object: [UInt8]?) -> HTTPReply {
        guard let object else { return .error(404, "NoSuchKey") }
        guard let range = request.fields["Range"] else { return reply(200, object) }
        let ends = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        guard ends.count == 2, ends[0] < object.count else { return .error(416, "InvalidRange") }
        let last = min(ends[1], object.count - 1)
        var answer = reply(206, Array(object[ends[0]...last]))
        answer.fields["Content-Range"] = "bytes \(ends[0])-\(last)/\(object.count)"
        return answer
    }

    private func list(_ query: [String: String], _ state: State) -> HTTPReply {
        let prefix = query["prefix"] ?? ""
        let after = query["start-after"] ?? ""
        let keys = state.objects.keys
            .filter {
                $0.hasPrefix(prefix)
                    && (after.isEmpty || after.utf8.lexicographicallyPrecedes($0.utf8))
            }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let page = keys.prefix(min(Int(query["max-keys"] ?? "") ?? 1000, pageSize))
        let entries = page.map { key in
            "<Contents><Key>\(coded(key))</Key><Size>\(state.objects[key]?.count ?? 0)</Size></Contents>"
        }
        return .xml(
            "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>\(page.count < keys.count)"
                + "</IsTruncated>\(entries.joined())</ListBucketResult>")
    }

    /// The service's clock, as it begins uploads and as it sends replies.
    static let date = "2026-01-02T03:04:05.000Z"
    static let now = "Sat, 03 Jan 2026 03:04:05 GMT"

    private func listUploads(_ query: [String: String], _ state: State) -> HTTPReply {
        let all = state.uploads.keys.compactMap { id in
            state.begun[id].map { (key: $0.key, id: id, time: $0.time) }
        }.sorted { ($0.key, $0.id) < ($1.key, $1.id) }
        let marker = (query["key-marker"] ?? "", query["upload-id-marker"] ?? "")
        let rest = all.filter {
            $0.key.hasPrefix(query["prefix"] ?? "") && ($0.key, $0.id) > marker
        }
        let page = rest.prefix(pageSize)
        let entries = page.map { upload in
            "<Upload><Key>\(coded(upload.key))</Key><UploadId>\(escaped(upload.id))</UploadId>"
                + "<Initiated>\(upload.time)</Initiated></Upload>"
        }
        var text = "<EncodingType>url</EncodingType>" + entries.joined()
        if let last = page.last, page.count < rest.count {
            text +=
                "<IsTruncated>true</IsTruncated><NextKeyMarker>\(coded(last.key))</NextKeyMarker>"
            text += "<NextUploadIdMarker>\(escaped(last.id))</NextUploadIdMarker>"
        }
        return .xml(
            "<ListMultipartUploadsResult>\(text)</ListMultipartUploadsResult>", ["Date": Self.now])
    }

    private func coded(_ key: String) -> String {
        PercentCoding.encode(key.utf8).replacing("%20", with: "+")
    }

    private func escaped(_ id: String) -> String { id.replacing("&", with: "&amp;") }

    private func multipart(
        _ request: HTTPRequest, _ key: String, _ query: [String: String], _ state: inout State
    ) -> HTTPReply {
        guard let upload = query["uploadId"] else {
            state.uploads["upload & \(state.uploads.count)"] = [:]
            state.begun["upload & \(state.uploads.count - 1)"] = (key, Self.date)
            let name = "upload &amp; \(state.uploads.count - 1)"
            return .xml(
                "<InitiateMultipartUploadResult><UploadId>\(name)</UploadId>"
                    + "</InitiateMultipartUploadResult>")
        }
        guard let parts = state.uploads[upload] else { return .error(404, "NoSuchUpload") }
        switch request.method {
        case "PUT":
            state.uploads[upload]?[Int(query["partNumber"] ?? "") ?? 0] = request.body
            return reply(200, request.body, isHead: true)
        case "POST":
            state.objects[key] = parts.sorted { $0.key < $1.key }.flatMap(\.value)
            state.uploads[upload] = nil
            return .xml("<CompleteMultipartUploadResult/>")
        default:
            state.uploads[upload] = nil
            return HTTPReply(status: 204)
        }
    }
}

extension HTTPReply {
    static func xml(_ text: String, status: Int = 200, _ fields: HTTPFields = [:]) -> HTTPReply {
        var fields = fields
        fields["Content-Type"] = "application/xml"
        fields["x-amz-request-id"] = "1"
        return HTTPReply(
            status: status, fields: fields, body: Array("<?xml version=\"1.0\"?>\(text)".utf8))
    }

    static func error(
        _ status: Int, _ code: String, _ more: String = "", _ fields: HTTPFields = [:]
    ) -> HTTPReply {
        xml("<Error><Code>\(code)</Code>\(more)</Error>", status: status, fields)
    }

    /// What a captive portal says to everything.
    static let portal = HTTPReply(
        status: 200, fields: ["Content-Type": "text/html; charset=utf-8"],
        body: Array("<html><body>Please log in</body></html>".utf8))
}
