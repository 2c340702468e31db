import FilesinkiDirectory
import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Replies to requests: parses and authenticates each one, and dispatches it.
struct StoreResponder: HTTPResponder {
    typealias Context = ServerContext

    let remote: DirectoryRemote
    let authority: TokenAuthority
    let owners: DeviceOwners
    let writer: ObjectWriter
    let hub: ChangeHub
    let quota: Quota
    let metrics: ServerMetrics
    let log: AccessLog
    let faults: FaultInjector
    let limits: ServerLimits
    let limiter: RequestLimiter
    /// As in ``ServerSettings``, like the next one.
    let misplacement: MisplacedStore?
    let createsFolder: Bool
    /// Nil for a server without a page.
    let page: StorePage?
    let systemContext: SystemContext

    /// An authenticated request.
    struct AuthenticatedRequest: Sendable {
        var request: Request
        var context: ServerContext
        var access: Access = .all
    }

    func respond(to request: Request, context: ServerContext) async -> Response {
        let target = request.head.path ?? ""
        var entry = AccessLog.Entry(
            address: context.address, method: request.method.rawValue,
            path: String(target.prefix { $0 != "?" }), started: ContinuousClock().now)
        let fault = faults.next(method: entry.method, path: target)
        var note: String?
        var reply: Reply
        do {
            if let injected = try Self.injectedReply(fault, context) {
                reply = injected
            } else if let page, StorePage.contains(entry.path) {
                (reply, note) = await page.reply(to: request, context, tokenID: &entry.tokenID)
            } else {
                reply = try await self.reply(to: request, context, &entry)
            }
        } catch {
            (reply, note) = Self.errorReply(error)
        }
        if fault == .drop { context.closeConnection() }
        metrics.countRequest(entry.method, reply.status.code)
        return response(for: reply, request, context, entry, fault, note)
    }

    /// The reply of a fault that occurs before the request is executed.
    private static func injectedReply(
        _ fault: ServerFaults.Fault?, _ context: ServerContext
    ) throws -> Reply? {
        switch fault {
        case .status(let code):
            var error = RequestError.busy("Injected fault.")
            error.status = HTTPResponse.Status(code: code)
            return Reply(error)
        case .deaf:
            context.closeConnection()
            throw CutReplyError()
        case .cut, .drop, nil: return nil
        }
    }

    /// The reply for an error, and the note in the log.
    private static func errorReply(_ error: any Error) -> (Reply, note: String?) {
        switch error {
        case let error as RequestError: (Reply(error), error.note)
        case let failure as Failure: (Reply(RequestError(failure)), failure.message)
        case is CutReplyError: (Reply(.badRequest), "cut")
        // Only the type of other errors, because a description could contain what a client sent.
        default: (Reply(.badRequest), "\(type(of: error))")
        }
    }

    private func reply(
        to request: Request, _ context: ServerContext, _ entry: inout AccessLog.Entry
    ) async throws -> Reply {
        if request.headers[.transferEncoding] != nil { throw RequestError.noLength }
        let route = try Route(request.head.path ?? "")
        if route == .health { return try await healthReply(request) }
        guard let access = try authority.access(request.headers[.authorization]) else {
            // The tokens may be in the folder that is gone: they are not revoked.
            throw ServedStore(remote.address).isThere
                ? RequestError.noToken : RequestError.missingFolder
        }
        if let misplacement, createsFolder { throw RequestError.misplaced(misplacement) }
        entry.tokenID = access.tokenID
        let client = AuthenticatedRequest(request: request, context: context, access: access)
        do {
            // Event streams have a limit of their own.
            if case .events = route { return try await reply(to: route, client) }
            let permit = try limiter.beginRequest(client.owner)
            var reply = try await self.reply(to: route, client)
            reply.permit = permit
            return reply
        } catch let error as RequestError
            where access.isAnonymous && error.status == .forbidden && error.body.code != .closed
        {
            // A token may help.
            throw RequestError.noToken
        }
    }

    private func reply(to route: Route, _ client: AuthenticatedRequest) async throws -> Reply {
        switch route {
        case .object(let key): return try await objectReply(key, client)
        case .upload(let id):
            try client.require(.append, [.head, .get])
            return try await uploadReply(id)
        case .list(let prefix, let after, let limit):
            try client.require(.read, [.get])
            return try await ListingReader(remote: remote, access: client.access)
                .reply(prefix: prefix, after: after, limit: limit)
        case .read:
            try client.require(.read, [.post])
            return try await readReply(client)
        case .has:
            try client.require(.read, [.post])
            return try await hasReply(client)
        case .log(let zone, let from, let limit):
            try client.require(.read, [.get])
            guard client.access.mayReadLog(of: zone) else { throw RequestError.forbidden }
            return try await BatchReader(remote, logOf: zone, from: from, limit: limit).reply()
        case .events(let prefix):
            try client.require(.read, [.get])
            return try eventsReply(prefix, client)
        case .health: return try await healthReply(client.request)
        case .metrics:
            try client.require(.read, [.get])
            guard !client.access.isAnonymous else { throw RequestError.noToken }
            return metricsReply()
        }
    }

