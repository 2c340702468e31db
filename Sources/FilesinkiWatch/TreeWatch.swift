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
            if let former = folders.attach(watch, name: Array(path.name), in: parent) {
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

extension TreeWatch {
    /// What was heard since the last time.
    package struct ChangeBatch: Sendable {
        package var changes: [TreeChange] = []
        /// Whether events were lost, so that anything may have changed.
        package var isOverflown = false
        /// Whether a file system below the root was unmounted: no event tells of what was on it.
        package var isUnmounted = false
        /// Whether the root was moved, deleted or unmounted.
        package var isRootGone = false
    }

    /// So many pieces are read at once at most, so that a storm does not hold back the answer.
    private static let piecesAtOnce = 64

    /// Takes what was heard. Does not wait.
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

    /// The kernel tells of a folder's deletion when nobody has it open any more; this is not so long.
    private var isRootDeleted: Bool {
        var status = stat()
        return fstat(root.raw, &status) == 0 && status.st_nlink == 0
    }

    /// What one call has met so far.
    private struct Round {
        var batch = ChangeBatch()
        /// First halves of renames, by their cookie.
        var openMoves: [UInt32: MovedFrom] = [:]
        /// Folders that may not be watched completely.
        var foldersToWalk: [RelativePath] = []
    }

    private struct MovedFrom {
        /// Of a folder that was watched.
        var watch: Int32?
        /// Where its change is in the list.
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
            // Also of one that is left out: it may be named otherwise now.
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

    /// Puts a renamed folder, with what is known below it, into its new place.
    private func attachMovedFolder(_ event: InotifyEvent, _ round: inout Round) {
        guard let watch = round.openMoves[event.cookie]?.watch else { return }
        round.openMoves[event.cookie]?.watch = nil
        if let former = folders.attach(watch, name: event.name, in: event.watch) { forget(former) }
    }
}

/// The names of the folders in a folder.
enum FolderContent {
    /// - Returns: Nil when the folder cannot be read to its end.
    static func folders(in folder: borrowing FileHandle) -> [[UInt8]]? {
        guard let listing = try? FolderListing(folder) else { return nil }
        var names: [[UInt8]] = []
        for entry in listing.entries where listing.isFolder(entry, in: folder) {
            names.append(Array(listing.name(entry)))
        }
        return names
    }
}
