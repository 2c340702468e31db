import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import FilesinkiWebDAV
import Synchronization

/// A WebDAV server in memory, with the habits of the ones that are out there.
final class MemoryDAV: HTTPTransport {
    /// What servers do in different ways.
    struct Habits: Sendable, CustomStringConvertible {
        var description = "by the book"
        /// To who moved something to its place, and to who was refused.
        var won = 201
        var lost = 412
        /// To who makes something in a collection that there is not.
        var orphaned = 409
        /// Whether a range is ignored.
        var sendsAll = false
        /// The status and fields for a `GET` of a collection.
        var collection: @Sendable (_ path: String) -> HTTPReply = {
            HTTPReply(status: 301, fields: ["Location": $0 + "/"])
        }
        /// How a path is written in a listing.
        var href: @Sendable (_ path: String) -> String = { $0 }
        /// The `Destination`s that are understood.
        var understands: @Sendable (_ destination: String) -> Bool = { _ in true }
        /// To who sends another one.
        var misunderstood = 502
        /// The properties of a collection.
        var properties: @Sendable (_ changes: Int) -> String = {
            "<D:getetag>\"\($0)\"</D:getetag>"
        }
        /// When a member was modified; nil for a server that does not tell.
        var modified: @Sendable (_ path: String) -> String? = { _ in nil }
        var date: @Sendable () -> String = { "later" }
    }

    private enum Node {
        /// Its path ends with a slash.
        case collection
        case file([UInt8])

        init(_ bytes: [UInt8]?) { self = bytes.map(Node.file) ?? .collection }
    }

    private struct State {
        var nodes: [String: Node] = ["/": .collection]
        var requests: [HTTPRequest] = []
        var changes = 0
    }

    let habits: Habits
    /// Asked before the server is; what it gives is the answer.
    let interception: @Sendable (HTTPRequest) throws -> HTTPReply?
    private let state = Mutex(State())

    init(
        _ habits: Habits = Habits(),
        interception: @escaping @Sendable (HTTPRequest) throws -> HTTPReply? = { _ in nil }
    ) {
        self.habits = habits
        self.interception = interception
    }

    /// What was asked, in order.
    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var methods: [String] { requests.map(\.method) }
    /// The paths of all that is there, in order.
    var paths: [String] { state.withLock { $0.nodes.keys.sorted() } }

    /// Adds a file without a request; a collection for nil.
    func place(_ bytes: [UInt8]?, at path: String) {
        state.withLock { state in
            var parent = ""
            for name in path.split(separator: "/").dropLast() {
                parent += "/" + name
                state.nodes[parent + "/"] = .collection
            }
            state.nodes[path] = Node(bytes)
        }
    }

    func forgetRequests() { state.withLock { $0.requests = [] } }

    func send(_ request: HTTPRequest) async throws -> HTTPReply {
        state.withLock { $0.requests.append(request) }
        if let reply = try interception(request) { return reply }
        return answer(request)
    }

    func stream(
        _ request: HTTPRequest, _ receive: @Sendable (HTTPReply) async throws -> Bool
    ) async throws {
        let reply = try await send(request)
        guard try await receive(HTTPReply(status: reply.status, fields: reply.fields)) else {
            return
        }
        for start in stride(from: 0, to: reply.body.count, by: 1000) {
            let part = Array(reply.body[start..<min(start + 1000, reply.body.count)])
            let more = try await receive(
                HTTPReply(status: reply.status, fields: reply.fields, body: part))
            guard more else { return }
        }
    }

    /// What the server itself does with a request.
    func answer(_ request: HTTPRequest) -> HTTPReply {
        let path = Self.path(request.url)
        return state.withLock { state in
            switch request.method {
            case "GET": get(path, request, state)
            case "PUT": make(path, request.body, &state)
            case "MKCOL": make(path, nil, &state)
            case "DELETE": delete(path, &state)
            case "MOVE": move(path, request, &state)
            case "PROPFIND": list(path, request, state)
            default: .init(status: 501)
            }
        }
    }

    static func path(_ url: String) -> String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return String(rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...])
    }

    /// The store at the top of the server.
    func remote(
        _ address: String = "http://localhost/dav", credentials: Credentials = .none,
        from origin: CredentialOrigin = .none(file: nil),
        systemContext: SystemContext = ManualClock().systemContext, allowsInsecure: Bool = false
    ) throws -> WebDAVRemote {
        WebDAVRemote(
            address: try WebAddress(address, schemes: ["http": false, "https": true]),
            transport: self, credentials: credentials, from: origin, systemContext: systemContext,
            allowsInsecure: allowsInsecure)
    }
}