    private func objectReply(_ key: ObjectKey, _ client: AuthenticatedRequest) async throws -> Reply
    {
        switch client.request.method {
        case .get, .head:
            guard client.access.allows(.read, key) else { throw RequestError.forbidden }
            return try await ObjectReader(remote: remote).reply(key, client.request.head)
        case .put:
            guard client.access.mayPut(key) else { throw client.access.refusal }
            if let misplacement { throw RequestError.misplaced(misplacement) }
            let put = try writer.parseRequest(key, client.request.head)
            try owners.claim(key, client.access)
            var (reply, hasChanged) = try await RequestError.whileWriting {
                try await writer.reply(put, client.request.body, owner: client.owner)
            }
            if hasChanged { hub.reportChange(key.description) }
            if let search = put.search { reply.fields[.found] = await find(search, client.access) }
            return reply
        case .delete:
            guard client.access.mayDelete(key) else { throw client.access.refusal }
            try owners.checkDeletion(key, client.access)
            quota.subtract(try await RequestError.whileWriting { try await remote.remove(key) })
            hub.reportChange(key.description)
            return Reply(.noContent)
        default: throw RequestError.noMethod
        }
    }

    /// What a search finds; nil when the client may not know, or the folder cannot be read: it then asks
    /// again, and is told why.
    private func find(_ search: KeySearch, _ access: Access) async -> String? {
        guard access.rights.contains(.read), access.includes(prefix: search.prefix) else {
            return nil
        }
        do {
            guard let found = try await remote.find(search) else { return WireHeaders.foundNothing }
            return access.allows(.read, found) ? found.description : nil
        } catch { return nil }
    }

    private func uploadReply(_ id: UploadID) async throws -> Reply {
        try writer.uploads.end(id)
        guard let count = try await remote.stagedBytes(id.description) else {
            throw RequestError.notFound
        }
        return Reply(.ok, fields: [.uploadOffset: String(count), .cacheControl: "no-store"])
    }

    private func readReply(_ client: AuthenticatedRequest) async throws -> Reply {
        let requests = try ReadLines.decode(try await batchBody(client.request))
        guard requests.allSatisfy({ client.access.allows(.read, $0.key) }) else {
            throw RequestError.forbidden
        }
        return try await BatchReader(remote, requests).reply()
    }

    private func hasReply(_ client: AuthenticatedRequest) async throws -> Reply {
        let keys = try KeyLines.decode(try await batchBody(client.request))
        guard keys.allSatisfy({ client.access.allows(.read, $0) }) else {
            throw RequestError.forbidden
        }
        return Reply(.ok, text: KeyLines.encode(answers: try await remote.has(keys)))
    }

    /// The body of a batch request.
    private func batchBody(_ request: Request) async throws -> [UInt8] {
        guard let length = request.headers[.contentLength].flatMap({ Int($0) }) else {
            throw RequestError.noLength
        }
        guard length <= WireLimits.batchBytes else { throw RequestError.tooLarge }
        var pieces = PacedBody(request.body, limits, writer.clock)
        let bytes = try await pieces.collect(upTo: WireLimits.batchBytes)
        metrics.countReceived(bytes.count)
        return bytes
    }

    private func eventsReply(_ prefix: String, _ client: AuthenticatedRequest) throws(RequestError)
        -> Reply
    {
        guard client.access.includes(prefix: prefix) else { throw .forbidden }
        let (notices, end) = try hub.watch(prefix, client.access, owner: client.owner)
        // Notices a closed connection at once, not at the next failing write.
        client.context.whenClosed(end)
        return Reply(
            .ok,
            fields: [
                .contentType: "text/event-stream", .cacheControl: "no-store",
                .acceleratedBuffering: "no",
            ],
            body: .stream(length: nil) { writer in
                defer { end() }
                try await writer.write(ByteBuffer(string: ChangeNotice.hello.encoded))
                for await notice in notices { try await writer.write(notice) }
                try await writer.finish(nil)
            })
    }

    private func healthReply(_ request: Request) async throws -> Reply {
        guard [.get, .head].contains(request.method) else { throw RequestError.noMethod }
        guard await remote.exists() else {
            throw RequestError.missingFolder
        }
        var reply = Reply(.ok, text: Array("ok\n".utf8))
        reply.fields[.maximumObject] = String(limits.objectBytes)
        return reply
    }

