import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import Synchronization

/// Reads objects from a WebDAV server.
struct WebDAVReader {
    let server: WebDAVServer

    /// The object's bytes, or those of `range` clamped to its size; nil when it is known to be absent.
    func read(_ key: ObjectKey, range: Range<Int64>? = nil) async throws -> [UInt8]? {
        let path = server.path(key)
        let range = range?.clamped(to: 0..<Int64.max)
        // HTTP has no empty range.
        if range?.isEmpty == true { return try await isFile(path) ? [] : nil }
        let body = ObjectBody(key.description, range: range)
        try await server.stream(request(path, range), path) { try body.receive($0) }
        guard let head = body.head else { throw noReply(key) }
        if head.mayIgnoreNames, try await !isFolder(path.parent) { return nil }
        switch head.status {
        case 200 where head.isWebPage:
            // The page of a captive portal, or a server's own listing of a collection.
            guard let found = try await server.properties(path) else {
                throw server.portalError
            }
            return found.own.isCollection ? nil : try body.checkedBytes()
        case 200, 206: return try body.checkedBytes()
        case 416 where range != nil: return []
        case 404, 410: return nil
        case _ where head.isRedirect(toCollection: path): return nil
        case 403, 405, 501:
            // Some servers reply so for a collection.
            if let found = try? await server.properties(path), found.own.isCollection { return nil }
            throw server.failure(head, key)
        default: throw server.failure(head, key)
        }
    }

    private func request(_ path: WebDAVPath, _ range: Range<Int64>?) -> HTTPRequest {
        // A slot that was empty a moment ago may be filled now: no cache may reply for the server.
        var request = HTTPRequest("GET", server.url(path), fields: ["Cache-Control": "no-cache"])
        let longest = Int(ObjectKey.maximumObjectSize)
        request.maximumReply = range.map { min($0.count, longest) } ?? longest
        if let range {
            // Not every server can parse the greatest number.
            let last = range.count > longest ? "" : "\(range.upperBound - 1)"
            request.fields["Range"] = "bytes=\(range.lowerBound)-\(last)"
        }
        return request
    }

    /// Whether the path is an object, not a collection.
    func isFile(_ path: WebDAVPath) async throws -> Bool {
        guard let found = try await server.properties(path) else { return false }
        return !found.own.isCollection
    }

    /// Whether the path is a collection; the server is asked once.
    private func isFolder(_ path: WebDAVPath?) async throws -> Bool {
        guard let path, path != server.top, !server.isKnown(path) else { return true }
        guard try await isFile(path.withoutSlash) else {
            server.remember(path)
            return true
        }
        return false
    }

    private func noReply(_ key: ObjectKey) -> Failure {
        Failure(
            .away, path: key.description, "No reply from the server.",
            remedy: "Run the command again.")
    }
}

extension HTTPReply {
    /// Whether the server may have ignored the last names of the path: lighttpd replies with the file
    /// `a/b` to a request for `a/b/c`.
    fileprivate var mayIgnoreNames: Bool {
        guard [200, 206, 416].contains(status) else { return false }
        return fields["Server"]?.lowercased().hasPrefix("lighttpd") ?? false
    }
}

/// The bytes of an object, or of a range of it, as the reply to `GET` arrives: checked against the
/// reply's own fields, and limited in size.
final class ObjectBody: Sendable {
    private struct State {
        var head: HTTPReply?
        var bytes: [UInt8] = []
        /// How many bytes of the reply precede the wanted ones.
        var skipped: Int64 = 0
        /// The most bytes that are wanted.
        var wanted: Int64
        /// How many bytes must arrive; nil when the reply does not say.
        var expected: Int64?
        /// How many bytes followed the wanted ones.
        var surplus = 0
    }

    private let key: String
    /// The requested range; nil for all.
    private let range: Range<Int64>?
    private let state: Mutex<State>

    /// An unwanted body is read up to this size, so that the connection can be reused.
    static let smallSurplus = 65_536

    init(_ key: String, range: Range<Int64>?) {
        self.key = key
        self.range = range
        let wanted = range.map { $0.upperBound - $0.lowerBound } ?? .max
        state = Mutex(State(wanted: min(wanted, ObjectKey.maximumObjectSize)))
    }

    /// The status and fields of the reply; nil before they arrived.
    var head: HTTPReply? { state.withLock { $0.head } }

    /// Adds the next part of the reply. The first has its status and fields.
    ///
    /// - Returns: Whether more is wanted.
    func receive(_ part: HTTPReply) throws(Failure) -> Bool {
        try state.withLock { state throws(Failure) in
            if state.head == nil {
                state.head = HTTPReply(status: part.status, fields: part.fields)
                try receiveHead(part, &state)
            }
            return try add(part.body[...], to: &state)
        }
    }

    /// The bytes.
    ///
    /// - Throws: `Failure` with code `away` when fewer arrived than the reply announced.
    func checkedBytes() throws(Failure) -> [UInt8] {
        let state = state.withLock { $0 }
        if let expected = state.expected, expected != Int64(state.bytes.count) {
            throw invalidReply("is incomplete: \(state.bytes.count) of \(expected) bytes")
        }
        return state.bytes
    }

    private func receiveHead(_ head: HTTPReply, _ state: inout State) throws(Failure) {
        switch head.status {
        case 200: try receiveHeadOfWhole(head, &state)
        case 206: try receiveHeadOfRange(head, &state)
        default: state.wanted = 0
        }
    }

    /// A server may ignore the range.
    private func receiveHeadOfWhole(_ head: HTTPReply, _ state: inout State) throws(Failure) {
        state.skipped = range?.lowerBound ?? 0
        guard let length = head.fields["Content-Length"].flatMap({ Int64($0) }) else { return }
        let rest = max(0, length - state.skipped)
        if range == nil, rest > state.wanted { throw .objectTooLarge(key) }
        state.expected = min(rest, state.wanted)
    }

    private func receiveHeadOfRange(_ head: HTTPReply, _ state: inout State) throws(Failure) {
        guard let range, let text = head.fields["Content-Range"],
            let part = ContentRange(text), part.first == range.lowerBound,
            part.last < range.upperBound
        else { throw invalidReply("contains other bytes than requested") }
        if let size = part.size, part.last + 1 < min(range.upperBound, size),
            part.last + 1 - part.first < state.wanted
        {
            throw invalidReply("contains fewer bytes than requested")
        }
        state.expected = part.last + 1 - part.first
    }

    private func add(_ part: ArraySlice<UInt8>, to state: inout State) throws(Failure) -> Bool {
        var part = part
        let skipped = min(state.skipped, Int64(part.count))
        state.skipped -= skipped
        part = part.dropFirst(Int(skipped))
        let taken = part.prefix(Int(clamping: state.wanted - Int64(state.bytes.count)))
        state.bytes += taken
        state.surplus += part.count - taken.count
        if state.surplus > 0, state.head?.status == 206 {
            throw invalidReply("contains more bytes than requested")
        }
        if state.surplus > 0, range == nil, state.head?.status == 200 {
            throw .objectTooLarge(key)
        }
        return state.surplus < Self.smallSurplus
    }

    private func invalidReply(_ reason: String) -> Failure {
        Failure(
            .away, path: key, "The server's reply \(reason).",
            remedy: "Run the command again. A proxy in between may be faulty.")
    }
}
