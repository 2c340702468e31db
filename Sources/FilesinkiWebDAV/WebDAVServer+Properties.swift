import FilesinkiHTTP
import FilesinkiModel

extension WebDAVServer {
    /// What there is at a path.
    struct Found {
        var own: MultiStatus.Resource
        /// What is in a collection, in no order, if that was asked for.
        var members: [MultiStatus.Resource] = []
        /// Whether the server's clock still shows the second in which it was modified.
        var isFresh = false
    }

    /// Asks what there is at a path, and, of a collection, what is in it.
    ///
    /// - Returns: Nil when there is nothing.
    /// - Throws: `Failure`: also when the reply is about another resource, for a listing that is
    ///   misread must not be taken for an empty one.
    func properties(_ path: WebDAVPath, withMembers: Bool = false) async throws -> Found? {
        let reply = try await ask(path, withMembers)
        if try await isAbsent(reply, path) { return nil }
        return try found(reply, path)
    }

    private func ask(_ path: WebDAVPath, _ withMembers: Bool) async throws -> HTTPReply {
        try await send(
            "PROPFIND", path,
            fields: [
                "Depth": withMembers ? "1" : "0", "Content-Type": "application/xml; charset=utf-8",
            ], body: MultiStatus.request,
            maximumReply: withMembers ? WebDAVRemote.maximumListing : 1 << 20)
    }

    private func isAbsent(_ reply: HTTPReply, _ path: WebDAVPath) async throws -> Bool {
        switch reply.status {
        case 404, 410: return true
        // What servers say of a name below a file.
        case 400, 403, 405, 409: return try await isBelowFile(path)
        default: return false
        }
    }

    private func isBelowFile(_ path: WebDAVPath) async throws -> Bool {
        var next = path.isCollection ? path : path.parent
        while let path = next?.withoutSlash, path.text.utf8.count > top.text.utf8.count {
            let reply = try await ask(path, false)
            if reply.status == 207 || reply.isRedirect(toCollection: path) {
                return try found(reply, path)?.own.isCollection == false
            }
            next = path.parent
        }
        return false
    }

    private func found(_ reply: HTTPReply, _ path: WebDAVPath) throws(Failure) -> Found? {
        let names = path.names ?? []
        if reply.isRedirect(toCollection: path) {
            return Found(own: MultiStatus.Resource(names: names, isCollection: true))
        }
        guard reply.status == 207 else { throw noListing(reply, path) }
        let resources = try MultiStatus(reply.body)
        if resources.isOfNothing { return nil }
        guard let own = resources.all.first(where: { $0.names == names }) else {
            throw Failure(
                .away, path: path.text, "The server's listing is about something else.",
                remedy: "Write the address as the server itself does; a proxy may change it.")
        }
        let members = resources.all.filter {
            $0.names.count == names.count + 1 && $0.names.starts(with: names)
        }
        let isFresh = own.modified != nil && own.modified == reply.fields["Date"]
        return Found(own: own, members: members, isFresh: isFresh)
    }

    private func noListing(_ reply: HTTPReply, _ path: WebDAVPath) -> Failure {
        guard [200, 405, 501].contains(reply.status) else {
            return reply.failure(path.text, at: address.description)
        }
        return Failure(
            .unfitStore, path: path.text, "This address does not offer WebDAV.",
            remedy: "Check the address; WebDAV may have to be switched on at the server.")
    }
}