    private func metricsReply() -> Reply {
        let text = metrics.text(
            watchers: hub.count, used: quota.used, quota: quota.limit, now: systemContext.now())
        return Reply(.ok, text: Array(text.utf8), type: "text/plain; version=0.0.4; charset=utf-8")
    }
}

extension StoreResponder.AuthenticatedRequest {
    /// The owner for limits: the token, or the address.
    fileprivate var owner: String {
        access.tokenID ?? ConnectionCounter.owner(of: context.address)
    }

    /// - Throws: ``RequestError``: 405 for another method, 403 without the right.
    fileprivate func require(
        _ right: AccessRight, _ methods: [HTTPRequest.Method]
    ) throws(RequestError) {
        guard methods.contains(request.method) else { throw .noMethod }
        guard access.rights.contains(right) else { throw access.refusal }
    }
}

extension StoreResponder {
    /// The response for a reply, which writes the log when it was sent.
    private func response(
        for reply: Reply, _ request: Request, _ context: ServerContext, _ entry: AccessLog.Entry,
        _ fault: ServerFaults.Fault?, _ note: String?
    ) -> Response {
        var fields = reply.fields
        let status = reply.status
        if request.method == .head {
            if let length = reply.length { fields[.contentLength] = String(length) }
            log.write(entry, status: status.code, bytes: 0, note: note)
            return Response(status: status, headers: fields)
        }
        if case .none = reply.body {
            log.write(entry, status: status.code, bytes: 0, note: note)
            return Response(status: status, headers: fields)
        }
        let body = countedBody(reply, status.code, context, entry, fault, note)
        return Response(status: status, headers: fields, body: body)
    }

    private func countedBody(
        _ reply: Reply, _ status: Int, _ context: ServerContext, _ entry: AccessLog.Entry,
        _ fault: ServerFaults.Fault?, _ note: String?
    ) -> ResponseBody {
        let limit: Int? = if case .cut(let count) = fault { count } else { nil }
        let length = reply.length.map { Int(clamping: $0) }
        return ResponseBody(contentLength: length) { [metrics, log] writer in
            let sent = Atomic<Int64>(0)
            var counting: any ResponseBodyWriter = CountingWriter(
                parent: writer, limit: limit, close: { context.closeConnection() },
                catchUp: { try await context.catchUp() },
                count: { count in
                    metrics.countSent(count)
                    sent.add(Int64(count), ordering: .relaxed)
                })
            do {
                try await reply.write(to: &counting)
                log.write(
                    entry, status: status, bytes: sent.load(ordering: .relaxed), note: note)
            } catch {
                log.write(
                    entry, status: status, bytes: sent.load(ordering: .relaxed), note: "cut")
                throw error
            }
        }
    }
}

extension Reply {
    /// The length of the body in bytes; nil when unknown.
    fileprivate var length: Int64? {
        switch body {
        case .none: 0
        case .bytes(let buffer): Int64(buffer.readableBytes)
        case .stream(let length, _): length
        }
    }

    fileprivate func write(to writer: inout any ResponseBodyWriter) async throws {
        switch body {
        case .none: try await writer.finish(nil)
        case .bytes(let buffer):
            try await writer.write(buffer)
            try await writer.finish(nil)
        case .stream(_, let write): try await write(&writer)
        }
    }
}

/// Counts the written bytes, and can close the connection after some of them.
///
/// The parent suspends a write while the client does not read, but learns of that from the event
/// loop: a loop that is busy elsewhere for a moment would let a whole object into memory. So the
/// writer lets the loop catch up after each piece.
struct CountingWriter: ResponseBodyWriter {
    var parent: any ResponseBodyWriter
    /// Closes the connection after this many bytes; nil for none.
    var limit: Int?
    let close: @Sendable () -> Void
    /// Waits until the event loop has processed what was written so far.
    let catchUp: @Sendable () async throws -> Void
    let count: @Sendable (Int) -> Void
    /// The number of bytes written since the event loop caught up.
    private var unprocessed = 0

    init(
        parent: any ResponseBodyWriter, limit: Int?, close: @escaping @Sendable () -> Void,
        catchUp: @escaping @Sendable () async throws -> Void,
        count: @escaping @Sendable (Int) -> Void
    ) {
        self.parent = parent
        self.limit = limit
        self.close = close
        self.catchUp = catchUp
        self.count = count
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        var buffer = buffer
        if let left = limit, left < buffer.readableBytes {
            buffer = buffer.readSlice(length: left) ?? ByteBuffer()
            try await parent.write(buffer)
            close()
            throw CutReplyError()
        }
        limit = limit.map { $0 - buffer.readableBytes }
        try await parent.write(buffer)
        count(buffer.readableBytes)
        unprocessed += buffer.readableBytes
        guard unprocessed >= ObjectReader.pieceSize else { return }
        unprocessed = 0
        try await catchUp()
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await parent.finish(trailingHeaders)
    }
}
