import FilesinkiModel

/// Where a store is, as the user wrote it.
enum RemoteAddress: Hashable {
    /// A folder of this machine, by its absolute path.
    case folder(String)
    /// A place that is reached over a network, as it was written.
    case network(String)

    /// The schemes of places that are reached over a network.
    static let networkSchemes: Set = [
        "http", "https", "webdav", "webdavs", "dav", "davs", "s3",
    ]

    /// - Parameter currentFolder: What a relative path begins at.
    /// - Throws: `Failure` with code `usage` for an address of another kind, or with a password.
    init(_ text: String, currentFolder: String) throws(Failure) {
        guard let end = text.firstRange(of: "://") else {
            self = .folder(try FilePlace.absoluteText(text, in: currentFolder))
            return
        }
        let scheme = text[..<end.lowerBound].lowercased()
        if scheme == "file" {
            self = .folder(try Self.path(ofFileAddress: text[end.upperBound...], whole: text))
        } else if Self.networkSchemes.contains(scheme) {
            try Self.refusePassword(in: text[end.upperBound...])
            self = .network(text)
        } else {
            throw Failure(
                .usage, path: text, "Nothing is known of stores at \(scheme)://.",
                remedy: "Use a folder, or http(s)://, webdav(s):// or s3://.")
        }
    }

    /// The absolute path, or the address: what a replica remembers.
    var text: String {
        switch self {
        case .folder(let path): path
        case .network(let address): address
        }
    }

    /// What stands before an `@` may be a name only: an address is shown, kept and logged.
    private static func refusePassword(in rest: Substring) throws(Failure) {
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@"), authority[..<at].contains(":") else { return }
        throw Failure(
            .usage, "An address must not hold a password: others could see it.",
            remedy: "Put it into the environment or the credentials file; see Docs/Remotes.md.")
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
        return try FilePlace.absoluteText(text, in: "/")
    }

    /// Makes the store's folder if it is one and the folder above it is there.
    ///
    /// Only for a replica that has not met its store yet: an absent folder of one that has is most
    /// likely a disk that is not mounted.
    func makeFolder() {
        guard case .folder(let path) = self else { return }
        // What cannot be made is found absent by who opens it, and said there.
        _ = FileCall.makeFolder(Array(path.utf8), mode: 0o777)
    }
}
