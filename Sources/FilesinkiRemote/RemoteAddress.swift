package import FilesinkiModel

/// Where a store is, as somebody named it.
package enum RemoteAddress: Hashable, Sendable {
    /// A folder of this machine, by its absolute path.
    case folder(String)
    /// A place that is reached over a network, as it was written.
    case network(String)

    private static let networkSchemes: Set = [
        "http", "https", "webdav", "webdavs", "dav", "davs", "s3",
    ]

    /// Reads `/path`, `dir:/path`, `file:///path`, or an address of a network: what means the same in
    /// every folder.
    ///
    /// - Throws: `Failure` with code `usage` for anything else, and for an address with a password.
    package init(absolute text: String) throws(Failure) {
        let place = text.hasPrefix("dir:") ? String(text.dropFirst("dir:".count)) : text
        if place.hasPrefix("/") {
            self = .folder(place)
        } else if let address = try Self.withScheme(place) {
            self = address
        } else {
            throw Failure(
                .usage, path: text, "This is not the address of a store.",
                remedy: "Use dir:/path, http(s)://, webdav(s):// or s3://.")
        }
    }

    /// Reads `file:///path` or an address of a network; nil for what is neither.
    ///
    /// - Throws: `Failure` with code `usage` for a folder of another machine or one whose name is not
    ///   UTF-8, and for an address with a password.
    package static func withScheme(_ text: String) throws(Failure) -> RemoteAddress? {
        guard let end = text.firstRange(of: "://") else { return nil }
        let rest = text[end.upperBound...]
        let scheme = text[..<end.lowerBound].lowercased()
        if scheme == "file" { return .folder(try path(ofFileAddress: rest, whole: text)) }
        guard networkSchemes.contains(scheme) else { return nil }
        try refusePassword(in: rest)
        return .network(text)
    }

    /// The absolute path, or the address: what a replica remembers.
    package var text: String {
        switch self {
        case .folder(let path): path
        case .network(let address): address
        }
    }

    /// What stands before an `@` may be a name only: an address is shown, kept and logged.
    private static func refusePassword(in rest: Substring) throws(Failure) {
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@"), authority[..<at].contains(":") else { return }
        throw .passwordInAddress
    }

    /// `rest` is what comes after `file://`: `/path`, or `localhost/path`; see RFC 8089.
    private static func path(
        ofFileAddress rest: Substring, whole: String
    ) throws(Failure) -> String {
        let place = rest.hasPrefix("localhost/") ? rest.dropFirst("localhost".count) : rest
        guard place.hasPrefix("/"), let bytes = PercentCoding.decode(place) else {
            throw Failure(
                .usage, path: whole, "This is not the address of a folder on this machine.",
                remedy: "Write file:///absolute/path, with %20 for a space.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                .usage, path: whole, "The name of this folder is not UTF-8.",
                remedy: "Give the folder a name in UTF-8.")
        }
        return text
    }
}

extension Failure {
    /// An address holds a password, which other programs and users could see.
    package static let passwordInAddress = Failure(
        .usage, "An address must not hold a password: others could see it.",
        remedy: "Put it into the environment or the credentials file; see Docs/Remotes.md.")
}
