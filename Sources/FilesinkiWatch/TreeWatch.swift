import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// Watches a root with inotify(7). Must be used by one thread.
///
/// Folders are opened beneath the root without following symlinks. Each folder is watched before
/// its names are read, so that no change is lost in between.
package final class TreeWatch {
    /// Why the tree is not watched completely.
    package enum Shortage: Hashable, Sendable {
        /// The limit of watches is reached: `fs.inotify.max_user_watches`.
        case watches
        /// The limit of instances is reached: `fs.inotify.max_user_instances`.
        case instances
    }

    /// Limits that tests set in place of the system's.
    package struct Bounds: Sendable {
        /// The maximum number of watched folders; nil for the system's limit.
        package var folders: Int?
        /// The maximum number of queued events; nil for the system's limit.
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
    /// Whether a path is ignored, given whether it is a folder.
    var ignores: @Sendable (RelativePath, Bool) -> Bool
    /// Why the tree is not watched completely; nil when it is.
    package internal(set) var shortage: Shortage?

    /// Opens the root without watching it yet.
    ///
    /// - Throws: `Failure` with code `not-found` when the folder does not exist.
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

    /// The descriptor, readable when there are events; -1 without inotify.
    package var file: Int32 { inotify?.file ?? -1 }

    /// The number of watched folders.
    package var count: Int { folders.count }

    /// Walks the whole tree, adds missing watches and removes those of ignored folders. O(n) in the
    /// number of folders.
    package func rescan() {
        guard inotify != nil else { return }
        shortage = nil
        let former = Set(folders.watches)
        let seen = walk(from: nil)
        // Without enough watches the walk is incomplete, so nothing is removed.
        guard shortage == nil else { return }
        for watch in former.subtracting(seen) where folders.contains(watch) { forget(watch) }
    }

    /// Watches a folder and all its subfolders.
    ///
    /// - Returns: The watches of the visited folders.
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

    /// - Returns: Nil when the folder cannot be watched, or its parent is not watched.
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
            if let former = folders.attach(watch, name: Array(path.name), in: parent) {
                forget(former)
            }
            return watch
        }
    }

    /// Removes the watches of a folder and all its subfolders.
    func forget(_ watch: Int32) {
        for gone in folders.remove(watch) { inotify?.forget(gone) }
    }
}

extension TreeWatch {
    /// The events of one call of ``readChanges()``.
    package struct ChangeBatch: Sendable {
        package var changes: [TreeChange] = []
        /// Whether events were lost, so that any path may have changed.
        package var isOverflown = false
        /// Whether a file system below the root was unmounted, which gives no events for its files.
        package var isUnmounted = false
        /// Whether the root was moved, deleted or unmounted.
        package var isRootGone = false
    }

    /// The maximum number of reads per call, so that an event storm does not delay the reaction.
    private static let piecesAtOnce = 64

    /// Reads the available events. Does not wait.
    package func readChanges() -> ChangeBatch {
        var round = Round()
        round.batch.isRootGone = isRootDeleted
        guard let inotify else { return round.batch }
        var count = 0
        for _ in 0..<Self.piecesAtOnce {
            let events = inotify.read()
            if events.isEmpty { break }
            count += events.count
            for event in events { handle(event, &round) }
        }
        if let most = bounds.events, count > most { round.batch.isOverflown = true }
        for moved in round.openMoves.values { if let watch = moved.watch { forget(watch) } }
        if round.batch.isOverflown || round.batch.isUnmounted {
            rescan()
        } else {
            for path in round.foldersToWalk { walk(from: path) }
        }
        return round.batch
    }

    /// The kernel reports a folder's deletion only after it was closed everywhere; this detects it
    /// earlier.
    private var isRootDeleted: Bool {
        var status = stat()
        return fstat(root.raw, &status) == 0 && status.st_nlink == 0
    }

    /// The state of one call.
    private struct Round {
        var batch = ChangeBatch()
        /// The first halves of renames, by cookie.
        var openMoves: [UInt32: MovedFrom] = [:]
        /// Folders that must be walked to watch all their subfolders.
        var foldersToWalk: [RelativePath] = []
    }

    private struct MovedFrom {
        /// The watch of a moved folder.
        var watch: Int32?
        /// The index of its change.
        var index: Int
    }

