import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote

/// Where a store is, as the user wrote it: a path, or a `file://` address.
struct RemoteAddress {
    /// The absolute path of the store's folder.
    let path: String

    /// - Parameter currentFolder: What a relative path begins at.
    /// - Throws: `Failure` with code `usage` for an address of another kind.
    init(_ text: String, currentFolder: String) throws(Failure) {
        guard let end = text.firstRange(of: "://") else {
            path = try FilePlace.absoluteText(text, in: currentFolder)
            return
        }
        let scheme = text[..<end.lowerBound].lowercased()
        guard scheme == "file" else {
            throw Failure(
                .usage, path: text, "Stores at \(scheme):// are not yet supported.",
                remedy: "Use the path of a folder, or file:// with one.")
        }
        path = try Self.path(ofFileAddress: text[end.upperBound...], whole: text)
    }

    /// `rest` is what comes after `file://`: `/path`, or `localhost/path`; see RFC 8089.
    private static func path(
        ofFileAddress rest: Substring, whole: String
    ) throws(Failure) -> String {
        let place = rest.hasPrefix("localhost/") ? rest.dropFirst("localhost".count) : rest
        guard place.hasPrefix("/"), let bytes = percentDecoded(place) else {
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

    private static func percentDecoded(_ text: Substring) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard let decoded = bytes(hexadecimal: digits), decoded.count == 1 else { return nil }
            result += decoded
            rest = rest.dropFirst(2)
        }
        return result
    }

    /// Opens the store's folder as a remote.
    func connect() -> any Remote {
        DirectoryRemote(path: path)
    }

    /// Makes the store's folder if the folder above it is there.
    ///
    /// Only for a replica that has not met its store yet: an absent folder of one that has is most
    /// likely a disk that is not mounted.
    func makeFolder() {
        // What cannot be made is found absent by who opens it, and said there.
        _ = FileCall.makeFolder(Array(path.utf8), mode: 0o777)
    }
}
