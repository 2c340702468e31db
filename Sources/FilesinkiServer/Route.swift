import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import FilesinkiText
import HTTPTypes

/// The operation that a request's path and query name.
enum Route: Hashable, Sendable {
    case object(ObjectKey)
    case upload(UploadID)
    case list(prefix: String, after: ObjectKey?, limit: Int)
    case read
    case has
    case log(zone: String, from: UInt64, limit: Int)
    case events(prefix: String)
    case health
    case metrics

    /// Parses the target of a request.
    ///
    /// Everything that becomes a file path is parsed as an ``FilesinkiRemote/ObjectKey``, which has no names
    /// that begin with a dot, no escapes and no empty names.
    ///
    /// - Throws: ``RequestError``: 400 for a malformed target, 404 for an unknown path.
    init(_ target: String) throws(RequestError) {
        guard target.utf8.first == UInt8(ascii: "/") else { throw .badRequest(Self.notAPath) }
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let path = target[..<end]
        guard path.utf8.allSatisfy(Self.isPlain) else { throw .badKey }
        let query = try Query(target[end...].dropFirst())
        self = try Self.route(path, query)
    }

    private static func route(
        _ path: Substring, _ query: Query
    ) throws(RequestError) -> Route {
        if path.hasPrefix(WirePaths.objects) {
            return .object(try key(path.dropFirst(WirePaths.objects.count)))
        }
        if path.hasPrefix(WirePaths.uploads) {
            guard let id = UploadID(path.dropFirst(WirePaths.uploads.count)) else {
                throw .badRequest("Invalid upload id.")
            }
            return .upload(id)
        }
        if path.hasPrefix(WirePaths.log) {
            return try log(path.dropFirst(WirePaths.log.count), query)
        }
        switch path {
        case WirePaths.list: return try list(query)
        case WirePaths.read: return .read
        case WirePaths.has: return .has
        case WirePaths.events: return .events(prefix: try prefix(query))
        case WirePaths.health: return .health
        case WirePaths.metrics: return .metrics
        default:
            throw RequestError(.notFound, .notFound, "Path not found.")
                .with(.requestPath, WireHeaders.pathUnknown)
        }
    }

    private static func list(_ query: Query) throws(RequestError) -> Route {
        var after: ObjectKey?
        if let text = query["after"] { after = try key(text[...]) }
        return .list(
            prefix: try prefix(query), after: after,
            limit: try limit(query, WireLimits.listLines))
    }

    private static func log(_ zone: Substring, _ query: Query) throws(RequestError) -> Route {
        // Keys are at most 512 bytes; the longest zone leaves room for the rest.
        guard !zone.contains("/"), zone.utf8.count <= 64 else { throw .badKey }
        _ = try key(zone)
        guard let from = UInt64(query["from"] ?? "0") else {
            throw .badRequest("from is not a number.")
        }
        return .log(
            zone: String(zone), from: from, limit: try limit(query, WireLimits.logFrames))
    }

    private static func key(_ text: Substring) throws(RequestError) -> ObjectKey {
        guard let key = try? ObjectKey(String(text)) else { throw .badKey }
        return key
    }

    private static func prefix(_ query: Query) throws(RequestError) -> String {
        try checked(prefix: query["prefix"] ?? "")
    }

    /// - Throws: ``RequestError`` with 400 when no key can begin with the prefix.
    static func checked(prefix: String) throws(RequestError) -> String {
        let bare = prefix.hasSuffix("/") ? prefix.dropLast() : prefix[...]
        if !prefix.isEmpty { _ = try key(bare) }
        return prefix
    }

    private static func limit(_ query: Query, _ maximum: Int) throws(RequestError) -> Int {
        guard let text = query["limit"] else { return maximum }
        guard let limit = Int(text), limit > 0 else { throw .badRequest("limit is not a number.") }
        return min(limit, maximum)
    }

    private static let notAPath = "The target of the request is not a path."

    /// Whether a byte is allowed in a path.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

/// The fields after the `?` of a target.
struct Query {
    private var fields: [String: String] = [:]

    /// - Throws: ``RequestError`` with 400 for a malformed or repeated field.
    init(_ text: Substring) throws(RequestError) {
        for field in text.split(separator: "&") {
            let sides = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let value = PercentCoding.decodedText(sides[1]),
                fields.updateValue(value, forKey: String(sides[0])) == nil
            else { throw .badRequest("Malformed query.") }
        }
    }

    subscript(_ name: String) -> String? { fields[name] }
}
