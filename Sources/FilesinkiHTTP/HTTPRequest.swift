/// A request to a server.
package struct HTTPRequest: Sendable {
    /// Such as `GET` or `PROPFIND`.
    package var method: String
    /// The whole address: `https://host:port/path?query`, percent-encoded.
    package var url: String
    package var fields: HTTPFields
    package var body: [UInt8]
    /// The largest accepted body of the reply, in bytes.
    package var maximumReply: Int
    /// The time limit of the whole exchange; nil for what its bytes need on a slow link.
    package var limit: Duration?
    /// Cuts the connection after this many bytes of the body, to test what the server does then; nil to
    /// send all of it.
    package var cutAfter: Int?
    /// The address of the remote as a user writes it, for messages; nil for the server's.
    package var place: String?

    /// - Parameter maximumReply: In bytes; 1 MiB by default.
    package init(
        _ method: String, _ url: String, fields: HTTPFields = [:], body: [UInt8] = [],
        maximumReply: Int = 1 << 20, limit: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.maximumReply = maximumReply
        self.limit = limit
    }

    /// The remote's address, or the server's.
    package var addressForMessages: String { place ?? origin }

    /// `https://host:port`: the path may contain a key of the store, and the query a signature.
    package var origin: String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return "" }
        let end = url[start...].firstIndex { "/?".contains($0) } ?? url.endIndex
        return String(url[..<end])
    }
}

/// A server's reply.
package struct HTTPReply: Sendable {
    package var status: Int
    package var fields: HTTPFields
    package var body: [UInt8]

    package init(status: Int, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Whether the status is one of 200 to 299.
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// Whether the body is a web page, as a captive portal sends to every request.
    package var isWebPage: Bool {
        fields["Content-Type"]?.lowercased().hasPrefix("text/html") ?? false
    }
}

/// Sends requests: connections to servers, a stream to a far end, or a test's own implementation.
package protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole reply, whatever its status. A redirect is returned as a
    /// reply and never followed, so that credentials are sent to no other server.
    ///
    /// - Throws: `Failure` with code `away` when there is no complete reply, `not-allowed` when the
    ///   server's certificate is not trusted, `limit` when the reply is too long.
    func send(_ request: HTTPRequest) async throws -> HTTPReply

    /// Sends a request and passes on the reply's body as it arrives, until `receive` returns false. The
    /// first call has the status and fields and no bytes.
    ///
    /// - Throws: As ``send(_:)`` does, and what `receive` throws.
    func stream(
        _ request: HTTPRequest, _ receive: @Sendable (HTTPReply) async throws -> Bool
    ) async throws
}

/// The header fields of a request or a reply, in order. Names are case-insensitive.
package struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
    private(set) package var all: [(name: String, value: String)] = []

    package init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { (name: $0.0, value: $0.1) }
    }

    package init(_ fields: some Sequence<(String, String)>) {
        all = fields.map { (name: $0.0, value: $0.1) }
    }

    /// The first value of a field. Setting replaces all values; nil removes them.
    package subscript(name: String) -> String? {
        get { all.first { Self.isSame($0.name, name) }?.value }
        set {
            all.removeAll { Self.isSame($0.name, name) }
            if let newValue { all.append((name, newValue)) }
        }
    }

    /// All values of a field, in order.
    package func values(of name: String) -> [String] {
        all.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { lowercase($0) == lowercase($1) }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// The field `Content-Range`: `bytes first-last/size`, where the size may be `*`.
/// https://www.rfc-editor.org/rfc/rfc9110#section-14.4
package struct ContentRange: Hashable, Sendable {
    package var first: Int64
    package var last: Int64
    /// The size of the whole object in bytes; nil when unknown.
    package var size: Int64?

    /// Nil for a malformed value.
    package init?(_ text: String) {
        guard text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(ends[0]), let last = Int64(ends[1]),
            first >= 0, last >= first, last < .max
        else { return nil }
        self.first = first
        self.last = last
        if parts[1] != "*" {
            guard let size = Int64(parts[1]), size > last else { return nil }
            self.size = size
        }
    }
}
