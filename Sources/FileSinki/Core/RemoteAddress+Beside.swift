import FilesinkiModel
import FilesinkiRemote

extension RemoteAddress {
    /// Reads the address that a program names.
    ///
    /// - Throws: Code `usage`, as ``init(absolute:)``.
    init(_ text: String) throws(FileSinkiError) {
        do {
            self = try RemoteAddress(absolute: text)
        } catch {
            throw FileSinkiError(error, "")
        }
    }

    /// The address of another store beside this one, by the last name of its path: a hyphen and `name`
    /// behind it, or `name` alone where there is no path. A host or a bucket stays what it is.
    func beside(_ name: String) -> RemoteAddress {
        switch self {
        case .folder(let path): return .folder(Self.path(path[...], beside: name))
        case .network(let address):
            let host = address.firstRange(of: "://")?.upperBound ?? address.startIndex
            let rest = address[host...]
            let start = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            let end = rest[start...].firstIndex(of: "?") ?? rest.endIndex
            let path = Self.path(rest[start..<end], beside: name)
            return .network(address[..<start] + path + address[end...])
        }
    }

    private static func path(_ path: Substring, beside name: String) -> String {
        var path = path
        while path.hasSuffix("/") { path.removeLast() }
        return path + (path.isEmpty ? "/" : "-") + name
    }
}
