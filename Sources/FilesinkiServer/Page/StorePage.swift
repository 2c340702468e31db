package import FilesinkiModel
import FilesinkiProtocol
package import FilesinkiText
import HTTPTypes
import Hummingbird
import NIOCore

/// What the page of a store shows. The server does not know what is in a store.
package struct StorePageSource: Sendable {
    /// A content, piece by piece.
    package struct Content: Sendable {
        /// In bytes.
        package var size: Int64
        /// The next piece; nil at the end.
        package var next: @Sendable () async throws -> [UInt8]?

        package init(size: Int64, next: @escaping @Sendable () async throws -> [UInt8]?) {
            self.size = size
            self.next = next
        }
    }

    /// The zone whose readers may see the page.
    package var zone: String
    /// The prefix of the keys of which a new one changes what the page shows.
    package var watchedPrefix: String
    /// Answers a call with lines of JSON; nil for an unknown one.
    package var answer: @Sendable (_ name: String, CallArguments) async throws -> [[UInt8]]?
    /// The content of a version of a path.
    package var content: @Sendable (_ path: RelativePath, _ version: UInt64) async throws -> Content

    package init(
        zone: String, watchedPrefix: String,
        answer: @escaping @Sendable (_ name: String, CallArguments) async throws -> [[UInt8]]?,
        content:
            @escaping @Sendable (_ path: RelativePath, _ version: UInt64) async throws -> Content
    ) {
        self.zone = zone
        self.watchedPrefix = watchedPrefix
        self.answer = answer
        self.content = content
    }
}

/// Replies to the requests of a store's page, below `/ui/`: who signs in with a token that may read sees what the
/// token's zone holds. Nothing can be changed.
struct StorePage: Sendable {
    private let files = PageFiles.ofStore
    let source: StorePageSource
    let authority: TokenAuthority
    let hub: ChangeHub
    let sessions: PageSessions
    /// Of one token.
    private let calls = RequestLimiter(limit: 8)
    /// Wrong tokens of one address that are being delayed.
    private let wrongTokens: RequestLimiter
    private let limits: ServerLimits
    private let clock: @Sendable () -> Duration
    private let isEncrypted: Bool
    /// Cookies do not know ports: two servers of one host must not use the same name.
    private let cookie: String
    private let systemContext: SystemContext

    private static let root = "/ui"
    private static let maximumToken = 256
    private static let maximumArguments = 64 << 10

    init(
        _ source: StorePageSource, _ settings: ServerSettings, _ authority: TokenAuthority,
        _ hub: ChangeHub, _ systemContext: SystemContext
    ) {
        self.source = source
        self.authority = authority
        self.hub = hub
        self.systemContext = systemContext
        limits = settings.limits
        clock = settings.clock
        isEncrypted = settings.tls != .none
        cookie = "filesinki-ui-\(settings.port)"
        sessions = PageSessions(settings.limits, clock: settings.clock, systemContext)
        wrongTokens = RequestLimiter(limit: settings.limits.wrongTokensOfOne)
    }

    /// Whether a path is one of the page.
    static func contains(_ path: some StringProtocol) -> Bool {
        path == "/" || path == root || path.hasPrefix(root + "/")
    }

    /// - Parameter tokenID: Receives the token of the session, for the log.
    func reply(
        to request: Request, _ context: ServerContext, tokenID: inout String?
    ) async -> (reply: Reply, note: String?) {
        var result: (reply: Reply, note: String?)
        do {
            result = (try await reply(to: request, context, &tokenID), nil)
        } catch let error as RequestError {
            result = (Reply(error), nil)
        } catch let failure as Failure {
            result = (Reply(Self.error(of: failure)), failure.message)
        } catch {
            result = (Reply(.badRequest), "\(type(of: error))")
        }
        files.policy.apply(to: &result.reply.fields)
        return result
    }

