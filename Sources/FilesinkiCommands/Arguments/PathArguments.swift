import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiText

extension RootChoice {
    /// The path below the root that an argument names.
    ///
    /// An absolute argument must be below the root. A relative one is relative to the current folder when
    /// the root was found above it, as with git; else to the root.
    ///
    /// - Returns: nil for the root itself.
    /// - Throws: `Failure` with code `badPath` for a path outside of it.
    func path(_ argument: String, currentFolder: String) throws(Failure) -> RelativePath? {
        let bytes = ArgumentText.bytes(of: argument)
        guard !bytes.isEmpty else { return try RelativePath(bytes) }
        let isRelative = bytes.first != UInt8(ascii: "/")
        if isRelative, origin != .above {
            // Checked as it is: a `..` in it is refused rather than worked out.
            let isRoot = bytes.elementsEqual(".".utf8) || bytes.elementsEqual("./".utf8)
            return isRoot ? nil : try RelativePath(Self.plain(bytes))
        }
        let place = FilePlace.absolute(bytes, in: currentFolder)
        return try below(place)
    }

    /// The path without a slash at its end, and without a `./` at its beginning, which keeps one from being read as
    /// options, and which shells complete.
    private static func plain(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes.starts(with: "./".utf8) ? Array(bytes.dropFirst(2)) : bytes
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return bytes
    }

    /// The part of an absolute path below the root, also where a symlink leads there; nil for the root itself.
    func below(_ place: [UInt8]) throws(Failure) -> RelativePath? {
        let root = Array(path.utf8)
        if let inside = Self.names(of: place, below: root) ?? namesBehindSymlinks(of: place) {
            return inside.isEmpty ? nil : try RelativePath(inside)
        }
        if let other = Self.nearestReplica(from: String(decoding: place, as: UTF8.self)),
            other != path
        {
            throw .inOtherReplica(place, other)
        }
        throw Failure(
            .badPath, path: place, "Not below the root \(printable(root)).",
            remedy: "Give a path inside the root, or another root with --root.")
    }

    /// What of a path is below a folder; empty for the folder itself, nil for a path outside of it.
    private static func names(
        of place: [UInt8], below folder: [UInt8]
    ) -> ArraySlice<UInt8>? {
        if place == folder { return [] }
        let prefix = folder == [UInt8(ascii: "/")] ? folder : folder + [UInt8(ascii: "/")]
        return place.starts(with: prefix) ? place[prefix.count...] : nil
    }

    /// The same for a path that comes into the root through a symlink. Its last name may be a symlink of the replica.
    private func namesBehindSymlinks(of place: [UInt8]) -> ArraySlice<UInt8>? {
        let root = RootPlacement.realPath(Array(path.utf8))
        if RootPlacement.realPath(place) == root { return [] }
        let slash = UInt8(ascii: "/")
        guard let cut = place.lastIndex(of: slash), cut < place.endIndex - 1 else { return nil }
        let folder = RootPlacement.realPath(cut == 0 ? [slash] : Array(place[..<cut]))
        return Self.names(of: (folder == [slash] ? [] : folder) + place[cut...], below: root)
    }
}

extension Failure {
    /// A path that is in another replica than the command works on.
    static func inOtherReplica(_ place: [UInt8], _ root: String) -> Failure {
        Failure(
            .badPath, path: place, "This path is in the replica \(printable(root.utf8)).",
            remedy: "Add --root \(ShellWord.shown(root.utf8)), or run the command there.")
    }
}

/// Paths as arguments name them: relative to the current folder where the root was found above it, else to the root.
struct ArgumentPaths: Equatable {
    /// The current folder, where arguments are relative to it; nil where they are relative to the root.
    let folder: RelativePath?

    static let ofRoot = ArgumentPaths(folder: nil)

    private init(folder: RelativePath?) { self.folder = folder }

    init(_ root: RootChoice, currentFolder: String) {
        guard root.origin == .above else {
            self.init(folder: nil)
            return
        }
        self.init(folder: (try? root.below(Array(currentFolder.utf8))) ?? nil)
    }

    /// The argument that names the path.
    func bytes(_ path: RelativePath) -> [UInt8] {
        guard let folder else { return path.bytes }
        let slash = UInt8(ascii: "/")
        if path.isInside(folder) { return Array(path.bytes[(folder.bytes.count + 1)...]) }
        let (names, from) = (
            path.bytes.split(separator: slash), folder.bytes.split(separator: slash)
        )
        let common = zip(names, from).prefix { $0.elementsEqual($1) }.count
        let up = Array(repeating: Array("..".utf8)[...], count: from.count - common)
        let steps = up + names[common...]
        return steps.isEmpty ? Array(".".utf8) : Array(steps.joined(separator: [slash]))
    }

