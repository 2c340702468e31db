import FilesinkiModel
import FilesinkiRemote

extension RemoteAddress {
    /// Reads what a user names: a folder, `file:///path`, or an address of a network.
    ///
    /// - Parameter currentFolder: What a relative path begins at.
    /// - Throws: `Failure` with code `usage` for an address of another kind, or with a password.
    init(_ text: String, currentFolder: String) throws(Failure) {
        guard let end = text.firstRange(of: "://") else {
            self = .folder(try FilePlace.absoluteText(text, in: currentFolder))
            return
        }
        switch try Self.withScheme(text) {
        case .folder(let path): self = .folder(try FilePlace.absoluteText(path, in: "/"))
        case .network(let address): self = .network(address)
        case nil:
            throw Failure(
                .usage, path: text,
                "Unsupported remote type: \(text[..<end.lowerBound].lowercased())://",
                remedy: "Use a folder, or http(s)://, webdav(s):// or s3://.")
        }
    }
}
