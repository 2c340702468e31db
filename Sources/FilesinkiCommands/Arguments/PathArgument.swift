import FilesinkiModel

extension RootChoice {
    /// The path below the root that an argument names.
    ///
    /// An absolute argument must lie below the root. A relative one begins at the current folder when
    /// the root was found above it, as with git; else, with a root that is somewhere else, at the
    /// root.
    ///
    /// - Returns: nil for the root itself.
    /// - Throws: `Failure` with code `badPath` for what lies outside.
    func path(_ argument: String, currentFolder: String) throws(Failure) -> RelativePath? {
        let bytes = ArgumentText.bytes(of: argument)
        guard !bytes.isEmpty else { return try RelativePath(bytes) }
        let isRelative = bytes.first != UInt8(ascii: "/")
        if isRelative, origin != .above {
            // Checked as it is: a `..` in it is refused rather than worked out.
            let isRoot = bytes.elementsEqual(".".utf8) || bytes.elementsEqual("./".utf8)
            return isRoot ? nil : try RelativePath(Self.withoutTrailingSlash(bytes))
        }
        let place = FilePlace.absolute(bytes, in: currentFolder)
        return try below(place)
    }

    private static func withoutTrailingSlash(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return bytes
    }

    /// The part of an absolute path below the root; nil for the root itself.
    func below(_ place: [UInt8]) throws(Failure) -> RelativePath? {
        let root = Array(path.utf8)
        if place == root { return nil }
        let prefix = path == "/" ? root : root + [UInt8(ascii: "/")]
        guard place.starts(with: prefix) else {
            throw Failure(
                .badPath, path: place, "This is not below the root \(printable(root)).",
                remedy: "Name a path inside the root, or another root with --root.")
        }
        return try RelativePath(place[prefix.count...])
    }
}
