import FilesinkiModel
import FilesinkiSystem
import Glibc

extension TreeWatch {
    /// What was heard since the last time.
    package struct Heard: Sendable {
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
    package func take() -> Heard {
        var round = Round()
        round.heard.isRootGone = isRootDeleted
        guard let inotify else { return round.heard }
        var count = 0
        for _ in 0..<Self.piecesAtOnce {
            let events = inotify.read()
            if events.isEmpty { break }
            count += events.count
            for event in events { hear(event, &round) }
        }
        if let most = bounds.events, count > most { round.heard.isOverflown = true }
        for moved in round.limbo.values { if let watch = moved.watch { forget(watch) } }
        if round.heard.isOverflown || round.heard.isUnmounted {
            rescan()
        } else {
            for path in round.unsure { walk(from: path) }
        }
        return round.heard
    }

    /// The kernel tells of a folder's deletion when nobody has it open any more; this is not so long.
    private var isRootDeleted: Bool {
        var status = stat()
        return fstat(root.raw, &status) == 0 && status.st_nlink == 0
    }

    /// What one call has met so far.
    private struct Round {
        var heard = Heard()
        /// First halves of renames, by their cookie.
        var limbo: [UInt32: Departure] = [:]
        /// Folders that may not be watched completely.
        var unsure: [RelativePath] = []
    }

    private struct Departure {
        /// Of a folder that was watched.
        var watch: Int32?
        /// Where its change is in the list.
        var index: Int
    }

    private func hear(_ event: InotifyEvent, _ round: inout Round) {
        if event.has(IN_Q_OVERFLOW) {
            round.heard.isOverflown = true
        } else if event.has(IN_IGNORED) {
            forget(event.watch)
        } else if event.name.isEmpty {
            let end = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT
            if event.watch == folders.root {
                if event.has(end) { round.heard.isRootGone = true }
            } else if event.has(IN_UNMOUNT) {
                round.heard.isUnmounted = true
            }
        } else if !RelativePath.isStateFolder(event.name),
            let path = folders.path(of: event.watch, event.name)
        {
            if event.isFolder {
                hearOfFolder(event, path, &round)
            } else if !ignores(path, false) {
                hearOfFile(event, path, &round)
            }
        }
    }

    private func hearOfFile(_ event: InotifyEvent, _ path: RelativePath, _ round: inout Round) {
        if event.has(IN_MOVED_FROM) {
            depart(event, path, .gone, &round)
        } else if event.has(IN_MOVED_TO) {
            arrive(event, path, .written, &round)
        } else if event.has(IN_CLOSE_WRITE) {
            round.heard.changes.append(TreeChange(path, .written))
        } else if event.has(IN_DELETE) {
            round.heard.changes.append(TreeChange(path, .gone))
        } else if event.has(IN_CREATE) {
            round.heard.changes.append(TreeChange(path, .created))
        } else if event.has(IN_MODIFY) {
            round.heard.changes.append(TreeChange(path, .unfinished))
        } else if event.has(IN_ATTRIB) {
            round.heard.changes.append(TreeChange(path, .attributes))
        }
    }

    private func hearOfFolder(_ event: InotifyEvent, _ path: RelativePath, _ round: inout Round) {
        let isIgnored = ignores(path, true)
        if event.has(IN_MOVED_FROM) {
            // Also of one that is left out: it may be named otherwise now.
            guard !isIgnored else { return }
            depart(event, path, .folder, &round)
        } else if event.has(IN_MOVED_TO) {
            settle(event, &round)
            round.unsure.append(path)
            if !isIgnored { arrive(event, path, .folder, &round) }
        } else if !isIgnored {
            let isWhole = event.has(IN_CREATE) || event.has(IN_DELETE)
            if event.has(IN_CREATE) { round.unsure.append(path) }
            round.heard.changes.append(TreeChange(path, isWhole ? .folder : .attributes))
        }
    }

    private func depart(
        _ event: InotifyEvent, _ path: RelativePath, _ kind: TreeChange.Kind, _ round: inout Round
    ) {
        let watch = event.isFolder ? folders.child(event.name, of: event.watch) : nil
        if let watch { folders.takeOut(watch) }
        round.limbo[event.cookie] = Departure(watch: watch, index: round.heard.changes.count)
        round.heard.changes.append(TreeChange(path, kind))
    }

    private func arrive(
        _ event: InotifyEvent, _ path: RelativePath, _ kind: TreeChange.Kind, _ round: inout Round
    ) {
        var change = TreeChange(path, kind)
        if let departure = round.limbo.removeValue(forKey: event.cookie) {
            change.partner = round.heard.changes[departure.index].path
            round.heard.changes[departure.index].partner = path
        }
        round.heard.changes.append(change)
    }

    /// Puts a renamed folder, with what is known below it, into its new place.
    private func settle(_ event: InotifyEvent, _ round: inout Round) {
        guard let watch = round.limbo[event.cookie]?.watch else { return }
        round.limbo[event.cookie]?.watch = nil
        if let former = folders.put(watch, name: event.name, in: event.watch) { forget(former) }
    }
}
