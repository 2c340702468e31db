import FilesinkiProtocol
import HTTPTypes
import Hummingbird
import NIOCore

/// The answer to a request, before it is on its way.
struct Reply: Sendable {
    enum Body: Sendable {
        case none
        case bytes(ByteBuffer)
        /// Written piece by piece; the length when it is known. What is thrown cuts the connection.
        case stream(length: Int64?, @Sendable (inout any ResponseBodyWriter) async throws -> Void)
    }

    var status: HTTPResponse.Status
    var fields: HTTPFields = [:]
    var body: Body = .none
    /// What the reply takes of its client's share until it is written.
    var share: RequestShare?

    init(_ status: HTTPResponse.Status, fields: HTTPFields = [:], body: Body = .none) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A reply of a few lines of text.
    init(_ status: HTTPResponse.Status, text: [UInt8], type: String = "text/plain; charset=utf-8") {
        self.init(status, fields: [.contentType: type], body: .bytes(ByteBuffer(bytes: text)))
    }

    init(_ refusal: RequestError) {
        self.init(
            refusal.status, text: Array(refusal.error.encoded.utf8), type: "application/json")
        for field in refusal.fields { fields.append(field) }
    }
}

extension HTTPField.Name {
    /// A name of ours; each is made of letters and `-` only, so that there always is one.
    private static func own(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .server
    }

    /// Tells nginx to pass notices on at once.
    static let acceleratedBuffering = own("X-Accel-Buffering")
    static let protocolVersion = own(WireHeaders.version)
    static let contentDigest = own(WireHeaders.digest)
    static let uploadID = own(WireHeaders.uploadID)
    static let uploadOffset = own(WireHeaders.uploadOffset)
    static let maximumObject = own(WireHeaders.maximumObject)
}
