import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// Which of the open conflicts of a path are meant: of three devices that write one path, two have conflict copies.
package enum ConflictScope: Hashable, Sendable {
    /// The only one that there is.
    case only
    /// The one with this conflict copy; nil for the one without a copy.
    case copy(RelativePath?)
    /// All of them: they end with one version.
    case all

    /// The conflicts that are meant; none if none is open.
    ///
    /// - Parameter rows: The open conflicts of the path.
    /// - Throws: Code `usage` if the choice names another version for each of them, or would end one that is not meant.
    func rows(of rows: [ConflictRow], _ choice: ConflictChoice) throws(Failure) -> [ConflictRow] {
        guard let path = rows.first?.path, rows.count > 1 else {
            if case .copy(let copy) = self { return rows.filter { $0.copyPath == copy } }
            return rows
        }
        switch self {
        case .only: throw Failure.severalConflicts(path, rows.compactMap(\.copyPath))
        case .copy(let copy):
            if copy != nil, rows.contains(where: { $0.copyPath == nil }) {
                throw Failure.hasOwnConflict(path)
            }
            return rows.filter { $0.copyPath == copy }
        case .all:
            if case .ours = choice {
                throw Failure.severalConflicts(path, rows.compactMap(\.copyPath))
            }
            if case .base = choice, Set(rows.map { $0.base?.identity }).count > 1 {
                throw Failure.severalConflicts(path, rows.compactMap(\.copyPath))
            }
            return rows
        }
    }
}

extension Conflicts {
    /// Verifies that no conflict copy is in conflict itself: without it, nothing would list the copy of that conflict.
    ///
    /// - Parameter copies: Those of conflicts of the path that are to end.
    /// - Throws: Code `usage`.
    func requireInnermost(_ copies: [RelativePath], of path: RelativePath) throws {
        for copy in copies where try !openConflicts(at: copy).isEmpty {
            throw Failure.hasInnerConflict(path, copy)
        }
    }
}

extension Failure {
    fileprivate static func hasInnerConflict(
        _ path: RelativePath, _ copy: RelativePath
    ) -> Failure {
        Failure(
            .usage, path: path.bytes, "Its conflict copy \(copy) is in conflict itself.",
            remedy: "Resolve that first: filesinki resolve \(ShellWord.path(copy.bytes)).")
    }

    fileprivate static func severalConflicts(_ path: RelativePath, _ copies: [RelativePath])
        -> Failure
    {
        Failure(
            .usage, path: path.bytes, "Several conflicts of this path are open.",
            remedy: "Name one by its conflict copy: "
                + copies.map { printable($0.bytes) }.joined(separator: " or ") + ".")
    }

    fileprivate static func hasOwnConflict(_ path: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes, "The path has an open conflict without a copy, too.",
            remedy: "Resolve that first, by the name of the path.")
    }
}
