import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote

extension WebDAVRemote {
    /// The object's bytes; nil when it is known to be absent.
    func read(_ key: ObjectKey, range: Range<Int64>? = nil) async throws -> [UInt8]? {
        let path = server.path(key)
        let range = range?.clamped(to: 0..<Int64.max)
        // No server can be asked for no bytes of an object.
        if range?.isEmpty == true { return try await isFile(path) ? [] : nil }
        let body = ObjectBody(key.description, range: range)
        try await server.stream(request(path, range), path) { try body.take($0) }
        guard let head = body.head else { throw nothing(key) }
        if head.mayIgnoreNames, try await !isFolder(path.parent) { return nil }
        switch head.status {
        case 200 where head.isPage:
            // The page of a captive portal, or a server's own listing of a collection.
            guard let there = try await server.properties(path) else { throw server.portal(path) }
            return there.own.isCollection ? nil : try body.whole()
        case 200, 206: return try body.whole()
        case 416 where range != nil: return []
        case 404, 410: return nil
        case _ where head.isRedirect(toCollection: path): return nil
        case 403, 405, 501:
            // What some servers answer for a collection.
            if let there = try? await server.properties(path), there.own.isCollection { return nil }
            throw head.failure(key.description, at: address)
        default: throw head.failure(key.description, at: address)
        }
    }

    private func request(_ path: WebDAVPath, _ range: Range<Int64>?) -> HTTPRequest {
        // A slot that was empty a moment ago may be filled now: no cache may answer for the server.
        var request = HTTPRequest("GET", server.url(path), fields: ["Cache-Control": "no-cache"])
        let longest = Int(Self.maximumObjectSize)
        request.maximumReply = range.map { min($0.count, longest) } ?? longest
        if let range {
            // Not every server can read the greatest number.
            let last = range.count > longest ? "" : "\(range.upperBound - 1)"
            request.fields["Range"] = "bytes=\(range.lowerBound)-\(last)"
        }
        return request
    }

    /// Whether there is an object, and not a collection.
    func isFile(_ path: WebDAVPath) async throws -> Bool {
        guard let there = try await server.properties(path) else { return false }
        return !there.own.isCollection
    }

    /// Whether a collection is there, asked once.
    private func isFolder(_ path: WebDAVPath?) async throws -> Bool {
        guard let path, path != server.top, !server.isKnown(path) else { return true }
        guard try await isFile(path.withoutSlash) else {
            server.remember(path)
            return true
        }
        return false
    }

    private func nothing(_ key: ObjectKey) -> Failure {
        Failure(
            .away, path: key.description, "The server did not answer.",
            remedy: "Run the command again.")
    }
}

extension HTTPReply {
    /// Whether the server may have passed over the last names of the path: lighttpd answers with the
    /// file `a/b` when there is no `a/b/c` below it.
    fileprivate var mayIgnoreNames: Bool {
        guard [200, 206, 416].contains(status) else { return false }
        return fields["Server"]?.lowercased().hasPrefix("lighttpd") ?? false
    }
}
