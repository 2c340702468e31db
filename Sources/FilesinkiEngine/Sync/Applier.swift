import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem

/// Carries out the steps of a plan that write here.
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
        // What belongs into a folder that could not be made would only fail too.
        work.drop(below: work.newFolders.lazy.map(\.path).filter { result.done[$0] == nil })
        copy(work.copies, &result)
        // What could not be copied keeps its name.
        let waiting = work.copies.filter { result.done[$0.path] == nil } + work.lateCopies
        work.drop(Set(waiting.compactMap(\.origin)))
        result.deferred = work.lateCopies.map(\.path)
        let moved = move(work.moves, &result)
        let late = work.takeOrigins(
            besides: moved,
            whereNamesFold: { path in
                (try? root.foldsNames(above: path)) ?? false
            })
        remove(work, &result)
        for task in work.folders { attempt(task, &result) { try makeFolder(task) } }
        for task in work.links { attempt(task, &result) { try makeLink(task) } }
        let files = work.files + work.moves.filter { !moved.contains($0.path) }
        result.add(try await Checkout(applier: self).write(files))
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
                // What takes its place says when the path is done.
                if case .done = outcome, work.makingWay.contains(task.path) { return nil }
                return outcome
            }
        }
    }

    /// What the plan saw at the path, for the file system to compare with.
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

    /// Runs one task; a failure is a problem of its path and stops nothing else. A folder that is
    /// gone or is something else now is a user's doing, and the path is looked at again. A body that
    /// gives nil has not come to an end.
    func attempt(
        _ task: ApplyTask, _ result: inout ApplyResult, _ body: () throws -> TaskOutcome?
    ) {
        do {
            if let outcome = try body() { result.note(task.path, outcome) }
        } catch let failure as Failure where failure.isChangedTree(at: task.path) {
            result.note(task.path, .surprised)
        } catch let failure as Failure {
            result.problems.append(Problem(task.path, failure))
        } catch {
            result.problems.append(Problem(task.path, .unforeseen(error)))
        }
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
        return error.isMissing && self.path == path.bytes
    }

    /// An error that no part of ours raised.
    static func unforeseen(_ error: any Error) -> Failure {
        Failure(.io, "Something unforeseen happened: \(error).", remedy: "Run again.", cause: error)
    }
}
