package import FilesinkiModel
import FilesinkiReconcile

/// The ignore rules of one folder.
///
/// Every folder may have a `.filesinkiignore`, and a `.gitignore` if the settings enable it. The
/// last matching pattern of a file decides; the file of a deeper folder overrides that of an upper
/// one; in one folder `.filesinkiignore` overrides `.gitignore`. What the ignore files of this device ignore, no file
/// in the root includes again, because those come from other devices, too; what they include with `!` overrides only the
/// built-in patterns. The patterns of a run override all. Files in an ignored folder cannot be included again, because the
/// scan does not enter it.
///
/// A pattern with a wildcard, such as `.*`, does not ignore `.filesinkiignore` and `.filesinki.toml`: their rules would hold on
/// some devices only, and the others would send what they ignore. A `.gitignore` of which the rules hold is ignored by
/// those of a `.gitignore` only. A conflict copy is ignored with the file that it is of, also the copy of a copy.
package struct IgnoreFilter: ScanFilter {
    /// The name of filesinki's ignore file.
    package static let fileName = ".filesinkiignore"

    /// The names of all ignore files.
    package static let fileNames = [gitFileName, fileName]
    private static let gitFileName = ".gitignore"

    /// The patterns that apply everywhere unless a file negates them with `!`: iCloud's suffix for
    /// files that are not synced.
    package static let builtInPatterns = ["*.nosync"]

    private static let builtIn = Layer(
        rules: IgnoreRules(Array(builtInPatterns.joined(separator: "\n").utf8)), source: .builtIn,
        folderLength: 0)

    /// The rules of one file.
    struct Layer: Sendable {
        let rules: IgnoreRules
        let source: Source
        /// The length of its folder's path with the trailing slash.
        let folderLength: Int
    }

    /// Where rules come from.
    enum Source: Sendable {
        case builtIn
        /// The options of a run.
        case options
        /// An ignore file of this device, by its absolute path.
        case device(String)
        /// A file of this name in a folder of the root.
        case folder(String)
    }

    /// The patterns of the run, which override all files; nil for none.
    private let overriding: Layer?
    /// The files that apply, highest priority last; those of this device come first.
    private(set) var layers: [Layer] = []
    /// The number of files of this device.
    private let deviceLayers: Int
    /// The path of this folder with a trailing slash; empty for the root.
    private(set) var folder: [UInt8] = []
    /// The names of ignore files in each folder, highest priority last.
    private let files: [String]
    /// Whether a rule of an upper folder needs the path, not only the name.
    private var needsPath = false

    /// The rules of the root.
    ///
    /// - Parameters:
    ///   - gitignore: Whether `.gitignore` files apply, too.
    ///   - device: The ignore files of this device in ascending priority.
    ///   - patterns: The patterns of the run.
    ///   - read: Returns the content of a regular file directly inside the root; nil when it does
    ///     not exist.
    /// - Throws: Errors of `read`.
    package init(
        gitignore: Bool, device: [RulesLoad.DeviceFile] = [], patterns: RunPatterns = .none,
        read: (String) throws -> [UInt8]?
    ) rethrows {
        files = gitignore ? Self.fileNames : [Self.fileName]
        overriding =
            patterns.rules.isEmpty
            ? nil : Layer(rules: patterns.rules, source: .options, folderLength: 0)
        let own = device.map {
            Layer(rules: IgnoreRules($0.bytes), source: .device($0.path), folderLength: 0)
        }.filter { !$0.rules.isEmpty }
        layers = own
        deviceLayers = own.count
        try addLayers(read)
    }

    package func entering(_ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?) rethrows
        -> any ScanFilter
    {
        try folder(named: name, read: read)
    }

    /// The rules of the subfolder `name`.
    func folder(named name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?) rethrows
        -> IgnoreFilter
    {
        var result = self
        result.needsPath =
            needsPath || overriding?.rules.needsPath == true
            || layers.contains { $0.rules.needsPath }
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
            layers.append(
                Layer(rules: rules, source: .folder(file), folderLength: folder.count))
        }
    }

    package func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool {
        guard let (_, pattern) = match(name, isDirectory: isDirectory) else { return false }
        return !pattern.isNegated
    }

    /// The deciding pattern for `name` in this folder, with its file; nil when none matches.
    func match(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> (Layer, IgnorePattern)? {
        let own = matchName(name, isDirectory: isDirectory)
        guard !isDirectory, own?.1.isNegated != true, name.contains(UInt8(ascii: "(")),
            let original = conflictOriginal(of: RelativePath(unchecked: Array(name)))
        else { return own }
        // A line for the file decides about its copies, and about theirs.
        return match(original.path.name, isDirectory: false) ?? own
    }

    private func matchName(
        _ name: ArraySlice<UInt8>, isDirectory: Bool
    ) -> (Layer, IgnorePattern)? {
        // Rules of this folder need only the name.
        let path = needsPath ? folder + name : []
        if let layer = overriding, let found = match(layer, name, path, isDirectory) {
            return (layer, found)
        }
        let own = lastMatch(layers[..<deviceLayers], name, path, isDirectory)
        if let own, !own.1.isNegated { return own }
        if let found = lastMatch(layers[deviceLayers...], name, path, isDirectory) ?? own {
            return found
        }
        // The patterns match names only.
        return Self.builtIn.rules.lastMatch(
            name: name.span, path: name.span, isDirectory: isDirectory
        ).map { (Self.builtIn, $0) }
    }

    /// Whether the patterns of a file that have wildcards do not ignore a file of rules.
    private func spares(_ name: ArraySlice<UInt8>, from layer: Layer) -> Bool {
        if name.elementsEqual(Self.fileName.utf8) { return true }
        if folder.isEmpty, name.elementsEqual(Settings.syncedFile.utf8) { return true }
        guard files.contains(Self.gitFileName), name.elementsEqual(Self.gitFileName.utf8) else {
            return false
        }
        if case .folder(Self.gitFileName) = layer.source { return false }
        return true
    }

    private func lastMatch(
        _ layers: ArraySlice<Layer>, _ name: ArraySlice<UInt8>, _ path: [UInt8],
        _ isDirectory: Bool
    ) -> (Layer, IgnorePattern)? {
        for layer in layers.reversed() {
            if let found = match(layer, name, path, isDirectory) { return (layer, found) }
        }
        return nil
    }

    private func match(
        _ layer: Layer, _ name: ArraySlice<UInt8>, _ path: [UInt8], _ isDirectory: Bool
    ) -> IgnorePattern? {
        let isUpper = needsPath && layer.folderLength < folder.count
        let below = isUpper ? path[layer.folderLength...] : name
        let found = layer.rules.lastMatch(
            name: name.span, path: below.span, isDirectory: isDirectory)
        guard let found, !isDirectory, !found.isNegated, !found.isLiteral,
            spares(name, from: layer)
        else { return found }
        return layer.rules.lastMatch(
            name: name.span, path: below.span, isDirectory: false, literally: true)
    }
}

