import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// Hears of changes below a root by inotify(7). Used by one thread.
///
/// Everything is reached beneath the open root and through no symlink. Each folder is watched before
/// its names are read: what comes in between is heard or found, never lost.
package final class TreeWatch {
    /// Why not all of the tree is heard of.
    package enum Shortage: Hashable, Sendable {
        /// The user's watches are used up: `fs.inotify.max_user_watches`.
        case watches
        /// The user may have no further list of them: `fs.inotify.max_user_instances`.
        case instances
    }

    /// Bounds that tests set, in place of the system's own.
    package struct Bounds: Sendable {
        /// The most folders that are watched; nil for what the system gives.
        package var folders: Int?
        /// The most events that may wait; nil for what the system keeps.
        package var events: Int?

        package init(folders: Int? = nil, events: Int? = nil) {
            self.folders = folders
            self.events = events
        }
    }

    let root: FileHandle
    let inotify: Inotify?
    let bounds: Bounds
    var folders = WatchedFolders()
    /// Whether a path is left out, given whether it is a folder.
    var ignores: @Sendable (RelativePath, Bool) -> Bool
    /// Why not everything is heard of; nil when it is.
    package internal(set) var shortage: Shortage?

    /// Opens the root, and watches nothing yet.
    ///
    /// - Throws: `Failure` with code `not-found` when there is no such folder.
    package init(
        root path: String, bounds: Bounds = Bounds(),
        ignores: @escaping @Sendable (RelativePath, Bool) -> Bool
    ) throws(Failure) {
        root = try SystemError.reported(
            "open the root", path.utf8, of: .local
        ) { () throws(SystemError) in try FileHandle(path, fsk_path_only | O_DIRECTORY) }
        self.bounds = bounds
        self.ignores = ignores
        inotify = Inotify()
        if inotify == nil { shortage = .instances }
    }

    /// Becomes readable when something was heard; -1 when nothing ever will be.
    package var file: Int32 { inotify?.file ?? -1 }

    /// How many folders are watched.
    package var count: Int { folders.count }

    /// Looks at the whole tree, watches what is not watched yet, and forgets what is left out now.
    package func rescan() {
        guard inotify != nil else { return }
        shortage = nil
        let former = Set(folders.watches)
        let seen = walk(from: nil)
        // What could not be looked at for want of watches is not gone.
        guard shortage == nil else { return }
        for watch in former.subtracting(seen) where folders.contains(watch) { forget(watch) }
    }

    /// Watches a folder and all below it.
    ///
    /// - Returns: The watches of all that were met.
    @discardableResult
    func walk(from path: RelativePath?) -> Set<Int32> {
        var seen: Set<Int32> = []
        var open = [path]
        while let next = open.popLast() {
            if let next, ignores(next, true) {
                if let watch = folders.watch(at: next) { forget(watch) }
                continue
            }
            guard let folder = self.folder(at: next), let watch = watch(folder, at: next) else {
                continue
            }
            guard seen.insert(watch).inserted else { continue }
            for name in FolderContent.folders(in: folder) ?? []
            where !RelativePath.isStateFolder(name) {
                open.append(next?.appending(name) ?? RelativePath(unchecked: name))
            }
        }
        return seen
    }

    private func folder(at path: RelativePath?) -> FileHandle? {
        let place = path?.bytes ?? [UInt8(ascii: ".")]
        let flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK
        return FileHandle(place.withCString { fsk_open_beneath(root.raw, $0, flags, 0) })
    }

    /// - Returns: Nil when the folder cannot be watched, or lies in one that is not.
    private func watch(_ folder: borrowing FileHandle, at path: RelativePath?) -> Int32? {
        guard let inotify, shortage == nil else { return nil }
        if let most = bounds.folders, folders.count >= most, folders.watch(at: path) == nil {
            shortage = .watches
            return nil
        }
        switch inotify.watch(folder) {
        case .refused: return nil
        case .limit:
            shortage = .watches
            return nil
        case .watched(let watch):
            guard let path else {
                folders.setRoot(watch)
                return watch
            }
            guard let parent = folders.watch(at: path.parent) else {
                inotify.forget(watch)
                return nil
            }
            if let former = folders.put(watch, name: Array(path.name), in: parent) {
                forget(former)
            }
            return watch
        }
    }

    /// Hears no more of a folder and all below it.
    func forget(_ watch: Int32) {
        for gone in folders.remove(watch) { inotify?.forget(gone) }
    }
}
