import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Applier {
    /// Writes contents of the tree a second time, under other names. All of them are staged before
    /// the first is installed, for a name may be the origin of another copy.
    func copy(_ tasks: [ApplyTask], _ result: inout ApplyResult) {
        var staged: [StagedTask] = []
        for task in tasks {
            attempt(task, &result) {
                guard let file = try stageCopy(task) else { return .surprised }
                staged.append(StagedTask(file: file, task: task))
                return nil
            }
        }
        var replaced: Set<RelativePath> = []
        for item in staged {
            attempt(item.task, &result) { try install(item, replaced: replaced) }
            if result.done[item.task.path] != nil { replaced.insert(item.task.path) }
        }
    }

    /// - Returns: Nil when the origin is not what the plan saw.
    private func stageCopy(_ task: ApplyTask) throws -> StagedFile? {
        guard let origin = task.origin else { return nil }
        let file = try staging.makeFile()
        var hasher = ContentHasher()
        _ = try root.readChunks(origin, bufferSize: 1 << 20) { bytes in
            hasher.update(bytes)
            try file.write(bytes)
        }
        guard hasher.finish() == task.entry.content else { return nil }
        try file.finish(mode: task.entry.mode, modified: task.entry.modified, sync: true)
        return file
    }

    /// - Parameter replaced: Paths that hold another copy by now.
    private func install(
        _ item: StagedTask, replaced: Set<RelativePath>
    ) throws -> TaskOutcome {
        let path = item.task.path
        let outcome = TaskOutcome(
            try writer.install(item.file, at: path, expecting: replacementExpectation(item.task)))
        if case .surprised = outcome, let origin = item.task.origin, replaced.contains(origin) {
            // Its own name is taken by a user's edit and its old one by another copy.
            let beside = conflictName(for: path, device: device, content: item.task.entry.content)
            _ = try writer.install(item.file, at: beside, expecting: .absent)
        }
        return outcome
    }

    /// Moves files that only change their name; what cannot be moved is written from the store.
    ///
    /// - Returns: The paths that were reached.
    func move(_ tasks: [ApplyTask], _ result: inout ApplyResult) -> Set<RelativePath> {
        var moved: Set<RelativePath> = []
        for task in tasks where tryMove(task, &result) { moved.insert(task.path) }
        return moved
    }

    private func tryMove(_ task: ApplyTask, _ result: inout ApplyResult) -> Bool {
        // With its name alone a live file would lose what its log holds.
        guard let origin = task.origin, !root.hasLog(origin),
            let stamp = stamps[origin] ?? base.row(origin)?.stamp
        else {
            return false
        }
        makeParents(of: task.path)
        let outcome = try? writer.move(from: origin, to: task.path, expecting: .stamp(stamp))
        guard case .done(let status)? = outcome else { return false }
        guard status.mode == task.entry.mode, status.stamp.modified == task.entry.modified else {
            attempt(task, &result) {
                TaskOutcome(
                    try writer.setAttributes(
                        task.path, mode: task.entry.mode, modified: task.entry.modified,
                        expecting: .stamp(status.stamp)))
            }
            return true
        }
        result.note(task.path, .done(status.stamp))
        return true
    }

    /// Moves come before folders are made, so that a folder's own step finds it there.
    private func makeParents(of path: RelativePath) {
        for folder in path.ancestors.reversed() {
            _ = try? writer.makeDirectory(folder, mode: 0o755)
        }
    }

    func remove(_ task: ApplyTask) throws -> TaskOutcome {
        if try root.status(task.path) == nil { return .done(nil) }
        let outcome = try writer.remove(task.path, expecting: expectation(task))
        return TaskOutcome(outcome, leaves: false)
    }

    func removeFolder(_ task: ApplyTask) throws -> TaskOutcome {
        if try root.status(task.path) == nil { return .done(nil) }
        return TaskOutcome(try writer.removeDirectory(task.path), leaves: false)
    }

    func makeFolder(_ task: ApplyTask) throws -> TaskOutcome {
        // What was here may have been moved to its new name already.
        if let here = task.here, here.kind != .directory, try root.status(task.path) != nil {
            let gone = try writer.remove(task.path, expecting: expectation(task))
            if case .surprised = gone { return .surprised }
        }
        return TaskOutcome(
            try writer.makeDirectory(
                task.path, mode: task.entry.mode | 0o700, isNew: task.here == nil))
    }

    func makeLink(_ task: ApplyTask) throws -> TaskOutcome {
        let expected = task.here?.kind == .directory ? .absent : expectation(task)
        return TaskOutcome(
            try writer.makeSymlink(
                target: task.entry.target, at: task.path, modified: task.entry.modified,
                expecting: expected),
            isWinner: winners.contains(task.path))
    }

    func setAttributes(_ task: ApplyTask) throws -> TaskOutcome {
        TaskOutcome(
            try writer.setAttributes(
                task.path, mode: task.entry.mode, modified: task.entry.modified,
                expecting: expectation(task)))
    }

    /// Gives new folders the mode and time they are meant to have, the deepest first: writing into
    /// them changed both.
    func finishFolders(_ tasks: [ApplyTask], _ result: inout ApplyResult) {
        for task in tasks.reversed() where result.done[task.path] != nil {
            if task.entry.mode & 0o700 != 0o700 {
                attempt(task, &result) {
                    TaskOutcome(try writer.makeDirectory(task.path, mode: task.entry.mode))
                }
            }
            if task.here == nil {
                try? writer.setModified(ofDirectory: task.path, task.entry.modified)
            }
        }
    }
}
