package import FilesinkiModel

/// Leaves out what ignore files say: the rules that hold in one folder.
///
/// Every folder may have a `.filesinkiignore`, and a `.gitignore` when the settings let it count.
/// The last pattern of a file that matches decides; a deeper folder's file wins over an upper
/// one's; in the same folder `.filesinkiignore` wins over `.gitignore`; any file wins over the built-in
/// patterns. What lies in a folder that is left out cannot be taken back in, because the scan never
/// enters that folder.
package struct IgnoreFilter: ScanFilter {
    /// The name of our own ignore file.
    package static let fileName = ".filesinkiignore"

    /// The names of all files that may count.
    package static let fileNames = [".gitignore", fileName]

    /// The patterns that hold everywhere, unless a rule of a file negates them with `!`: what a user
    /// of iCloud marks as not to be synced.
    package static let builtInPatterns = ["*.nosync"]

    private static let builtIn = Layer(
        rules: IgnoreRules(Array(builtInPatterns.joined(separator: "\n").utf8)), file: nil,
        folderLength: 0)

    /// The rules of one file and where it was found.
    struct Layer: Sendable {
        let rules: IgnoreRules
        /// Nil for the built-in patterns.
        let file: String?
        /// The length of the path of its folder, with the slash after it.
        let folderLength: Int
    }

    /// The files that count here, the deciding one last.
    private(set) var layers: [Layer] = []
    /// The path of this folder with a slash after it; empty for the root.
    private(set) var folder: [UInt8] = []
    /// The names to look for in every folder, the deciding one last.
    private let files: [String]
    /// Whether an upper folder has a rule that needs the path down from there.
    private var needsPath = false

    /// The rules that hold in the root.
    ///
    /// - Parameters:
    ///   - gitignore: Whether `.gitignore` files count too.
    ///   - read: Gives the content of a regular file directly inside the root; nil when there is
    ///     none of that name.
    /// - Throws: What `read` throws.
    package init(gitignore: Bool, read: (String) throws -> [UInt8]?) rethrows {
        files = gitignore ? Self.fileNames : [Self.fileName]
        try addLayers(read)
    }

    package func entering(_ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?) rethrows
        -> any ScanFilter
    {
        try folder(named: name, read: read)
    }

    /// The rules that hold in the folder `name` of this folder.
    func folder(named name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?) rethrows
        -> IgnoreFilter
    {
        var result = self
        result.needsPath = needsPath || layers.contains { $0.rules.needsPath }
        result.folder.append(contentsOf: name)
        result.folder.append(UInt8(ascii: "/"))
        try result.addLayers(read)
        return result
    }

    private mutating func addLayers(_ read: (String) throws -> [UInt8]?) rethrows {
        for file in files {
            guard let bytes = try read(file) else { continue }
            let rules = IgnoreRules(bytes)
            if rules.isEmpty { continue }
            layers.append(Layer(rules: rules, file: file, folderLength: folder.count))
        }
    }

    package func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool {
        guard let (_, pattern) = match(name, isDirectory: isDirectory) else { return false }
        return !pattern.isNegated
    }

    /// The pattern that decides about `name` in this folder, and its file; nil when none matches.
    func match(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> (Layer, IgnorePattern)? {
        // Rules of this very folder need no more than the name.
        let path = needsPath ? folder + name : []
        for layer in layers.reversed() {
            let isUpper = needsPath && layer.folderLength < folder.count
            let below = isUpper ? path[layer.folderLength...] : name
            let found = layer.rules.lastMatch(
                name: name.span, path: below.span, isDirectory: isDirectory)
            if let found { return (layer, found) }
        }
        // The patterns are about names alone.
        return Self.builtIn.rules.lastMatch(
            name: name.span, path: name.span, isDirectory: isDirectory
        ).map { (Self.builtIn, $0) }
    }
}

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
