import FilesinkiEngine
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiSystem

extension Session {
    /// The largest version that is marked, in bytes.
    private static var markedLimit: Int { 64 << 20 }

    /// What a merge by the kind of the content decides about an open conflict, place by place. Changes nothing.
    ///
    /// - Throws: Code `usage` if a side is not a file.
    func trace(of open: OpenConflict) async throws -> MergeTrace {
        let versions = try await versions(of: open, isMarked: false)
        return try await merging(versions.all, at: open.path) { merge, outputs in
            var merge = merge
            let trace = MergeTrace()
            merge.trace = trace
            _ = try await merge.run(keepingIn: outputs)
            return trace
        }
    }

    /// Whether ``trace(of:)`` tells more of a conflict than that its versions, which are not text, differ. It needs
    /// what both sides started from: false where that cannot be read.
    func hasPlaces(_ sides: [[UInt8]], of open: OpenConflict) async -> Bool {
        guard MergeTrace.hasPlaces(sides, base: []),
            let base = try? await content(of: open.conflict.base, at: open.path)
        else { return false }
        return MergeTrace.hasPlaces(sides, base: base)
    }

    /// The versions with markers where a merge by the kind of the content cannot decide; nil if one is not text.
    ///
    /// - Parameter isProposal: Whether it is ``MarkedMerge/proposal``.
    func marked(
        _ versions: ConflictVersions, of open: OpenConflict, isProposal: Bool = false
    ) async throws -> [UInt8]? {
        let labels = TextMerge.Labels(
            ours: open.sides.label(open.sides.inOrder[0]),
            theirs: open.sides.label(open.sides.inOrder[1]))
        return try await merging(versions.all, at: open.path) { merge, _ in
            isProposal
                ? try merge.proposal(labels: labels, limit: Self.markedLimit)
                : try merge.marked(labels: labels, limit: Self.markedLimit)
        }
    }

    /// Gives a merge of files with three versions of a path: with the replica's rules for fields, and without its strategy,
    /// which has left a conflict open.
    ///
    /// - Parameter contents: What both sides started from, here and there.
    func merging<Result>(
        _ contents: [[UInt8]], at path: RelativePath,
        _ body: (FileMerge, MergeOutputs) async throws -> Result
    ) async throws -> Result {
        let parent = console.environment["TMPDIR"] ?? "/tmp"
        let outputs = try MergeOutputs(inside: parent)
        defer { outputs.remove() }
        let folder = try StateFile.makeScratchFolder(in: parent)
        defer { TreeRemoval.remove(folder) }
        let names = ["base", "here", "there"].map { "\(folder)/\($0)" }
        for (name, bytes) in zip(names, contents) {
            try StateFile.replace(name, with: bytes, durable: false)
        }
        let merge = FileMerge(
            base: names[0], ours: names[1], theirs: names[2], path: path,
            strategy: try Strategy(parsing: "auto"),
            settings: try await replica.mergeSettings(of: path), commandLimit: .seconds(60))
        return try await body(merge, outputs)
    }
}

extension ConflictVersions {
    /// What both sides started from, here and there.
    fileprivate var all: [[UInt8]] { [base, local, remote] }
}
