import FilesinkiModel

/// Places in the file system as absolute paths, worked out from text alone.
enum FilePlace {
    /// The absolute path, without `.`, `..`, doubled or trailing slashes. `..` is taken as text:
    /// it removes the name before it, also when that is a symlink.
    ///
    /// - Parameter folder: What a relative path begins at; absolute.
    static func absolute(_ path: [UInt8], in folder: String) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        let whole = path.first == slash ? path : Array(folder.utf8) + [slash] + path
        var names: [ArraySlice<UInt8>] = []
        for name in whole.split(separator: slash) {
            if name.elementsEqual("..".utf8) {
                _ = names.popLast()
            } else if !name.elementsEqual(".".utf8) {
                names.append(name)
            }
        }
        return [slash] + Array(names.joined(separator: [slash]))
    }

    /// The absolute path as text.
    ///
    /// - Throws: `Failure` with code `usage` when it is not UTF-8: a root, a store and a state folder
    ///   are named in settings, which are text.
    static func absoluteText(_ path: String, in folder: String) throws(Failure) -> String {
        let bytes = absolute(ArgumentText.bytes(of: path), in: folder)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                .usage, path: bytes, "The name of this folder is not UTF-8.",
                remedy: "Give the folder a name in UTF-8, or reach it through a symlink.")
        }
        return text
    }
}
