import FilesinkiDirectory
import FilesinkiProtocol
import FilesinkiRemote
import HTTPTypes
import Hummingbird
import NIOCore

/// Replies to GET and HEAD of an object.
struct ObjectReader: Sendable {
    let remote: DirectoryRemote

    /// The size of the pieces in which objects are read, in bytes.
    static let pieceSize = 256 << 10

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

    /// The bytes of an object, in pieces. If the file is shorter, the connection is cut.
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
            let count = Int(min(Int64(pieceSize), range.upperBound - offset))
            let bytes = try await object.read(from: offset, count: count)
            guard bytes.count == count else { throw CutReplyError() }
            try await writer.write(ByteBuffer(bytes: bytes))
            offset += Int64(count)
        }
    }

    private static func matches(_ field: String, _ tag: String) -> Bool {
        field == "*"
            || field.split(separator: ",").contains { $0.drop { $0 == " " } == tag }
    }
}

/// Cuts the connection, because the reply cannot be completed.
struct CutReplyError: Error {}

/// The one range of a `Range` field: https://www.rfc-editor.org/rfc/rfc9110#section-14.1.2
enum ByteRange {
    /// The bytes of an object of `size` bytes that the field requests.
    ///
    /// - Returns: Nil for all bytes, as for an unknown unit.
    /// - Throws: ``RequestError``: 400 for several ranges or none, 416 for one after the end.
    static func parse(_ field: String, size: Int64) throws(RequestError) -> Range<Int64>? {
        guard field.hasPrefix("bytes=") else { return nil }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else {
            throw .badRequest("Malformed range, or several ranges.")
        }
        switch (first, last) {
        case (nil, nil): throw .badRequest("Malformed range, or several ranges.")
        case (nil, let count?):
            guard count > 0, size > 0 else { throw afterEndError(size) }
            return max(0, size - count)..<size
        case (let start?, let last):
            if let last, last < start { throw .badRequest("The range ends before it begins.") }
            guard start < size else { throw afterEndError(size) }
            // The last byte is inclusive, and may be after the end.
            return start..<min(last.map { $0 == .max ? $0 : $0 + 1 } ?? size, size)
        }
    }

    /// The number; an inner nil for an empty text, an outer nil for anything else.
    private static func number(_ text: Substring) -> Int64?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int64(text) else {
            return nil
        }
        return .some(number)
    }

    private static func afterEndError(_ size: Int64) -> RequestError {
        RequestError(
            .rangeNotSatisfiable, .badRange, "The range begins after the object's end."
        )
        .with(.contentRange, "bytes */\(size)")
    }
}
