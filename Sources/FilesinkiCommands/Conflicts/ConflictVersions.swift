import ArgumentParser
import FilesinkiEngine
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile

/// A version of an open conflict, as `show --conflict` names it.
enum ConflictSide: String, CaseIterable, ExpressibleByArgument {
    case base, here, there
    /// Both sides, with markers where they differ.
    case merge
}

/// The contents of a conflict, and what a merge tool begins with: both sides between markers if they are
/// text, else the version from here.
struct ConflictVersions {
    var base: [UInt8]
    var ours: [UInt8]
    var theirs: [UInt8]
    /// Nil if a side is not text.
    var marked: [UInt8]?

    var start: [UInt8] { marked ?? ours }
}

extension Session {
    /// - Throws: `Failure` with code `not-found`.
    func openConflict(at path: RelativePath) async throws -> OpenConflict {
        if let found = try await replica.conflicts().last(where: { $0.path == path }) {
            return found
        }
        throw Failure(
            .notFound, path: path.bytes, "No open conflict was found.",
            remedy: "See the open ones with filesinki conflicts.")
    }

    /// - Throws: Code `usage` if a side is not a file.
    func versions(of open: OpenConflict) async throws -> ConflictVersions {
        let conflict = open.conflict
        guard conflict.ours?.kind == .file, conflict.theirs?.kind == .file else {
            throw Failure(
                .usage, path: open.path.bytes, "A merge tool needs a file on each side.",
                remedy: "Choose a side with --take here or --take there.")
        }
        let base =
            conflict.base?.kind == .file ? try await content(of: conflict.base, at: open.path) : []
        let ours = try await content(of: conflict.ours, at: open.copy ?? open.path)
        let theirs = try await content(of: conflict.theirs, at: open.path)
        let marked = TextMerge.marked(MergeInput(base: base, ours: ours, theirs: theirs))
        return ConflictVersions(base: base, ours: ours, theirs: theirs, marked: marked)
    }

    /// The content of one side of the open conflict at a path.
    ///
    /// - Throws: Code `not-found` when there is no conflict, or that side has no content; `usage` for a
    ///   merge of anything but text.
    func content(of side: ConflictSide, at path: RelativePath) async throws -> [UInt8] {
        let open = try await openConflict(at: path)
        switch side {
        case .base: return try await content(open.conflict.base, path, path)
        case .here: return try await content(open.conflict.ours, open.copy ?? path, path)
        case .there: return try await content(open.conflict.theirs, path, path)
        case .merge:
            guard let marked = try await versions(of: open).marked else {
                throw Failure(
                    .usage, path: path.bytes,
                    "The contents are not text; conflict markers cannot be written.",
                    remedy: "Choose a side with filesinki resolve --take here or --take there.")
            }
            return marked
        }
    }

    private func content(
        _ entry: Entry?, _ place: RelativePath, _ path: RelativePath
    ) async throws -> [UInt8] {
        guard let entry, entry.kind == .file || entry.kind == .symlink else {
            throw Failure(
                .notFound, path: path.bytes, "That side of the conflict has no content.",
                remedy: "Choose another one; filesinki conflicts shows them.")
        }
        return try await content(of: entry, at: place)
    }
}