    private func reply(
        to request: Request, _ context: ServerContext, _ tokenID: inout String?
    ) async throws -> Reply {
        if request.headers[.transferEncoding] != nil { throw RequestError.noLength }
        let target = request.head.path ?? ""
        let path = target.prefix { $0 != "?" }
        let isOutside = path == "/" || path == Self.root
        let name = isOutside ? "" : String(path.dropFirst(Self.root.count + 1))
        if let file = files[name] {
            guard [.get, .head].contains(request.method) else { throw RequestError.noMethod }
            // Relative, so that the page works behind a proxy that has it elsewhere.
            if isOutside { return Reply(.found, fields: [.location: "ui/"]) }
            return Reply(.ok, text: file.bytes, type: file.type)
        }
        guard PagePolicy.isOwn(request.head) else { throw RequestError.otherSite }
        if name == "session", request.method == .post { return try await signIn(request, context) }
        guard let access = sessions.access(of: request.headers, cookie: cookie) else {
            throw RequestError.noSession
        }
        tokenID = access.tokenID
        guard authority.isCurrent(access) else {
            sessions.end(of: request.headers, cookie: cookie)
            throw RequestError.noSession
        }
        return try await reply(name, target, access, request, context)
    }

    /// Replies to a request of a session.
    private func reply(
        _ name: String, _ target: String, _ access: Access, _ request: Request,
        _ context: ServerContext
    ) async throws -> Reply {
        if name == "session" { return try session(access, request) }
        if name == "changes" {
            try Self.require(.get, request)
            return try changes(access, context)
        }
        let permit = try calls.beginRequest(access.tokenID ?? "")
        var reply: Reply
        if name == "content" {
            try Self.require(.get, request)
            let query = target.drop { $0 != "?" }.dropFirst()
            reply = try await content(try Query(query))
        } else if name.hasPrefix("call/") {
            try Self.require(.post, request)
            let body = try await body(of: request, limit: Self.maximumArguments)
            reply = try await call(String(name.dropFirst("call/".count)), body)
        } else {
            throw RequestError.notFound
        }
        reply.permit = permit
        return reply
    }

    private static func require(
        _ method: HTTPRequest.Method, _ request: Request
    ) throws(RequestError) {
        guard request.method == method else { throw .noMethod }
    }

    // MARK: Sessions

    /// Exchanges a token for a session.
    private func signIn(_ request: Request, _ context: ServerContext) async throws -> Reply {
        let text = String(
            decoding: try await body(of: request, limit: Self.maximumToken), as: UTF8.self)
        let token = text.split(whereSeparator: \.isWhitespace).joined()
        guard let access = try authority.access("Bearer " + token) else {
            let owner = ConnectionCounter.owner(of: context.address)
            let permit = try wrongTokens.beginRequest(owner)
            try await systemContext.sleep(limits.wrongTokenTime)
            return withExtendedLifetime(permit) { Reply(RequestError.wrongToken) }
        }
        // A server without tokens trusts whoever reaches it, a browser with pages of other sites not excluded.
        guard access.tokenID != nil else { throw RequestError.noTokens }
        guard access.rights.contains(.read) else { throw RequestError.noReading }
        guard access.mayReadLog(of: source.zone) else { throw RequestError.otherZone }
        var reply = try session(access)
        reply.fields[.setCookie] = setCookie(
            sessions.begin(access), "Max-Age=\(limits.sessionTime.components.seconds)", request)
        return reply
    }

    /// Without a path: a browser then limits the cookie to the folder of this request, also behind a proxy.
    private func setCookie(_ value: String, _ age: String, _ request: Request) -> String {
        let isSecure = isEncrypted || request.headers[.forwardedProtocol] == "https"
        let end = isSecure ? "; Secure" : ""
        return "\(cookie)=\(value); \(age); HttpOnly; SameSite=Strict" + end
    }

    private func session(_ access: Access, _ request: Request) throws -> Reply {
        switch request.method {
        case .get: return try session(access)
        case .delete:
            sessions.end(of: request.headers, cookie: cookie)
            return Reply(.noContent, fields: [.setCookie: setCookie("", "Max-Age=0", request)])
        default: throw RequestError.noMethod
        }
    }

