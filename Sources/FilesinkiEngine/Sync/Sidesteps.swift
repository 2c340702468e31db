import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiReconcile

/// A file or symlink that moves into a folder of its own old name, or gets the name of the folder in which it is. Its new name is
/// free only when its old one is gone, so it has a conflict name in between: a run that is killed then leaves it there.
struct Sidestep: Sendable {
    let task: ApplyTask
    let origin: RelativePath
    let aside: RelativePath
    let stamp: FileStamp
}

extension ApplyWork {
    /// The writes of files and symlinks that wait for a folder which waits for them.
    fileprivate var sidesteps: [ApplyTask] { (lateCopies + files).filter(\.isSidestep) }

    fileprivate mutating func take(_ steps: [Sidestep]) {
        let paths = Set(steps.map(\.task.path))
        lateCopies.removeAll { paths.contains($0.path) }
        files.removeAll { paths.contains($0.path) }
    }
}

extension ApplyTask {
    fileprivate var isSidestep: Bool {
        guard entry.kind == .file || entry.kind == .symlink, let origin else { return false }
        return here == nil
            ? path.isInside(origin) : here?.kind == .directory && origin.isInside(path)
    }
}

extension Applier {
    /// Gives the files conflict names. What cannot have one is written as any other file.
    func stepAside(_ work: inout ApplyWork) -> [Sidestep] {
        let steps = work.sidesteps.compactMap(stepAside)
        work.take(steps)
        return steps
    }

    private func stepAside(_ task: ApplyTask) -> Sidestep? {
        guard let origin = task.origin, let identity = task.entry.identity, !root.hasLog(origin),
            holds(origin, task.entry), let stamp = stamps[origin] ?? base.row(origin)?.stamp
        else { return nil }
        // Beside the upper one of the two names.
        let upper = task.here == nil ? origin : task.path
        let aside = conflictName(for: upper, device: device, content: identity)
        let moved = try? writer.move(from: origin, to: aside, expecting: .stamp(stamp))
        guard case .done(let status)? = moved else { return nil }
        return Sidestep(task: task, origin: origin, aside: aside, stamp: status.stamp)
    }

    private func holds(_ path: RelativePath, _ entry: Entry) -> Bool {
        entry.kind == .symlink
            ? (try? root.readLink(path)) == entry.target
            : (try? root.content(of: path)) == entry.content
    }

    /// Moves the files to their new names. One that cannot get it goes back; the scan that follows finds it.
    func stepBack(_ steps: [Sidestep], _ result: inout ApplyResult) {
        for step in steps where !tryMove(step.task, from: step.aside, step.stamp, &result) {
            _ = try? writer.move(from: step.aside, to: step.origin, expecting: .stamp(step.stamp))
            result.note(step.task.path, .surprised)
        }
    }
}