    private func handle(_ event: InotifyEvent, _ round: inout Round) {
        if event.has(IN_Q_OVERFLOW) {
            round.batch.isOverflown = true
        } else if event.has(IN_IGNORED) {
            forget(event.watch)
        } else if event.name.isEmpty {
            let end = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT
            if event.watch == folders.root {
                if event.has(end) { round.batch.isRootGone = true }
            } else if event.has(IN_UNMOUNT) {
                round.batch.isUnmounted = true
            }
        } else if !RelativePath.isStateFolder(event.name),
            let path = folders.path(of: event.watch, event.name)
        {
            if event.isFolder {
                handleFolderEvent(event, path, &round)
            } else if !ignores(path, false) {
                handleFileEvent(event, path, &round)
            }
        }
    }

    private func handleFileEvent(_ event: InotifyEvent, _ path: RelativePath, _ round: inout Round)
    {
        if event.has(IN_MOVED_FROM) {
            recordMoveFrom(event, path, .gone, &round)
        } else if event.has(IN_MOVED_TO) {
            recordMoveTo(event, path, .written, &round)
        } else if event.has(IN_CLOSE_WRITE) {
            round.batch.changes.append(TreeChange(path, .written))
        } else if event.has(IN_DELETE) {
            round.batch.changes.append(TreeChange(path, .gone))
        } else if event.has(IN_CREATE) {
            round.batch.changes.append(TreeChange(path, .created))
        } else if event.has(IN_MODIFY) {
            round.batch.changes.append(TreeChange(path, .unfinished))
        } else if event.has(IN_ATTRIB) {
            round.batch.changes.append(TreeChange(path, .attributes))
        }
    }

    private func handleFolderEvent(
        _ event: InotifyEvent, _ path: RelativePath, _ round: inout Round
    ) {
        let isIgnored = ignores(path, true)
        if event.has(IN_MOVED_FROM) {
            // An ignored folder may get a name that is not ignored.
            guard !isIgnored else { return }
            recordMoveFrom(event, path, .folder, &round)
        } else if event.has(IN_MOVED_TO) {
            attachMovedFolder(event, &round)
            round.foldersToWalk.append(path)
            if !isIgnored { recordMoveTo(event, path, .folder, &round) }
        } else if !isIgnored {
            let isWhole = event.has(IN_CREATE) || event.has(IN_DELETE)
            if event.has(IN_CREATE) { round.foldersToWalk.append(path) }
            round.batch.changes.append(TreeChange(path, isWhole ? .folder : .attributes))
        }
    }

    private func recordMoveFrom(
        _ event: InotifyEvent, _ path: RelativePath, _ kind: TreeChange.Kind, _ round: inout Round
    ) {
        let watch = event.isFolder ? folders.child(event.name, of: event.watch) : nil
        if let watch { folders.detach(watch) }
        round.openMoves[event.cookie] = MovedFrom(watch: watch, index: round.batch.changes.count)
        round.batch.changes.append(TreeChange(path, kind))
    }

    private func recordMoveTo(
        _ event: InotifyEvent, _ path: RelativePath, _ kind: TreeChange.Kind, _ round: inout Round
    ) {
        var change = TreeChange(path, kind)
        if let origin = round.openMoves.removeValue(forKey: event.cookie) {
            change.partner = round.batch.changes[origin.index].path
            round.batch.changes[origin.index].partner = path
        }
        round.batch.changes.append(change)
    }

    /// Moves a renamed folder with its watched subfolders to its new path.
    private func attachMovedFolder(_ event: InotifyEvent, _ round: inout Round) {
        guard let watch = round.openMoves[event.cookie]?.watch else { return }
        round.openMoves[event.cookie]?.watch = nil
        if let former = folders.attach(watch, name: event.name, in: event.watch) { forget(former) }
    }
}

/// Lists subfolders.
enum FolderContent {
    /// - Returns: The names of the subfolders; nil when the folder cannot be read completely.
    static func folders(in folder: borrowing FileHandle) -> [[UInt8]]? {
        guard let listing = try? FolderListing(folder) else { return nil }
        var names: [[UInt8]] = []
        for entry in listing.entries where listing.isFolder(entry, in: folder) {
            names.append(Array(listing.name(entry)))
        }
        return names
    }
}
