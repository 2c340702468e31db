package import FilesinkiModel
import FilesinkiReconcile
package import FilesinkiStore

/// A summary of a commit, of bounded size: the number of changed paths by kind, and the first of
/// them.
package struct CommitSummary: Sendable {
    /// How a commit changed a path.
    package enum Kind: Hashable, Sendable {
        case added, modified, deleted
        /// The path was renamed. `files` is the number of files of a renamed folder, nil for a
        /// file.
        case renamed(from: RelativePath, files: Int?)
        /// The file was renamed, itself or with a folder, and edited. It counts as modified, and not as a file of the
        /// renamed folder.
        case renamedAndEdited(from: RelativePath)
    }

    package struct NamedChange: Sendable {
        package var path: RelativePath
        package var kind: Kind
        /// Whether it is a new folder.
        package var isFolder = false
    }

    package var sequence: UInt64
    package var time: Timestamp
    package var device: Device
    /// What the user asked for, such as `sync`; the text of another device.
    package var operation: String
    package var added = 0
    package var modified = 0
    package var deleted = 0
    package var renamed = 0
    /// The number of superseded contents that the commit keeps in the history.
    package var superseded: Int
    /// Their first paths, in path order.
    package var keptAside: [RelativePath]
    /// The first changes in path order, renamed folders first. Of new folders, those with nothing new in them.
    package var changes: [NamedChange] = []

    /// How many changes are listed where nobody has asked for all.
    package static let usualLength = 8

    /// The longest list of changes.
    private let listed: Int
    /// Only changes of this folder, or of what is or was in it; nil for all.
    private let folder: RelativePath?

    /// - Parameters:
    ///   - folder: Only what was changed in this folder, moved into it or out of it; nil for all.
    ///   - listed: The longest list of changes.
    package init(
        _ commit: Commit, inside folder: RelativePath? = nil, listing listed: Int = usualLength
    ) {
        sequence = commit.sequence
        time = commit.time
        device = commit.device
        operation = commit.operation
        self.listed = listed
        self.folder = folder
        let kept = commit.superseded.map(\.path)
            .filter { path in folder.map { path.isAtOrInside([$0]) } ?? true }
        superseded = kept.count
        keptAside = Array(kept.sorted().prefix(listed))
        let all = commit.changes.sorted { $0.path < $1.path }
        let origins = Set(all.compactMap(\.movedFrom))
        let touched = Set(all.map(\.path))
        let gone = Set(all.filter { $0.entry.kind == .tombstone }.map(\.path))
        var folders = FolderRenames(gone: gone)
        // The new names of folders first: they explain why the old ones are gone.
        for change in all where change.entry.kind != .tombstone {
            count(change, from: change.origin(touched), &folders)
        }
        countEmptyFolders(of: all, folders)
        let present = changes
        changes = []
        for change in all where change.entry.kind == .tombstone {
            // The other half of a rename lists it.
            if origins.contains(change.path) || folders.hasMoved(change.path) { continue }
            guard isWanted(change) else { continue }
            deleted += 1
            list(change, .deleted)
        }
        let left = (present + changes).sorted { $0.path < $1.path }
        changes = Array((folders.changes(limit: listed) + left).prefix(listed))
    }

    private func isWanted(_ change: Change) -> Bool {
        guard let folder else { return true }
        return change.path.isAtOrInside([folder])
            || change.movedFrom?.isAtOrInside([folder]) == true
    }

    /// - Parameter origin: The name from which the commit renamed the path; nil for none.
    private mutating func count(
        _ change: Change, from origin: RelativePath?, _ folders: inout FolderRenames
    ) {
        let isFolder = change.entry.kind == .directory
        let isWanted = isWanted(change)
        if let origin {
            if isFolder {
                return folders.addFolder(from: origin, to: change.path, isListed: isWanted)
            }
            let isListed = isWanted && !change.isEditOfRenamed
            let isOfFolder = folders.addFile(from: origin, to: change.path, isListed: isListed)
            guard isWanted else { return }
            if change.isEditOfRenamed {
                modified += 1
                return list(change, .renamedAndEdited(from: origin))
            }
            renamed += 1
            if !isOfFolder { list(change, .renamed(from: origin, files: nil)) }
        } else if change.basedOn == 0, isFolder {
            folders.addNew(change.path)
        } else if !isWanted {
            return
        } else if change.basedOn == 0 {
            added += 1
            list(change, .added)
        } else {
            modified += 1
            list(change, .modified)
        }
    }

    /// Counts the new folders that nothing else of the commit names: what is in a folder names the others, and a
    /// rename those that it brings.
    private mutating func countEmptyFolders(of all: [Change], _ folders: FolderRenames) {
        guard !folders.new.isEmpty else { return }
        let present = all.filter { $0.entry.kind != .tombstone }
        let parents = Set(present.flatMap(\.path.ancestors))
        for change in present where folders.new.contains(change.path) {
            if parents.contains(change.path) || folders.brings(change.path) { continue }
            guard isWanted(change) else { continue }
            added += 1
            list(change, .added, isFolder: true)
        }
    }

    private mutating func list(_ change: Change, _ kind: Kind, isFolder: Bool = false) {
        guard changes.count < listed else { return }
        changes.append(NamedChange(path: change.path, kind: kind, isFolder: isFolder))
    }

    /// The number of changed paths.
    package var count: Int { added + modified + deleted + renamed }
}

