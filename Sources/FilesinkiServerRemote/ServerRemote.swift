import FilesinkiHTTP
package import FilesinkiModel
import FilesinkiProtocol
package import FilesinkiRemote

/// A remote that is a `filesinki serve`: see Docs/Protocol.md.
///
/// Every verb is one request, also for many objects at once. What the server says is believed only
/// when it says that it is a filesinki server: a captive portal's "not found" is no answer.
package struct ServerRemote: Remote {
    let exchange: ServerExchange
    let notices: EventSubscription
    let systemContext: SystemContext

    /// - Throws: `Failure` with code `not-allowed` when a token would be sent in the open.
    package init(_ server: ServerPlace, systemContext: SystemContext) throws(Failure) {
        exchange = try ServerExchange(server)
        notices = EventSubscription(exchange: exchange, systemContext: systemContext)
        self.systemContext = systemContext
    }

    package var address: String { exchange.address }

    package var alternative: String {
        "Let filesinki serve keep its folder on a file system that renames folders atomically."
    }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        let path = WirePaths.object(key)
        guard let range else { return try await whole(path, key) }
        // No range is empty in HTTP; whether the object is there still has to be said.
        if range.isEmpty {
            let reply = try await exchange.ask("HEAD", path, about: key, allowing: [404])
            return reply.status == 404 ? nil : []
        }
        let last = range.upperBound == .max ? "" : String(range.upperBound - 1)
        let reply = try await exchange.ask(
            "GET", path, about: key, fields: ["Range": "bytes=\(range.lowerBound)-\(last)"],
            maximumReply: Int(clamping: min(Int64(range.count), ServerExchange.maximumObject)),
            allowing: [404, 416])
        switch reply.status {
        case 404: return nil
        case 416: return []
        case 206: return reply.body
        default: throw exchange.senseless(key, "it ignores ranges")
        }
    }

    private func whole(_ path: String, _ key: ObjectKey) async throws -> [UInt8]? {
        let reply = try await exchange.ask(
            "GET", path, about: key, maximumReply: Int(ServerExchange.maximumObject),
            allowing: [404])
        return reply.status == 404 ? nil : reply.body
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        guard Self.mayBegin(prefix) else { return [] }
        var found: [ObjectInfo] = []
        var last = after
        while found.count < limit {
            let count = min(limit - found.count, WireLimits.listLines)
            let reply = try await exchange.ask(
                "GET", WirePaths.list(prefix: prefix, after: last, limit: count), about: nil,
                maximumReply: count * (ObjectKey.maximumLength + 24))
            let page = try ListLines.decode(reply.body)
            found += page
            guard page.count == count, let end = page.last?.key else { break }
            last = end
        }
        return found
    }

    /// Whether keys can begin so; of anything else the list is empty.
    private static func mayBegin(_ prefix: String) -> Bool {
        prefix.isEmpty || (try? ObjectKey(prefix + (prefix.hasSuffix("/") ? "x" : ""))) != nil
    }

    package func delete(_ key: ObjectKey) async throws {
        _ = try await exchange.ask("DELETE", WirePaths.object(key), about: key)
    }

    package func wait(prefix: String, timeout: Duration) async throws {
        try await notices.wait(prefix: Self.mayBegin(prefix) ? prefix : "", timeout: timeout)
    }
}