    /// The argument for display.
    func text(_ path: RelativePath) -> String { printable(bytes(path)) }
}

/// A list of paths that may be longer than a command line.
struct PathsOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Paths from a file too, one a line, or with -0 each ended by a NUL byte; - is "
                + "standard input.",
            valueName: "file"),
        completion: .file())
    var pathsFrom: String?

    @OptionGroup var null: NullOption

    /// The longest list, in bytes: 256 MiB.
    private static let limit = 256 << 20

    /// The paths of the command line and those of the file, in that order; nil when the file names
    /// none. That must not be taken for everything, and a path before it may be the root itself.
    func all(_ arguments: [String], in console: Console) throws -> [String]? {
        guard let pathsFrom else { return arguments }
        let bytes = try InputFile(pathsFrom, in: console).readAll(limit: Self.limit)
        let end: UInt8 = null.null ? 0 : UInt8(ascii: "\n")
        let paths = bytes.split(separator: end).map { ArgumentText.encode(Array($0)) }
        guard paths.isEmpty else { return arguments + paths }
        let nothing = "The list of paths is empty; nothing was done."
        // Quiet for cron, whose lists are often empty.
        if console.terminals.talk { console.say(nothing) } else { console.detail(nothing) }
        return nil
    }

    /// Rejects a command line without a path where one is needed.
    ///
    /// - Parameter hint: Where the user finds paths, as a sentence; empty for nothing.
    func require(_ arguments: [String], hint: String = "") throws {
        if arguments.isEmpty, pathsFrom == nil {
            let text = "Give a path, or --paths-from."
            throw ValidationError(hint.isEmpty ? text : "\(text) \(hint)")
        }
    }
}

/// The separator of a list of paths.
struct NullOption: ParsableArguments {
    @Flag(
        name: [.customShort("0"), .long], help: "Print bare paths, each terminated by a NUL byte.")
    var null = false

    /// Applies the options to the console.
    func apply(to console: Console) { console.outputOptions.isNull = null }
}

extension Output {
    /// A path as it is, with a NUL byte behind it.
    func path(_ path: RelativePath) throws { try write(path.bytes + [0]) }
}

/// An argument of the form `PATH@VERSION`.
struct VersionedPath: Equatable {
    /// The path, as the user wrote it.
    var path: String
    /// The number after the last `@`; nil if it does not exist.
    var version: UInt64?

    /// A name may hold an `@` itself: only digits behind the last one are a version.
    init(_ argument: String) {
        guard let cut = argument.lastIndex(of: "@"), cut > argument.startIndex,
            let version = Self.number(argument[argument.index(after: cut)...])
        else {
            path = argument
            return
        }
        path = String(argument[..<cut])
        self.version = version
    }

    /// Both parts.
    ///
    /// - Throws: `Failure` with code `usage` when the version is missing.
    func required() throws(Failure) -> (path: String, version: UInt64) {
        guard let version else {
            if isRevision { throw Failure.isRevision(path) }
            throw Failure(
                .usage, path: ArgumentText.bytes(of: path), "The version is missing.",
                remedy: "Write PATH@VERSION, such as notes/a@12; filesinki log PATH lists them.")
        }
        return (path, version)
    }

    /// What to say of an argument that names no path, to a command that takes neither versions nor patterns: that it looks
    /// like one of these; nil if it does not.
    static func remedyForOnePath(_ argument: String) -> String? {
        let given = VersionedPath(argument)
        if given.version != nil {
            return "No version is taken here: give \(ShellWord.path(given.path.utf8)) alone. "
                + "filesinki show prints that version."
        }
        guard PathPattern.isPattern(argument) else { return nil }
        return "No pattern is taken here: name one file or folder; filesinki ls lists them."
    }

    /// Whether the argument is what other tools call a state of all files: `HEAD`, `@2` or `2`.
    var isRevision: Bool {
        if version != nil { return false }
        let name = path.prefix { $0 != "~" && $0 != "^" && $0 != "@" }
        return name == "HEAD" || path == "@" || path == "latest" || Self.number(path[...]) != nil
            || path.first == "@" && Self.number(path.dropFirst()) != nil
    }

    private static func number(_ digits: Substring) -> UInt64? {
        digits.allSatisfy { $0.isASCII && $0.isNumber } ? UInt64(digits) : nil
    }
}

extension Failure {
    /// A state of all files was named, where a version of one path is meant.
    static func isRevision(_ argument: String) -> Failure {
        let commit = UInt64(argument.drop { $0 == "@" }).map { " " + CommitSummary.remedy(of: $0) }
        return Failure(
            .usage, path: ArgumentText.bytes(of: argument), "A path is needed, with its version.",
            remedy: "Write PATH@VERSION, such as notes/a@12; filesinki log lists all versions, and "
                + "filesinki log PATH those of one path.\(commit ?? "")")
    }
}
