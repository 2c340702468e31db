package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// The paths that a partial replica holds: the chosen ones with everything below them, the folders
/// above them, and the files of rules that apply to them.
package struct PathChoice: Hashable, Sendable {
    /// The chosen paths, sorted; none is inside another.
    package let paths: [RelativePath]
    private let chosen: Set<RelativePath>
    /// The folders above the chosen paths.
    private let above: Set<RelativePath>

    /// - Parameter paths: Files or folders, which need not exist.
    package init(_ paths: [RelativePath]) {
        chosen = Set(paths).outermost
        above = Set(chosen.flatMap(\.ancestors))
        self.paths = chosen.sorted()
    }

    /// Whether a path is chosen, with everything below it. So are the conflict copies of a chosen file and the copies of
    /// these, and `.filesinki.toml` and the ignore files of the folders above.
    package func contains(_ path: RelativePath) -> Bool {
        isAtOrInsideChosen(path) || isRuleFile(path) || isCopyOfHeld(path)
    }

    /// Whether the replica holds a path: it is chosen, or above a chosen one. What is above is held
    /// whatever it is, because the folder must not replace a file that is not here.
    package func holds(_ path: RelativePath) -> Bool { contains(path) || isAbove(path) }

    /// Whether the path is above a chosen path.
    package func isAbove(_ path: RelativePath) -> Bool { above.contains(path) }

    /// Whether the replica holds everything below a path.
    func holdsAll(below path: RelativePath) -> Bool { isAtOrInsideChosen(path) }

    private func isAtOrInsideChosen(_ path: RelativePath) -> Bool { path.isAtOrInside(chosen) }

    private func isRuleFile(_ path: RelativePath) -> Bool {
        guard let parent = path.parent else { return path.holdsRules }
        return above.contains(parent) && path.isIgnoreFile
    }

    private func isCopyOfHeld(_ path: RelativePath) -> Bool {
        path.name.contains(UInt8(ascii: "("))
            && conflictOriginals(of: path).contains { chosen.contains($0) || above.contains($0) }
    }

    /// The choice with further paths.
    package func adding(_ more: [RelativePath]) -> PathChoice { PathChoice(paths + more) }

    /// The choice without some of its paths, each given by itself or by a folder above it.
    ///
    /// - Throws: Code `not-found` for a path that is not chosen, `usage` if nothing would be left.
    package func removing(_ less: [RelativePath]) throws(Failure) -> PathChoice {
        for path in less where !chosen.contains(path) && !above.contains(path) {
            if let outer = path.ancestors.first(where: chosen.contains) {
                throw Failure(
                    .usage, path: path.bytes, "Only a part of the chosen folder \(outer).",
                    remedy: "To leave it out on this device, write it into .filesinki/ignore. What "
                        + "is here stays; removing it then deletes nothing elsewhere.")
            }
            throw Failure(
                .notFound, path: path.bytes, "Not one of the chosen paths.",
                remedy: "List them with filesinki only list.")
        }
        let rest = paths.filter { path in
            !less.contains { path == $0 || path.isInside($0) }
        }
        guard !rest.isEmpty else {
            throw Failure(
                .usage, path: less.first?.bytes ?? [], "No path would be left.",
                remedy:
                    "For a complete replica use filesinki only disable; to end it, filesinki deinit."
            )
        }
        return PathChoice(rest)
    }
}

/// The note of a replica's choice in its state folder.
package struct PathChoiceNote: Equatable, Sendable {
    /// Nil for a complete replica.
    package var choice: PathChoice?
    /// Whether what is outside of the choice is still to be removed from the root.
    package var isRemoving = false

    package init(_ choice: PathChoice?, isRemoving: Bool = false) {
        self.choice = choice
        self.isRemoving = isRemoving
    }

    /// Lines of `only PATH`, percent-encoded, and `removing`.
    package var bytes: [UInt8] {
        let lines = choice.map { $0.paths.map { "only \(PercentCoding.encodePath($0.bytes))\n" } }
        return Array(((lines ?? []).joined() + (isRemoving ? "removing\n" : "")).utf8)
    }

    /// Reads what ``bytes`` has written; nil if a line is invalid.
    package init?(_ bytes: [UInt8]) {
        var paths: [RelativePath] = []
        var isRemoving = false
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            if line == "removing" {
                isRemoving = true
                continue
            }
            guard line.hasPrefix("only "), let bytes = PercentCoding.decode(line.dropFirst(5)),
                let path = try? RelativePath(bytes)
            else { return nil }
            paths.append(path)
        }
        self.init(paths.isEmpty ? nil : PathChoice(paths), isRemoving: isRemoving)
    }
}

/// Leaves out what is outside of the chosen paths, and inside them what another filter ignores.
package struct ChoiceFilter: ScanFilter {
    private let choice: PathChoice
    private let filter: any ScanFilter
    /// The path of this folder with a trailing slash; empty for the root.
    private let folder: [UInt8]

    /// - Parameter filter: The filter of the root.
    package init(_ choice: PathChoice, within filter: any ScanFilter) {
        self.init(choice, filter, folder: [])
    }

    private init(_ choice: PathChoice, _ filter: any ScanFilter, folder: [UInt8]) {
        self.choice = choice
        self.filter = filter
        self.folder = folder
    }

    package func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool {
        let path = RelativePath(unchecked: folder + name)
        return !choice.holds(path) || filter.ignores(name, isDirectory: isDirectory)
    }

    package func entering(
        _ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?
    ) rethrows -> any ScanFilter {
        let path = folder + name
        let inside = try filter.entering(name, read: read)
        if choice.holdsAll(below: RelativePath(unchecked: path)) { return inside }
        return ChoiceFilter(choice, inside, folder: path + [UInt8(ascii: "/")])
    }
}