/// The rule that decides whether a path is ignored, for `check-ignore`.
package struct IgnoreMatch: Hashable, Sendable {
    /// The ignore file, as a path below the root; nil for a built-in pattern and a file of this device.
    package var file: RelativePath?
    /// The absolute path of this device's ignore file; nil for any other rule.
    package var deviceFile: String?
    /// The line number in that file, from 1.
    package var line: Int
    /// The text of the pattern.
    package var pattern: [UInt8]
    /// Whether the path is ignored; false when the pattern starts with `!`.
    package var isIgnored: Bool
    /// The matched path: the path itself, or its ignored folder.
    package var matched: RelativePath
    /// Whether the pattern is one of ``RunPatterns``.
    package var isOption = false
}

extension IgnoreFilter {
    /// The rule that decides about a path; nil when none matches and the path is synced.
    ///
    /// Call it on the filter of the root. Reads the ignore files from the root down, as a scan
    /// does, and stops at the first ignored folder.
    ///
    /// - Parameter read: Returns the content of a regular file by its path; nil when it does not
    ///   exist.
    /// - Throws: Errors of `read`.
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
        var file: RelativePath?
        var deviceFile: String?
        var isOption = false
        switch layer.source {
        case .builtIn: break
        case .options: isOption = true
        case .device(let path): deviceFile = path
        case .folder(let name):
            file = RelativePath(unchecked: folder[..<layer.folderLength] + Array(name.utf8))
        }
        return IgnoreMatch(
            file: file, deviceFile: deviceFile, line: pattern.line,
            pattern: Array(layer.rules.bytes[pattern.text]),
            isIgnored: !pattern.isNegated,
            matched: path, isOption: isOption)
    }
}

extension RelativePath {
    /// Whether a file at the path says what is ignored in its folder.
    package var isIgnoreFile: Bool {
        IgnoreFilter.fileNames.contains { $0.utf8.elementsEqual(name) }
    }

    /// The paths at which a folder has files of rules.
    ///
    /// - Parameter folder: Nil for the root.
    package static func filesOfRules(in folder: RelativePath?) -> [RelativePath] {
        guard let folder else {
            return (IgnoreFilter.fileNames + [Settings.syncedFile]).map {
                RelativePath(unchecked: Array($0.utf8))
            }
        }
        return IgnoreFilter.fileNames.map { folder.appending($0.utf8) }
    }

    /// Whether a file at the path has rules for what is synced, or how.
    package var holdsRules: Bool {
        isIgnoreFile || Settings.syncedFile.utf8.elementsEqual(bytes)
    }
}
