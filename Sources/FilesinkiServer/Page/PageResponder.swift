import FilesinkiModel
import FilesinkiProtocol
import FilesinkiText
import HTTPTypes
import Hummingbird
import NIOCore

/// Replies to the requests of the page: its files, the exchange of the token, calls, and changes.
struct PageResponder: HTTPResponder {
    typealias Context = ServerContext

    let files: PageFiles
    let access: PageAccess
    let feed: ChangeFeed
    let limiter: RequestLimiter
    let run: @Sendable (PageCommand) async throws -> PageResult

    /// The largest body of a request in bytes: a merged text.
    private static let maximumBody = 16 << 20
    private static let maximumToken = 256

    func respond(to request: Request, context: ServerContext) async -> Response {
        var response: Response
        do {
            response = try await reply(to: request, context)
        } catch let error as RequestError {
            response = Self.response(Reply(error))
        } catch {
            let failure = error as? Failure
            response = Self.response(
                Reply(
                    RequestError(
                        failure?.code == .usage ? .badRequest : .internalServerError, .broken,
                        failure?.description ?? "The request failed.")))
        }
        files.policy.apply(to: &response.headers)
        return response
    }

    private func reply(to request: Request, _ context: ServerContext) async throws -> Response {
        guard PageAccess.isOwn(request.head) else { throw RequestError.forbidden }
        let path = (request.head.path ?? "").prefix { $0 != "?" }
        if let file = files[String(path.dropFirst())] {
            guard request.method == .get else { throw RequestError.noMethod }
            return Self.response(Reply(.ok, text: file.bytes, type: file.type))
        }
        if path == "/session" {
            guard request.method == .post else { throw RequestError.noMethod }
            let token = try await body(of: request, limit: Self.maximumToken)
            switch access.beginSession(String(decoding: token, as: UTF8.self)) {
            case .session(let secret): return Self.response(Reply(.ok, text: Array(secret.utf8)))
            case .used:
                throw RequestError(.gone, .forbidden, "The address was used already.")
            case .wrong: throw RequestError.forbidden
            }
        }
        guard access.isOfSession(request.headers) else { throw RequestError.noToken }
        if path == "/changes" {
            guard request.method == .get else { throw RequestError.noMethod }
            return try changes(context)
        }
        guard path.hasPrefix("/call/"),
            let call = PageCall(rawValue: String(path.dropFirst("/call/".count)))
        else { throw RequestError.notFound }
        guard request.method == .post else { throw RequestError.noMethod }
        let permit = try limiter.beginRequest("page")
        let body = try await body(of: request, limit: Self.maximumBody)
        let command = try call.command(CallArguments(body))
        let result = try await run(command)
        return withExtendedLifetime(permit) { Self.response(to: command, result) }
    }

    /// A content is the body, with 200, if the command succeeded. All else is JSON: the exit code, the
    /// lines that the command printed, and its messages.
    private static func response(to command: PageCommand, _ result: PageResult) -> Response {
        guard let output = result.output else {
            return response(Reply(RequestError.tooLarge))
        }
        if command.printsContent, result.exit == 0 {
            return response(Reply(.ok, text: output, type: "application/octet-stream"))
        }
        var object: JSONObject = [:]
        object.add("exit", result.exit)
        let lines = command.printsContent ? [] : output.split(separator: UInt8(ascii: "\n"))
        object.add("lines", .array(lines.map { .written(Array($0)) }))
        object.add("messages", String(decoding: result.messages, as: UTF8.self))
        let status: HTTPResponse.Status = command.printsContent ? .notFound : .ok
        return response(Reply(status, text: object.bytes, type: "application/json"))
    }

    private func changes(_ context: ServerContext) throws -> Response {
        let (lines, end) = try feed.listen()
        context.channel?.closeFuture.whenComplete { _ in end() }
        let body = ResponseBody { writer in
            defer { end() }
            try await writer.write(ByteBuffer(string: "hello\n"))
            for await line in lines { try await writer.write(line) }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"], body: body)
    }

    private func body(of request: Request, limit: Int) async throws -> [UInt8] {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
            throw RequestError.tooLarge
        }
        do {
            return Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw RequestError.tooLarge
        }
    }

    private static func response(_ reply: Reply) -> Response {
        guard case .bytes(let buffer) = reply.body else {
            return Response(status: reply.status, headers: reply.fields)
        }
        return Response(
            status: reply.status, headers: reply.fields, body: ResponseBody(byteBuffer: buffer))
    }
}
