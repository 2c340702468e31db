import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

/// Carries out the steps of a plan that write to the root.
///
/// The order keeps every content reachable at every moment: after the folders that they need, copies
/// of what is about to be replaced come first, then moves, removals, folders that take the place of
/// something else, contents, attributes. The old name of a content that is written under a new one goes
/// last: a run that is killed before would find it deleted by the user, and delete the new one, too.
struct Applier: Sendable {
    let root: RootFolder
    let staging: Staging
    let writer: TreeWriter
    /// Whether every file is synced by itself; otherwise all are, before and after they are installed.
    let isEach: Bool
    /// Notes what was written; nil where names are not on disk at once.
    let written: WrittenVersions?
    let contents: ContentSource
    let base: BaseIndex
    /// Stamps of the files that the plan saw here.
    let stamps: [RelativePath: FileStamp]
    /// Names the copies that this replica makes.
    let device: Device
    /// Paths whose contents here become conflict copies.
    let winners: Set<RelativePath>
    let progress: ProgressCounter

    func apply(_ steps: [Step]) async throws -> ApplyResult {
        var work = ApplyWork(steps)
        var result = ApplyResult()
        for path in work.ready { result.done[path] = .some(stamps[path] ?? base.row(path)?.stamp) }
        holdTwins(&work, &result)
        for task in work.newFolders { attempt(task, &result) { try makeFolder(task) } }
        // What belongs into a folder that could not be made would fail, too.
        work.drop(below: work.newFolders.lazy.map(\.path).filter { result.done[$0] == nil })
        copy(work.copies, &result)
        let aside = stepAside(&work)
        // What could not be copied keeps its name.
        let waiting = work.copies.filter { result.done[$0.path] == nil } + work.lateCopies
        work.drop(Set(waiting.compactMap(\.origin)))
        result.deferred = work.lateCopies.map(\.path)
        let moved = move(work.moves, &result)
        var late = work.takeOrigins(
            besides: moved.union(aside.lazy.map(\.task.path)),
            whereNamesFold: { path in
                (try? root.foldsNames(above: path)) ?? false
            })
        remove(work, &result)
        for task in work.folders { attempt(task, &result) { try makeFolder(task) } }
        stepBack(aside, &result)
        for task in work.links { attempt(task, &result) { try makeLink(task) } }
        let files = work.files + work.moves.filter { !moved.contains($0.path) }
        result.add(try await Checkout(applier: self).write(files))
        late.keepOrigins(of: work.renames.lazy.filter { result.done[$0.path] == nil })
        remove(late, &result)
        for task in work.attributes { attempt(task, &result) { try setAttributes(task) } }
        finishFolders(work.newFolders + work.folders, &result)
        try writer.flush()
        return result
    }

    private func remove(_ work: ApplyWork, _ result: inout ApplyResult) {
        for task in work.removals { attempt(task, &result) { try remove(task) } }
        for task in work.folderRemovals {
            attempt(task, &result) {
                let outcome = try removeFolder(task)
                // The step that takes its place completes the path.
                if case .done = outcome, work.makingWay.contains(task.path) { return nil }
                return outcome
            }
        }
    }

    /// What the plan saw at the path; the file system compares it with what is there.
    func expectation(_ task: ApplyTask) -> Expectation {
        guard let here = task.here else { return .absent }
        if let stamp = stamps[task.path] ?? base.row(task.path)?.stamp { return .stamp(stamp) }
        return here.kind == .file ? .content(here.content, size: here.size) : .any
    }

    /// The same for a content that is to be replaced: of a live file the content itself counts, as a
    /// commit may come within one tick of the clock.
    func replacementExpectation(_ task: ApplyTask) -> Expectation {
        guard let here = task.here, here.kind == .file, root.isLive(task.path) else {
            return expectation(task)
        }
        return .content(here.content, size: here.size)
    }

