import FilesinkiDirectory
import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers requests: finds out what each is about and who asks, and hands it on.
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
    let faults: FaultDealer
    let limits: ServerLimits
    let shares: RequestShares
    let systemContext: SystemContext

    /// One request while it is answered.
    struct Inquiry: Sendable {
        var request: Request
        var context: ServerContext
        var access: Access = .all
    }

    func respond(to request: Request, context: ServerContext) async -> Response {
        let target = request.head.path ?? ""
        var entry = AccessLog.Entry(
            address: context.address, method: request.method.rawValue,
            path: String(target.prefix { $0 != "?" }), begun: ContinuousClock().now)
        let fault = faults.next(method: entry.method, path: target)
        var note: String?
        var reply: Reply
        do {
            if let early = try Self.early(fault, context) {
                reply = early
            } else {
                reply = try await answer(request, context, &entry)
            }
        } catch {
            (reply, note) = Self.refusal(error)
        }
        if fault == .drop { context.hangUp() }
        metrics.answered(entry.method, reply.status.code)
        return finish(reply, request, context, entry, fault, note)
    }

    /// The reply of a fault that comes before anything is done.
    private static func early(
        _ fault: ServerFaults.Fault?, _ context: ServerContext
    ) throws -> Reply? {
        switch fault {
        case .status(let code):
            var refusal = RequestError.busy("This fault is on purpose.")
            refusal.status = HTTPResponse.Status(code: code)
            return Reply(refusal)
        case .deaf:
            context.hangUp()
            throw CutReply()
        case .cut, .drop, nil: return nil
        }
    }

    /// What an error means to the client, and what the log says of it.
    private static func refusal(_ error: any Error) -> (Reply, note: String?) {
        switch error {
        case let refusal as RequestError: (Reply(refusal), nil)
        case let failure as Failure: (Reply(RequestError(failure)), failure.message)
        case is CutReply: (Reply(.badRequest), "cut")
        // Of anything else the kind alone is told: a description could hold what a client sent.
        default: (Reply(.badRequest), "\(type(of: error))")
        }
    }

    private func answer(
        _ request: Request, _ context: ServerContext, _ entry: inout AccessLog.Entry
    ) async throws -> Reply {
        if request.headers[.transferEncoding] != nil { throw RequestError.noLength }
        let route = try Route(request.head.path ?? "")
        if route == .health { return try await health(request) }
        guard let access = try authority.access(request.headers[.authorization]) else {
            throw RequestError.noToken
        }
        entry.tokenID = access.tokenID
        let inquiry = Inquiry(request: request, context: context, access: access)
        // Streams of notices have a share of their own.
        if case .events = route { return try await answer(route, inquiry) }
        let share = try shares.enter(inquiry.owner)
        var reply = try await answer(route, inquiry)
        reply.share = share
        return reply
    }

    private func answer(_ route: Route, _ inquiry: Inquiry) async throws -> Reply {
        switch route {
        case .object(let key): return try await object(key, inquiry)
        case .upload(let id):
            try inquiry.demand(.append, [.head, .get])
            return try await upload(id)
        case .list(let prefix, let after, let limit):
            try inquiry.demand(.read, [.get])
            return try await Lister(remote: remote, access: inquiry.access)
                .reply(prefix: prefix, after: after, limit: limit)
        case .read:
            try inquiry.demand(.read, [.post])
            return try await read(inquiry)
        case .has:
            try inquiry.demand(.read, [.post])
            return try await has(inquiry)
        case .log(let zone, let from, let limit):
            try inquiry.demand(.read, [.get])
            guard inquiry.access.zones?.contains(zone) ?? true else { throw RequestError.forbidden }
            return try await BatchReader(remote, logOf: zone, from: from, limit: limit).reply()
        case .events(let prefix):
            try inquiry.demand(.read, [.get])
            return try events(prefix, inquiry)
        case .health: return try await health(inquiry.request)
        case .metrics:
            try inquiry.demand(.read, [.get])
            return counters()
        }
    }

    private func object(_ key: ObjectKey, _ inquiry: Inquiry) async throws -> Reply {
        switch inquiry.request.method {
        case .get, .head:
            guard inquiry.access.may(.read, key) else { throw RequestError.forbidden }
            return try await ObjectReader(remote: remote).reply(key, inquiry.request.head)
        case .put:
            guard inquiry.access.may(.append, key) else { throw RequestError.forbidden }
            let offer = try writer.offer(key, inquiry.request.head)
            try owners.claim(key, inquiry.access)
            let (reply, hasChanged) = try await writer.reply(
                offer, inquiry.request.body, owner: inquiry.owner)
            if hasChanged { hub.changed(key.description) }
            return reply
        case .delete:
            guard inquiry.access.mayDelete(key) else { throw RequestError.forbidden }
            try owners.checkDeletion(key, inquiry.access)
            try await remote.delete(key)
            hub.changed(key.description)
            return Reply(.noContent)
        default: throw RequestError.noMethod
        }
    }

    private func upload(_ id: UploadID) async throws -> Reply {
        try writer.uploads.end(id)
        guard let count = try await remote.stagedBytes(id.description) else {
            throw RequestError.notFound
        }
        return Reply(.ok, fields: [.uploadOffset: String(count), .cacheControl: "no-store"])
    }

    private func read(_ inquiry: Inquiry) async throws -> Reply {
        let requests = try ReadLines.decode(try await body(inquiry.request))
        guard requests.allSatisfy({ inquiry.access.reaches($0.key) }) else {
            throw RequestError.forbidden
        }
        return try await BatchReader(remote, requests).reply()
    }

    private func has(_ inquiry: Inquiry) async throws -> Reply {
        let keys = try KeyLines.decode(try await body(inquiry.request))
        guard keys.allSatisfy({ inquiry.access.reaches($0) }) else { throw RequestError.forbidden }
        return Reply(.ok, text: KeyLines.encode(answers: try await remote.has(keys)))
    }

    /// The body of a question, which is small.
    private func body(_ request: Request) async throws -> [UInt8] {
        guard let length = request.headers[.contentLength].flatMap({ Int($0) }) else {
            throw RequestError.noLength
        }
        guard length <= WireLimits.batchBytes else { throw RequestError.tooLarge }
        var pieces = PacedBody(request.body, limits, writer.clock)
        let bytes = try await pieces.collect(upTo: WireLimits.batchBytes)
        metrics.received(bytes.count)
        return bytes
    }

    private func events(_ prefix: String, _ inquiry: Inquiry) throws(RequestError) -> Reply {
        guard inquiry.access.reaches(prefix) else { throw .forbidden }
        let (notices, end) = try hub.watch(prefix, inquiry.access, owner: inquiry.owner)
        // A client that goes away is noticed at once, not when the next notice cannot be written.
        inquiry.context.channel?.closeFuture.whenComplete { _ in end() }
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

    private func health(_ request: Request) async throws -> Reply {
        guard [.get, .head].contains(request.method) else { throw RequestError.noMethod }
        guard await remote.exists() else {
            throw RequestError.busy("The folder of the store is not there.")
        }
        var reply = Reply(.ok, text: Array("ok\n".utf8))
        reply.fields[.maximumObject] = String(limits.objectBytes)
        return reply
    }

    private func counters() -> Reply {
        let text = metrics.text(
            watchers: hub.count, used: quota.used, quota: quota.limit, now: systemContext.now())
        return Reply(.ok, text: Array(text.utf8), type: "text/plain; version=0.0.4; charset=utf-8")
    }
}

extension StoreResponder.Inquiry {
    /// Whose share of what is bounded the request counts for: its token's, or its address's.
    fileprivate var owner: String {
        access.tokenID ?? ConnectionCensus.share(of: context.address)
    }

    /// - Throws: ``RequestError``: 405 for another method, 403 without the right.
    fileprivate func demand(
        _ right: AccessRight, _ methods: [HTTPRequest.Method]
    ) throws(RequestError) {
        guard methods.contains(request.method) else { throw .noMethod }
        guard access.rights.contains(right) else { throw .forbidden }
    }
}
