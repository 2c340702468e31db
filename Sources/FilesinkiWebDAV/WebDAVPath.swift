import FilesinkiHTTP
import FilesinkiModel
import FilesinkiText

/// A place on the server, as its address has it: percent-encoded, beginning with a slash. That of a
/// collection ends with a slash, for some servers make and move nothing else as one.
struct WebDAVPath: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    var isCollection: Bool { text.hasSuffix("/") }

    /// Whether it is unfinished work.
    var isTemporary: Bool { text.split(separator: "/").last?.hasPrefix(".t-") ?? false }

    /// Without the slash of a collection.
    var withoutSlash: WebDAVPath { isCollection ? WebDAVPath(String(text.dropLast())) : self }

    /// The collection around it; nil for the top of the server.
    var parent: WebDAVPath? {
        guard let slash = text.dropLast().lastIndex(of: "/") else { return nil }
        return WebDAVPath(String(text[...slash]))
    }

    /// A place beside it with a name that nobody else uses: it begins with a dot, which no key does,
    /// and so is never listed. The folder remote knows it as unfinished work, too.
    var temporarySibling: WebDAVPath {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let name = ".t-" + String(repeating: "0", count: 16 - digits.count) + digits
        return WebDAVPath((parent?.text ?? "/") + name + (isCollection ? "/" : ""))
    }

    func member(_ name: String) -> WebDAVPath { WebDAVPath(text + name) }

    /// Its names, decoded; nil when they are malformed.
    var names: [[UInt8]]? { Self.names(of: text) }

    /// The names of a path or a whole address, decoded, without regard to doubled slashes; nil when it
    /// is malformed or leads up.
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
