import FilesinkiModel
import Synchronization

/// The conflict copies among the paths where a side differs from the base, by the path that they
/// were made for. Looked up when the first conflict needs a copy: few plans have one.
final class ChangedCopies: Sendable {
    private let found = Mutex<[RelativePath: Set<RelativePath>]?>(nil)

    func copies(of path: RelativePath, in input: ReconcileInput) -> Set<RelativePath> {
        found.withLock { found in
            let all = found ?? Self.all(in: input)
            found = all
            return all[path] ?? []
        }
    }

    private static func all(in input: ReconcileInput) -> [RelativePath: Set<RelativePath>] {
        var all: [RelativePath: Set<RelativePath>] = [:]
        for keys in [Array(input.ours.keys), Array(input.theirs.keys)] {
            for path in keys {
                guard let original = conflictOriginal(of: path)?.path else { continue }
                all[original, default: []].insert(path)
            }
        }
        return all
    }
}

extension ReconcileInput {
    /// The conflict copies of a path that any of the three trees has, whoever made them.
    func conflictCopies(of path: RelativePath) -> Set<RelativePath> {
        copies.copies(of: path, in: self).union(
            base.paths(beginning: conflictPrefix(of: path))
                .filter { conflictOriginal(of: $0)?.path == path })
    }

    /// The path that an entry is a conflict copy of, by its name and content; nil when it is none, or
    /// when there is no such path any more.
    func original(of entry: Entry, at path: RelativePath) -> RelativePath? {
        guard entry.kind != .directory, let (original, digits) = conflictOriginal(of: path),
            contentHash(of: entry).hasPrefix(digits),
            local(original) != nil || remote(original) != nil
        else { return nil }
        return original
    }
}
