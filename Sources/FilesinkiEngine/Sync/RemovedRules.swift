import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiRules

/// Ignore files that were removed with their folder, after another one had been moved out of that. Nobody has meant to end
/// their rules for what was moved. A file of rules that was removed by itself does not count: who removes it ends them.
extension SyncEngine {
    /// Reads such files as the base has them, from the store, into ``SyncRun/removedRules``. What cannot be read counts as if
    /// it ignored everything.
    ///
    /// Cost: nothing if no folder is new or another one; else a pass over the base. Where there are such files, a request or
    /// more for each.
    ///
    /// - Parameter folders: As for ``withholdRenamed(_:_:_:)``.
    func recallRules(
        for folders: [RelativePath: FileStamp], _ base: BaseIndex, _ run: inout SyncRun
    ) async throws {
        guard run.isOnline else {
            // Nothing is sent, and no former name is forgotten: a later run decides. One that only looks says what may be.
            run.countsRemovedRules = run.options.isDryRun
            return
        }
        let rows = removedRules(formerNames(of: folders, base), base)
        for row in rows { run.removedRules[row.path] = try await bytes(of: row.entry, run) }
    }

    /// The content of a file; nil if it cannot be read.
    private func bytes(of entry: Entry, _ run: SyncRun) async throws -> [UInt8]? {
        do {
            let source = try await storedContents.source(run.remote)
            let bytes = try await source.read(entry.content, size: entry.size)
            try source.requireManifest()
            return bytes
        } catch let failure as Failure where failure.code != .interrupted {
            return nil
        }
    }

    /// The rows of such files above the former names of folders.
    ///
    /// - Parameter names: Those of all folders that were renamed, by the present ones.
    func removedRules(
        _ names: [RelativePath: RelativePath], _ base: BaseIndex
    ) -> [BaseRow] {
        let former = Set(names.values)
        let above = Set(former.flatMap(\.ancestors)).subtracting(former)
        let lost = above.compactMap { base.row($0) }.filter { isLost($0) }
        return lost.flatMap { RelativePath.filesOfRules(in: $0.path) }
            .compactMap { base.row($0) }.filter { $0.entry.kind == .file }
    }
}
