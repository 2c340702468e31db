import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// Says where new files of this replica went whose folder another device has renamed, or emptied into another one.
extension SyncEngine {
    /// Notes what a plan moves along with a folder; one line for each folder.
    ///
    /// - Parameter view: The remote tree that the plan is made from.
    func noteFollowers(of plan: Plan, _ view: RemoteView, _ run: inout SyncRun) {
        var found: [FollowedFolder: [FollowedFile]] = [:]
        for step in plan.steps {
            // What the last sync did not have here has no other reason to get another name.
            guard case .moved(let target) = step.reason, step.base == nil, let ours = step.ours,
                ours.kind != .directory, let folder = view.folder(of: step.path, movedTo: target)
            else { continue }
            found[folder, default: []].append(FollowedFile(path: step.path, target: target))
        }
        for (folder, files) in found.sorted(by: { $0.key.path < $1.key.path }) {
            let sorted = files.sorted { $0.path < $1.path }
            guard let first = sorted.first else { continue }
            let how = FollowedFolder.Circumstances(
                device: view.changes[folder.path]?.device,
                isOld: run.base.row(folder.target)?.entry.kind == .directory,
                isPlan: run.options.isDryRun)
            run.addNotice(
                Problem(
                    sorted.count == 1 ? first.path : folder.path,
                    .followed(first, of: sorted.count, in: folder, how)))
        }
    }
}

/// A new file, and where it is now.
private struct FollowedFile {
    let path: RelativePath
    let target: RelativePath
}

/// A folder that another device has renamed.
private struct FollowedFolder: Hashable {
    struct Circumstances {
        /// The device; nil if that is not known.
        let device: Device?
        /// Whether the folder was there before under its new name, so that its files were moved into that.
        let isOld: Bool
        /// Whether nothing is done yet.
        let isPlan: Bool
    }

    let path: RelativePath
    let target: RelativePath
}

extension RemoteView {
    /// The uppermost folder of a path that is gone there and has become one of the new path; nil for none.
    fileprivate func folder(
        of path: RelativePath, movedTo target: RelativePath
    ) -> FollowedFolder? {
        var found: FollowedFolder?
        var (old, new) = (path, target)
        while old.name.elementsEqual(new.name), let oldParent = old.parent,
            let newParent = new.parent, oldParent != newParent
        {
            (old, new) = (oldParent, newParent)
            guard let change = changes[old], change.entry.entry.kind != .directory else { continue }
            found = FollowedFolder(path: old, target: new)
        }
        return found
    }
}

extension Failure {
    /// New files have followed their folder.
    ///
    /// - Parameters:
    ///   - file: The first of them.
    ///   - count: How many there are.
    fileprivate static func followed(
        _ file: FollowedFile, of count: Int, in folder: FollowedFolder,
        _ how: FollowedFolder.Circumstances
    ) -> Failure {
        let isOne = count == 1
        let files = "\(CountText.text(count, "new file")) \(how.isPlan ? "would be" : "were")"
        let what =
            isOne
            ? "\(how.isPlan ? "Would be moved" : "Moved") to \(file.target)"
            : "\(files) moved to \(folder.target)"
        let device = how.device.map { printable($0.name.utf8) } ?? "another device"
        let cause =
            how.isOld
            ? "moved the files of \(folder.path) to \(folder.target), and removed \(folder.path)"
            : "renamed \(folder.path) to \(folder.target)"
        let command =
            "filesinki mv \(ShellWord.path(file.target.bytes)) \(ShellWord.path(file.path.bytes))"
        let step =
            isOne
            ? "To have it at its old path, run \(command)"
            : "To have one of them at its old path, move it back, as with \(command)"
        return Failure(
            .usage, path: (isOne ? file.path : folder.path).bytes,
            "\(what), as \(device) has \(cause).",
            remedy: "\(step)\(how.isPlan ? " after the sync" : "").")
    }
}
