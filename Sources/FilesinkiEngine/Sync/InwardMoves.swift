import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile

/// A file that steps aside for a folder of its own name, into which it then moves.
struct InwardMove: Sendable {
    let task: ApplyTask
    /// Where the file is meanwhile. A run that is killed then leaves it under this name.
    let aside: RelativePath
    let stamp: FileStamp
}

extension ApplyWork {
    /// Takes out the late copies into a folder that takes the place of their own origin. They cannot wait for
    /// the folder, as the folder waits for them.
    mutating func takeInwardCopies() -> [ApplyTask] {
        let inward = lateCopies.filter { task in
            guard task.here == nil, task.entry.kind == .file, let origin = task.origin else {
                return false
            }
            return task.path.isInside(origin)
        }
        lateCopies.removeAll { task in inward.contains { $0.path == task.path } }
        return inward
    }
}

extension Applier {
    /// Renames the origins of copies into folders of the same name to conflict names. What cannot be renamed
    /// stays a late copy.
    func stepAside(_ work: inout ApplyWork) -> [InwardMove] {
        work.takeInwardCopies().compactMap { task in
            if let move = stepAside(task) { return move }
            work.lateCopies.append(task)
            return nil
        }
    }

    private func stepAside(_ task: ApplyTask) -> InwardMove? {
        guard let origin = task.origin, !root.hasLog(origin), holds(origin, task.entry.content),
            let stamp = stamps[origin] ?? base.row(origin)?.stamp
        else { return nil }
        let aside = conflictName(for: origin, device: device, content: task.entry.content)
        guard
            case .done(let status)? = try? writer.move(
                from: origin, to: aside, expecting: .stamp(stamp))
        else { return nil }
        return InwardMove(task: task, aside: aside, stamp: status.stamp)
    }

    private func holds(_ path: RelativePath, _ content: ContentID?) -> Bool {
        var hasher = ContentHasher()
        let read = try? root.readChunks(path, bufferSize: 1 << 20) { hasher.update($0) }
        return read != nil && hasher.finish() == content
    }

    /// Moves the files into the folders, which are there by now. A file that cannot be moved, or that was edited
    /// meanwhile, is found by the scan that follows.
    func moveIn(_ moves: [InwardMove], _ result: inout ApplyResult) {
        for move in moves {
            let hasMoved = tryMove(move.task, from: move.aside, move.stamp, &result)
            if !hasMoved { result.note(move.task.path, .surprised) }
        }
    }
}
