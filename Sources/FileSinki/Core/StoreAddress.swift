import FilesinkiDirectory
import FilesinkiModel
import FilesinkiNetwork
import FilesinkiRemote
import Glibc

/// Where a store is, as the program named it.
enum StoreAddress: Sendable {
    /// A folder of this machine, by its absolute path.
    case folder(String)
    /// A place that is reached over a network, as it was written.
    case network(String)

    private static let networkSchemes: Set = [
        "http", "https", "webdav", "webdavs", "dav", "davs", "s3",
    ]

    /// Reads `/path`, `dir:/path`, `file:///path`, or an address of a network.
    ///
    /// - Throws: Code `usage` for anything else, and for an address that holds a password.
    init(_ text: String) throws(FileSinkiError) {
        let rest = text.hasPrefix("dir:") ? String(text.dropFirst("dir:".count)) : text
        if rest.hasPrefix("/") {
            self = .folder(rest)
        } else if rest.hasPrefix("file:///"), let bytes = PercentCoding.decode(rest.dropFirst(7)) {
            self = .folder(String(decoding: bytes, as: UTF8.self))
        } else if let scheme = Self.scheme(of: rest), Self.networkSchemes.contains(scheme) {
            try Self.refusePassword(in: rest)
            self = .network(rest)
        } else {
            throw FileSinkiError(
                .usage, path: text, message: "This is not the address of a store.",
                remedy: "Use dir:/path, http(s)://, webdav(s):// or s3://.")
        }
    }

    private static func scheme(of text: String) -> String? {
        text.firstRange(of: "://").map { text[..<$0.lowerBound].lowercased() }
    }

    private static func refusePassword(in text: String) throws(FileSinkiError) {
        guard let start = text.firstRange(of: "://")?.upperBound else { return }
        let authority = text[start...].prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@"), authority[..<at].contains(":") else { return }
        throw FileSinkiError(
            .usage, path: "", message: "An address must not hold a password: others could see it.",
            remedy: "Put it into the environment or the credentials file of filesinki.")
    }

    /// What a replica remembers.
    var text: String {
        switch self {
        case .folder(let path): path
        case .network(let address): address
        }
    }

    /// The address of another store beside this one, by the last name of its path: a hyphen and `name`
    /// behind it, or `name` alone where there is no path. A host or a bucket stays what it is.
    func beside(_ name: String) -> StoreAddress {
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

    /// Makes the store's folder if it is one and the folder above it is there.
    func makeFolder() {
        if case .folder(let path) = self { mkdir(path, 0o777) }
    }

    /// Opens the remotes of this process by their addresses.
    static func connector(_ surroundings: Surroundings) -> @Sendable (String) throws -> any Remote {
        let remotes = NetworkRemotes(surroundings: surroundings) { name in
            getenv(name).map { String(cString: $0) }
        }
        return { text in
            switch try StoreAddress(text) {
            case .folder(let path): DirectoryRemote(path: path)
            case .network(let address): try remotes.connect(address)
            }
        }
    }
}