    private func session(_ access: Access) throws -> Reply {
        var object: JSONObject = ["type": "session"]
        object.add("token", access.tokenID)
        object.add("name", try access.tokenID.flatMap { try authority.names()[$0] })
        let rights = AccessRight.allCases.filter(access.rights.contains)
        object.add("rights", .array(rights.map { .string($0.rawValue) }))
        return Reply(.ok, text: object.bytes, type: "application/json")
    }

    // MARK: What a session sees

    private func call(_ name: String, _ body: [UInt8]) async throws -> Reply {
        guard let lines = try await source.answer(name, CallArguments(body)) else {
            throw RequestError.notFound
        }
        var object: JSONObject = [:]
        object.add("lines", .array(lines.map { .written($0) }))
        return Reply(.ok, text: object.bytes, type: "application/json")
    }

    /// A content, which the browser saves to a file: it never shows it by itself.
    private func content(_ query: Query) async throws -> Reply {
        guard let path = query["path"].flatMap({ bytes(hexadecimal: $0) }),
            let version = query["version"].flatMap({ UInt64($0) })
        else { throw RequestError.badRequest("path and version are missing.") }
        let content = try await source.content(try RelativePath(path), version)
        return Reply(
            .ok,
            fields: [
                .contentType: "application/octet-stream", .contentDisposition: "attachment",
            ],
            body: .stream(length: content.size) { writer in
                while let piece = try await content.next() {
                    var left = ByteBuffer(bytes: piece)
                    while let part = left.readSlice(
                        length: min(left.readableBytes, ObjectReader.pieceSize)),
                        part.readableBytes > 0
                    {
                        try await writer.write(part)
                    }
                }
                try await writer.finish(nil)
            })
    }

    private func changes(_ access: Access, _ context: ServerContext) throws(RequestError) -> Reply {
        let (notices, end) = try hub.watch(
            source.watchedPrefix, access, owner: access.tokenID ?? "")
        context.whenClosed(end)
        return Reply(
            .ok,
            fields: [
                .contentType: "text/event-stream", .acceleratedBuffering: "no",
            ],
            body: .stream(length: nil) { writer in
                defer { end() }
                try await writer.write(ByteBuffer(string: ChangeNotice.hello.encoded))
                for await notice in notices { try await writer.write(notice) }
                try await writer.finish(nil)
            })
    }

    private func body(of request: Request, limit: Int) async throws -> [UInt8] {
        guard let length = request.headers[.contentLength].flatMap({ Int($0) }) else {
            throw RequestError.noLength
        }
        guard length <= limit else { throw RequestError.tooLarge }
        var pieces = PacedBody(request.body, limits, clock)
        return try await pieces.collect(upTo: limit)
    }

    /// What is told of a failure: not the paths of the server.
    private static func error(of failure: Failure) -> RequestError {
        switch failure.code {
        case .notFound: RequestError(.notFound, .notFound, failure.message)
        case .wrongStore, .newerFormat, .tokenExpired:
            RequestError(.internalServerError, .broken, failure.message)
        default: RequestError(failure)
        }
    }
}

extension RequestError {
    fileprivate static let noSession = RequestError(
        .unauthorized, .noToken, "Sign in with a token.")

    fileprivate static let wrongToken = RequestError(
        .unauthorized, .noToken, "The token is not known here.")

    fileprivate static let otherSite = RequestError(
        .forbidden, .forbidden, "The request was made by another site.")

    fileprivate static let noTokens = RequestError(
        .forbidden, .forbidden,
        "This server has no tokens yet. Create one with filesinki serve token make.")

    fileprivate static let noReading = RequestError(
        .forbidden, .forbidden, "The token does not have the right to read.")

    fileprivate static let otherZone = RequestError(
        .forbidden, .forbidden, "The token does not include the zone of files.")
}

extension HTTPField.Name {
    fileprivate static let forwardedProtocol = own("X-Forwarded-Proto")
}