extension MemoryDAV {
    private func get(_ path: String, _ request: HTTPRequest, _ state: State) -> HTTPReply {
        if state.nodes[path + "/"] != nil { return habits.collection(path) }
        guard case .file(let bytes) = state.nodes[path] else { return .init(status: 404) }
        guard let range = request.fields["Range"], !habits.sendsAll else {
            return HTTPReply(
                status: 200, fields: ["Content-Length": "\(bytes.count)"], body: bytes)
        }
        let ends = range.dropFirst(6).split(separator: "-").compactMap { Int64($0) }
        guard let first = ends.first, first < bytes.count else { return .init(status: 416) }
        let last = min(ends.count > 1 ? ends[1] : .max, Int64(bytes.count) - 1)
        return HTTPReply(
            status: 206, fields: ["Content-Range": "bytes \(first)-\(last)/\(bytes.count)"],
            body: Array(bytes[Int(first)...Int(last)]))
    }

    private func parent(_ path: String) -> String {
        let slash = path.dropLast().lastIndex(of: "/") ?? path.startIndex
        return String(path[...slash])
    }

    private func make(_ path: String, _ bytes: [UInt8]?, _ state: inout State) -> HTTPReply {
        guard state.nodes[parent(path)] != nil else { return .init(status: habits.orphaned) }
        let isTaken = bytes == nil ? state.nodes[path] != nil : state.nodes[path + "/"] != nil
        guard !isTaken else { return .init(status: 405) }
        state.nodes[path] = Node(bytes)
        state.changes += 1
        return .init(status: 201)
    }

    private func delete(_ path: String, _ state: inout State) -> HTTPReply {
        let collection = path.hasSuffix("/") ? path : path + "/"
        let there = state.nodes.keys.filter { $0 == path || $0.hasPrefix(collection) }
        for key in there { state.nodes[key] = nil }
        state.changes += 1
        return .init(status: there.isEmpty ? 404 : 204)
    }

    private func move(_ path: String, _ request: HTTPRequest, _ state: inout State) -> HTTPReply {
        let destination = request.fields["Destination"] ?? ""
        guard habits.understands(destination) else { return .init(status: habits.misunderstood) }
        let place = Self.path(destination)
        let there = state.nodes.keys.filter {
            $0 == path || path.hasSuffix("/") && $0.hasPrefix(path)
        }
        guard !there.isEmpty else { return .init(status: 404) }
        guard state.nodes[parent(place)] != nil else { return .init(status: habits.orphaned) }
        if state.nodes[place] != nil {
            guard request.fields["Overwrite"] == "T" else { return .init(status: habits.lost) }
            _ = delete(place, &state)
        }
        for key in there {
            state.nodes[place + key.dropFirst(path.count)] = state.nodes[key]
            state.nodes[key] = nil
        }
        state.changes += 1
        return .init(status: habits.won)
    }

    private func list(_ path: String, _ request: HTTPRequest, _ state: State) -> HTTPReply {
        let own = state.nodes[path] != nil ? path : path + "/"
        guard state.nodes[own] != nil else { return .init(status: 404) }
        var shown = [own]
        if request.fields["Depth"] == "1", own.hasSuffix("/") {
            shown += state.nodes.keys.filter { $0 != own && parent($0) == own }
        }
        let responses = shown.map { shown in
            var properties = "<D:resourcetype/>"
            if case .file(let bytes) = state.nodes[shown] {
                properties += "<D:getcontentlength>\(bytes.count)</D:getcontentlength>"
            } else {
                properties =
                    "<D:resourcetype><D:collection/></D:resourcetype>"
                    + habits.properties(state.changes)
            }
            if let modified = habits.modified(shown) {
                properties += "<D:getlastmodified>\(modified)</D:getlastmodified>"
            }
            return "<D:response><D:href>\(habits.href(shown))</D:href><D:propstat><D:prop>"
                + "\(properties)</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>"
                + "<D:propstat><D:prop><D:getcontentlength>7</D:getcontentlength></D:prop>"
                + "<D:status>HTTP/1.1 404 Not Found</D:status></D:propstat></D:response>"
        }
        let text =
            "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(responses.joined())"
            + "</D:multistatus>"
        return HTTPReply(
            status: 207, fields: ["Content-Type": "application/xml", "Date": habits.date()],
            body: Array(text.utf8))
    }
}

/// A page as a captive portal sends it.
let page = HTTPReply(
    status: 200, fields: ["Content-Type": "text/html; charset=utf-8"],
    body: Array("<html><body>Log in</body></html>".utf8))

/// The key, which the test has written right.
func key(_ text: String) throws -> ObjectKey { try ObjectKey(text) }

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The code of the failure that the body throws; nil when it throws none.
func code(_ body: () async throws -> Void) async -> Failure.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? Failure)?.code
    }
}
