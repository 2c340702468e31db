import FilesinkiModel
import FilesinkiRemote
import FilesinkiXML

/// The properties of a collection and its members, or of one file, in the reply to `PROPFIND`:
/// https://www.rfc-editor.org/rfc/rfc4918#section-9.1
struct MultiStatus {
    struct Resource {
        /// The decoded names of its path.
        var names: [[UInt8]]
        var isCollection: Bool
        /// In bytes; nil when the server does not report it.
        var size: Int64?
        var entityTag: String?
        var modified: String?
    }

    private(set) var all: [Resource] = []
    /// Whether the reply is about one resource, and reports that it is absent.
    private(set) var isAbsent = false

    /// The most elements of a listing, to limit memory.
    private static let maximumElements = 1 << 20

    /// The body of the request.
    static let request = Array(
        """
        <?xml version="1.0" encoding="utf-8"?>
        <propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getetag/>\
        <getlastmodified/></prop></propfind>
        """.utf8)

    /// - Throws: `Failure` with code `corrupt` for another reply.
    init(_ body: [UInt8]) throws(Failure) {
        let root = try XMLReader.parse(body, maximumElements: Self.maximumElements)
        guard root.name == "multistatus", root.namespace == "DAV:" else {
            throw Failure(
                .corrupt, "The server's reply is not a WebDAV listing.",
                remedy: "Check the address; another server may have replied.")
        }
        let responses = root.all("response")
        all = responses.compactMap(Self.resource)
        isAbsent =
            responses.count == 1 && responses.first?.text(of: "status") != nil && all.isEmpty
    }

    /// Nil for an absent one, and for one with a malformed name, which is not the store's.
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

    /// Whether a response, or its properties, has a success status or none.
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
