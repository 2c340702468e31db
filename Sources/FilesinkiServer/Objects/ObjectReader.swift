import FilesinkiDirectory
import FilesinkiRemote
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers GET and HEAD of one object.
struct ObjectReader: Sendable {
    let remote: DirectoryRemote

    /// How much of an object is in memory at once, in bytes.
    static let piece = 256 << 10

    func reply(_ key: ObjectKey, _ request: HTTPRequest) async throws -> Reply {
        guard let object = try await remote.open(key) else { throw RequestError.notFound }
        let tag = "\"\(object.entityTag)\""
        var fields: HTTPFields = [
            .eTag: tag, .acceptRanges: "bytes", .contentType: "application/octet-stream",
            .cacheControl: "private",
        ]
        if let known = request.headerFields[.ifNoneMatch], Self.matches(known, tag) {
            return Reply(.notModified, fields: [.eTag: tag])
        }
        var range = 0..<object.size
        var status = HTTPResponse.Status.ok
        if let field = request.headerFields[.range], request.headerFields[.ifRange] == nil,
            let part = try ByteRange.parse(field, size: object.size)
        {
            fields[.contentRange] =
                "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(object.size)"
            range = part
            status = .partialContent
        }
        return Reply(status, fields: fields, body: Self.body(object, range))
    }

    /// The bytes of an object, piece by piece. Should they end too early, the connection is cut.
    static func body(_ object: StoredObject, _ range: Range<Int64>) -> Reply.Body {
        .stream(length: Int64(range.count)) { writer in
            try await write(object, range, to: &writer)
            try await writer.finish(nil)
        }
    }

    static func write(
        _ object: StoredObject, _ range: Range<Int64>, to writer: inout any ResponseBodyWriter
    ) async throws {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(min(Int64(piece), range.upperBound - offset))
            let bytes = try await object.read(from: offset, count: count)
            guard bytes.count == count else { throw CutReply() }
            try await writer.write(ByteBuffer(bytes: bytes))
            offset += Int64(count)
        }
    }

    private static func matches(_ field: String, _ tag: String) -> Bool {
        field == "*"
            || field.split(separator: ",").contains { $0.drop { $0 == " " } == tag }
    }
}

/// Ends a reply that cannot be completed: whoever throws it cuts the connection.
struct CutReply: Error {}
