import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiText

/// A path on the server: percent-encoded, beginning with a slash. A collection's path ends with a slash,
/// without which some servers do not make or move it as one.
struct WebDAVPath: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    var isCollection: Bool { text.hasSuffix("/") }

    /// Whether it is the path of an unfinished object.
    var isTemporary: Bool { text.split(separator: "/").last.map(TemporaryName.matches) ?? false }

    /// The path without the slash of a collection.
    var withoutSlash: WebDAVPath { isCollection ? WebDAVPath(String(text.dropLast())) : self }

    /// The parent collection; nil for the root of the server.
    var parent: WebDAVPath? {
        guard let slash = text.dropLast().lastIndex(of: "/") else { return nil }
        return WebDAVPath(String(text[...slash]))
    }

    /// A path with a new ``FilesinkiRemote/TemporaryName`` beside this one.
    var temporarySibling: WebDAVPath {
        WebDAVPath((parent?.text ?? "/") + TemporaryName.make() + (isCollection ? "/" : ""))
    }

    func member(_ name: String) -> WebDAVPath { WebDAVPath(text + name) }

    /// The decoded names; nil when the path is malformed.
    var names: [[UInt8]]? { Self.names(of: text) }

    /// The decoded names of a path or a whole address, ignoring doubled slashes; nil when it is malformed
    /// or contains `..`.
    static func names(of address: some StringProtocol) -> [[UInt8]]? {
        var path = address[...]
        if let scheme = path.firstRange(of: "://") {
            path = path[scheme.upperBound...]
            path = path[(path.firstIndex(of: "/") ?? path.endIndex)...]
        }
        guard !path.contains("?"), !path.contains("#") else { return nil }
        var names: [[UInt8]] = []
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            guard let name = PercentCoding.decode(String(decoding: part, as: UTF8.self)) else {
                return nil
            }
            if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8)
                || name.contains(UInt8(ascii: "/"))
            {
                return nil
            }
            names.append(name)
        }
        return names
    }
}
