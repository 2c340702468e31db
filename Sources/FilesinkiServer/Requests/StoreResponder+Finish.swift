import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

extension StoreResponder {
    /// Puts a reply on its way, and into the log when it got there.
    func finish(
        _ reply: Reply, _ request: Request, _ context: ServerContext, _ entry: AccessLog.Entry,
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
        let body = counted(reply, status.code, context, entry, fault, note)
        return Response(status: status, headers: fields, body: body)
    }

    private func counted(
        _ reply: Reply, _ status: Int, _ context: ServerContext, _ entry: AccessLog.Entry,
        _ fault: ServerFaults.Fault?, _ note: String?
    ) -> ResponseBody {
        let limit: Int? = if case .cut(let count) = fault { count } else { nil }
        let length = reply.length.map { Int(clamping: $0) }
        return ResponseBody(contentLength: length) { [metrics, log] writer in
            let sent = Atomic<Int64>(0)
            var counting: any ResponseBodyWriter = CountingWriter(
                parent: writer, limit: limit, hangUp: { context.hangUp() },
                count: { count in
                    metrics.sent(count)
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
    /// The bytes of the body; nil when nobody knows before they are written.
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

/// Counts what is written, and may hang up after so many bytes.
private struct CountingWriter: ResponseBodyWriter {
    var parent: any ResponseBodyWriter
    /// Nil for no end.
    var limit: Int?
    let hangUp: @Sendable () -> Void
    let count: @Sendable (Int) -> Void

    mutating func write(_ buffer: ByteBuffer) async throws {
        var buffer = buffer
        if let left = limit, left < buffer.readableBytes {
            buffer = buffer.readSlice(length: left) ?? ByteBuffer()
            try await parent.write(buffer)
            hangUp()
            throw CutReply()
        }
        limit = limit.map { $0 - buffer.readableBytes }
        try await parent.write(buffer)
        count(buffer.readableBytes)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await parent.finish(trailingHeaders)
    }
}
