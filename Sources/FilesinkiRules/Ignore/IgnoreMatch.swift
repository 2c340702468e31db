package import FilesinkiModel

/// The rule that decides whether a path is left out, for `check-ignore`.
package struct IgnoreMatch: Hashable, Sendable {
    /// The ignore file, as a path below the root; nil for a built-in pattern.
    package var file: RelativePath?
    /// The line in that file, from 1.
    package var line: Int
    /// The pattern as it is written there.
    package var pattern: [UInt8]
    /// Whether the path is left out; false when the pattern begins with `!`.
    package var isIgnored: Bool
    /// What the pattern matched: the path itself or the folder of it that is left out.
    package var matched: RelativePath
}

extension IgnoreFilter {
    /// Says which rule decides about a path; nil when none matches and the path is kept.
    ///
    /// To be asked of the filter of the root. Reads the ignore files on the way down, as a scan
    /// would, and stops at the first folder that is left out.
    ///
    /// - Parameter read: Gives the content of a regular file, by its path below the root; nil when
    ///   there is none.
    /// - Throws: What `read` throws.
    package func explain(
        _ path: RelativePath, isDirectory: Bool, read: (RelativePath) throws -> [UInt8]?
    ) rethrows -> IgnoreMatch? {
        var filter = self
        var place: [UInt8] = []
        var names = path.names[...]
        while let name = names.popFirst() {
            place += place.isEmpty ? name : [UInt8(ascii: "/")] + name
            let isLast = names.isEmpty
            let here = RelativePath(unchecked: place)
            let match = filter.explain(name, isDirectory: !isLast || isDirectory, at: here)
            if isLast || match?.isIgnored == true { return match }
            filter = try filter.folder(named: name) { file in
                try read(here.appending(file.utf8))
            }
        }
        return nil
    }

    private func explain(_ name: ArraySlice<UInt8>, isDirectory: Bool, at path: RelativePath)
        -> IgnoreMatch?
    {
        guard let (layer, pattern) = match(name, isDirectory: isDirectory) else { return nil }
        return IgnoreMatch(
            file: layer.file.map { file in
                RelativePath(unchecked: folder[..<layer.folderLength] + Array(file.utf8))
            },
            line: pattern.line,
            pattern: Array(layer.rules.bytes[pattern.text]),
            isIgnored: !pattern.isNegated,
            matched: path)
    }
}
