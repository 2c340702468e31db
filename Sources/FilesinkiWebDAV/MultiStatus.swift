import FilesinkiHTTP
import FilesinkiModel
import FilesinkiXML

/// What a server says of a collection and its members, or of one file, in reply to `PROPFIND`:
/// https://www.rfc-editor.org/rfc/rfc4918#section-9.1
struct MultiStatus {
    struct Resource {
        /// The names of its path, decoded.
        var names: [[UInt8]]
        var isCollection: Bool
        /// In bytes; nil when the server does not say.
        var size: Int64?
        var entityTag: String?
        var modified: String?
    }

    var resources: [Resource] = []

    /// More elements than this no listing has; it bounds the memory that they take.
    private static let maximumElements = 1 << 20

    /// What is asked for, of each resource.
    static let request = Array(
        """
        <?xml version="1.0" encoding="utf-8"?>
        <propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getetag/>\
        <getlastmodified/></prop></propfind>
        """.utf8)

    /// - Throws: `Failure` with code `corrupt` for what is no such reply.
    init(_ body: [UInt8]) throws(Failure) {
        let root = try XMLReader.parse(body, maximumElements: Self.maximumElements)
        guard root.name == "multistatus", root.namespace == "DAV:" else {
            throw Failure(
                .corrupt, "The server's answer is not a WebDAV listing.",
                remedy: "Check the address; what answers there may not be the store.")
        }
        for response in root.all("response") {
            if let resource = Self.resource(response) { resources.append(resource) }
        }
    }

    /// Nil for one that is not there, or whose name is malformed and so no store's.
    private static func resource(_ response: XMLNode) -> Resource? {
        guard isFound(response), let href = response.text(of: "href"),
            let names = WebDAVPath.names(of: trimmed(href))
        else { return nil }
        let properties = response.all("propstat").filter(isFound).flatMap { $0.all("prop") }
        func text(_ name: String) -> String? {
            properties.lazy.compactMap { $0.text(of: name) }.first.map(trimmed)
        }
        return Resource(
            names: names,
            isCollection: properties.contains {
                $0.first("resourcetype")?.first("collection") != nil
            },
            size: text("getcontentlength").flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 },
            entityTag: text("getetag"), modified: text("getlastmodified"))
    }

    /// Whether the status of a response or of its properties, if there is one, is a success.
    private static func isFound(_ node: XMLNode) -> Bool {
        guard let status = node.text(of: "status") else { return true }
        let words = status.split(separator: " ")
        return words.count >= 2 && words[1].hasPrefix("2")
    }

    private static func trimmed(_ text: String) -> String {
        let blanks: Set<Character> = [" ", "\n", "\r", "\t", "\r\n"]
        var rest = text[...]
        while let first = rest.first, blanks.contains(first) { rest.removeFirst() }
        while let last = rest.last, blanks.contains(last) { rest.removeLast() }
        return String(rest)
    }
}

extension WebDAVServer {
    /// Asks what there is at a path, and, of a collection, what is in it.
    ///
    /// - Returns: The resource itself and its members, in no order; nil when there is nothing.
    /// - Throws: `Failure`: also when the reply is about another resource, for a listing that is
    ///   misread must not be taken for an empty one.
    func properties(
        _ path: WebDAVPath, withMembers: Bool = false
    ) async throws -> (own: MultiStatus.Resource, members: [MultiStatus.Resource])? {
        let reply = try await send(
            "PROPFIND", path,
            fields: [
                "Depth": withMembers ? "1" : "0", "Content-Type": "application/xml; charset=utf-8",
            ], body: MultiStatus.request,
            maximumReply: withMembers ? WebDAVRemote.maximumListing : 1 << 20)
        if reply.status == 404 || reply.status == 410 { return nil }
        if reply.isRedirect(toCollection: path), let names = path.names {
            return (MultiStatus.Resource(names: names, isCollection: true), [])
        }
        guard reply.status == 207 else { throw noListing(reply, path) }
        let found = try MultiStatus(reply.body).resources
        guard let names = path.names, let own = found.first(where: { $0.names == names }) else {
            if found.isEmpty, !withMembers { return nil }
            throw Failure(
                .away, path: path.text, "The server's listing is about something else.",
                remedy: "Write the address as the server itself does; a proxy may change it.")
        }
        let members = found.filter {
            $0.names.count == names.count + 1 && $0.names.starts(with: names)
        }
        return (own, members)
    }

    private func noListing(_ reply: HTTPReply, _ path: WebDAVPath) -> Failure {
        guard [200, 405, 501].contains(reply.status) else {
            return reply.failure(path.text, at: address.description)
        }
        return Failure(
            .unfitStore, path: path.text, "There is no WebDAV at this address.",
            remedy: "Check the address; WebDAV may have to be switched on at the server.")
    }
}
