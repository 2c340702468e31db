import FilesinkiEngine
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiSystem

extension Session {
    /// What a merge by the kind of the content decides about an open conflict, place by place: with the replica's rules
    /// for fields, and without its strategy, which has left the conflict open. Changes nothing.
    ///
    /// - Throws: Code `usage` if a side is not a file.
    func trace(of open: OpenConflict) async throws -> MergeTrace {
        let versions = try await versions(of: open)
        let parent = console.environment["TMPDIR"] ?? "/tmp"
        let outputs = try MergeOutputs(inside: parent)
        defer { outputs.remove() }
        let folder = try StateFile.makeScratchFolder(in: parent)
        defer { TreeRemoval.remove(folder) }
        let names = ["base", "here", "there"].map { "\(folder)/\($0)" }
        for (name, bytes) in zip(names, [versions.base, versions.local, versions.remote]) {
            try StateFile.replace(name, with: bytes, durable: false)
        }
        var merge = FileMerge(
            base: names[0], ours: names[1], theirs: names[2], path: open.path,
            strategy: try Strategy(parsing: "auto"),
            settings: try await replica.mergeSettings(of: open.path), commandLimit: .seconds(60))
        let trace = MergeTrace()
        merge.trace = trace
        _ = try await merge.run(keepingIn: outputs)
        return trace
    }
}
