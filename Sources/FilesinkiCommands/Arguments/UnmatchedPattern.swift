import FilesinkiModel
import FilesinkiRules
import FilesinkiText

/// A pattern that matches nothing. It counts from the root, as in a `.gitignore` there, also where it is given in a
/// folder of the replica; the user may have meant it from there.
extension Session {
    /// The failure with the pattern as it was typed. If the pattern would match with the current folder in front, names
    /// that one; else says where a pattern counts from, if that is not where the user is.
    ///
    /// - Parameters:
    ///   - argument: As the user typed it. The failure of one that is no pattern stays as it is.
    ///   - paths: What the pattern was compared with.
    func naming(
        pattern argument: String, in failure: Failure, among paths: [RelativePath]
    ) -> Failure {
        guard PathPattern.isPattern(argument) else { return failure }
        let folder = ArgumentPaths(root, currentFolder: console.currentFolder).folder
        var named = failure
        named.path = ArgumentText.bytes(of: argument)
        if let text = patternFromRoot(argument, in: folder),
            let meant = try? PathPattern(text), paths.contains(where: meant.covers)
        {
            named.remedy =
                "A pattern counts from the root of the replica. Did you mean "
                + "\(ShellWord.shown(text.utf8))?"
        } else if folder != nil, argument.dropLast().contains("/") {
            named.remedy =
                "A pattern counts from the root of the replica, not from the current folder. "
                + failure.remedy
        }
        return named
    }

    /// The pattern that counts from the root as this one would from the current folder; nil if it is the same, or if
    /// only the root is above what it matches: without a slash it would match in all folders.
    private func patternFromRoot(_ argument: String, in folder: RelativePath?) -> String? {
        guard let path = try? root.path(argument, currentFolder: console.currentFolder) else {
            return nil
        }
        var bytes = path.bytes
        if let folder, path.isInside(folder) {
            bytes = PathPattern.plain(folder) + bytes.dropFirst(folder.bytes.count)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return text == argument || !text.contains("/") ? nil : text
    }
}

extension PathPattern {
    /// The pattern that means a path as it is named, whatever characters it has.
    static func plain(_ path: RelativePath) -> [UInt8] {
        var pattern: [UInt8] = []
        for byte in path.bytes {
            // At its beginning, these are read otherwise than as a name.
            let isSpecial =
                "*?[\\".utf8.contains(byte) || pattern.isEmpty && "!#-".utf8.contains(byte)
            if isSpecial { pattern.append(UInt8(ascii: "\\")) }
            pattern.append(byte)
        }
        return pattern
    }
}