extension Change {
    /// Whether a file that its commit has renamed got another content, too: by an edit, or by a merge with one.
    fileprivate var isEditOfRenamed: Bool {
        entry.kind != .directory
            && (reason == Reason.renamedAndEditedWord || reason.hasPrefix("auto:"))
    }
}

/// Recognises renamed folders from the renames of the files in them. A folder that is still there was not renamed.
private struct FolderRenames {
    /// The paths that the commit has removed.
    private let gone: Set<RelativePath>
    private var moves: Set<Move> = []
    /// The number of files of each move that is listed.
    private var files: [Move: Int] = [:]
    /// The new names of each renamed folder, by its old one.
    private var goals: [RelativePath: Set<RelativePath>] = [:]
    /// The new folders of the commit.
    private(set) var new: Set<RelativePath> = []

    private struct Move: Hashable {
        var from: RelativePath
        var to: RelativePath
    }

    init(gone: Set<RelativePath>) { self.gone = gone }

    mutating func addNew(_ folder: RelativePath) { new.insert(folder) }

    mutating func addFolder(from old: RelativePath, to new: RelativePath, isListed: Bool) {
        add(move(old, new), files: 0, isListed)
    }

    /// Counts a file that kept its name while a folder above it was renamed.
    ///
    /// - Returns: Whether it is such a file.
    mutating func addFile(
        from old: RelativePath, to new: RelativePath, isListed: Bool
    ) -> Bool {
        let move = move(old, new)
        guard move.from != old, move.from != move.to else { return false }
        add(move, files: 1, isListed)
        return true
    }

    private mutating func add(_ move: Move, files count: Int, _ isListed: Bool) {
        moves.insert(move)
        if isListed { files[move, default: 0] += count }
        goals[move.from, default: []].insert(move.to)
    }

    /// Strips the common trailing names: the rename of the topmost folder that is gone and whose name differs.
    private func move(_ old: RelativePath, _ new: RelativePath) -> Move {
        var (from, to) = (old, new)
        while let fromParent = from.parent, let toParent = to.parent, from.name == to.name,
            gone.contains(fromParent)
        {
            (from, to) = (fromParent, toParent)
        }
        return Move(from: from, to: to)
    }

    /// Whether the folder was renamed, or is below a renamed folder and new there.
    func hasMoved(_ folder: RelativePath) -> Bool {
        if goals[folder] != nil { return true }
        return folder.ancestors.contains { from in
            (goals[from] ?? []).contains {
                folder.moved(from: from, to: $0).map(new.contains) == true
            }
        }
    }

    /// Whether a new folder was in a renamed one before.
    func brings(_ folder: RelativePath) -> Bool {
        moves.contains { move in
            folder.moved(from: move.to, to: move.from).map(gone.contains) == true
        }
    }

    func changes(limit: Int) -> [CommitSummary.NamedChange] {
        files.sorted { $0.key.to < $1.key.to }.prefix(limit).map { move, count in
            CommitSummary.NamedChange(
                path: move.to, kind: .renamed(from: move.from, files: count))
        }
    }
}