    /// Runs one task. A failure is a problem of its path and stops nothing else. If a folder above it is
    /// missing or something else now, a user changed it, and the path is scanned again. A body that
    /// returns nil has not completed the task.
    func attempt(
        _ task: ApplyTask, _ result: inout ApplyResult, _ body: () throws -> TaskOutcome?
    ) {
        do {
            if let outcome = try body() {
                if case .done = outcome { noteWritten(task) }
                result.note(task.path, outcome)
            }
        } catch let failure as Failure where failure.isChangedTree(at: task.path) {
            result.note(task.path, .surprised)
        } catch let failure as Failure {
            result.problems.append(Problem(task.path, failure))
        } catch {
            result.problems.append(Problem(task.path, .unforeseen(error)))
        }
    }

    /// Writes contents and links of the tree a second time, under other names. All contents are staged
    /// before the first is installed, for a name may be the origin of another copy.
    func copy(_ tasks: [ApplyTask], _ result: inout ApplyResult) {
        var staged: [StagedTask] = []
        for task in tasks where task.entry.kind == .file {
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
        for task in tasks where task.entry.kind == .symlink {
            attempt(task, &result) { try makeLink(task) }
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
        return tryMove(task, from: origin, stamp, &result)
    }

    /// - Returns: Whether the file has the name of the task.
    func tryMove(
        _ task: ApplyTask, from origin: RelativePath, _ stamp: FileStamp,
        _ result: inout ApplyResult
    ) -> Bool {
        makeParents(of: task.path)
        let outcome = try? writer.move(from: origin, to: task.path, expecting: .stamp(stamp))
        guard case .done(let status)? = outcome else { return false }
        // A symlink keeps the mode and time that it has.
        let isAsMeant =
            task.entry.kind == .symlink
            || status.mode == task.entry.mode && status.stamp.modified == task.entry.modified
        guard isAsMeant else {
            attempt(task, &result) {
                TaskOutcome(
                    try writer.setAttributes(
                        task.path, mode: task.entry.mode, modified: task.entry.modified,
                        expecting: .stamp(status.stamp)))
            }
            return true
        }
        noteWritten(task)
        result.note(task.path, .done(status.stamp))
        return true
    }

    private func noteWritten(_ task: ApplyTask) {
        guard let written, let committed = task.committed else { return }
        written.add(.init(path: task.path, committed: committed))
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

    /// Removes new paths whose name the root's file system takes for that of another file, before any
    /// content is fetched for them. Each is a problem in every run until one of the two is renamed; if the
    /// other one is to be removed in this run, the next round writes it.
    func holdTwins(_ work: inout ApplyWork, _ result: inout ApplyResult) {
        // A new folder is empty.
        let made = Set((work.newFolders + work.folders).lazy.map(\.path))
        let leaving = work.leaving
        var held: Set<RelativePath> = []
        for path in work.newPaths.sorted()
        where !(path.parent.map(made.contains) ?? false) && !held.contains(path)
            && !path.ancestors.contains(where: held.contains)
        {
            do throws(Failure) {
                guard let twin = try root.twin(of: path) else { continue }
                // The old file is removed before the new one is written.
                let isFolder = try root.status(twin)?.kind == .directory
                if leaving.contains(twin), !isFolder { continue }
                if leaving.contains(twin) {
                    result.surprised.append(path)
                } else {
                    result.problems.append(Problem(path, .twin(path, twin)))
                }
            } catch {
                result.problems.append(Problem(path, error))
            }
            held.insert(path)
        }
        work.drop(below: held)
    }
}

extension ApplyResult {
    mutating func note(_ path: RelativePath, _ outcome: TaskOutcome) {
        switch outcome {
        case .done(let stamp): done[path] = .some(stamp)
        case .surprised: surprised.append(path)
        }
    }
}

extension Failure {
    /// Whether a file, or a folder on the way to it, has become something else since it was seen.
    fileprivate func isChangedTree(at path: RelativePath) -> Bool {
        guard let error = cause as? SystemError else { return false }
        return (error.isMissing || error.isBehindSymlink) && self.path == path.bytes
    }

    /// The failure for an error of another type.
    static func unforeseen(_ error: any Error) -> Failure {
        Failure(.io, "Unexpected error: \(error).", remedy: "Run again.", cause: error)
    }
}
