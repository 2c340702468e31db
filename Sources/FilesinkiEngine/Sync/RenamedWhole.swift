import FilesinkiModel

/// Finds where a path is that was renamed: of a folder, where most of the files are that were in it, if that is one
/// place.
struct RenamedWhole {
    let path: RelativePath
    private let files: Set<RelativePath>
    private var places: Set<RelativePath?> = []
    private var count = 0

    /// - Parameter gone: What is no longer in it, folders included; empty for a file.
    init(_ path: RelativePath, without gone: Set<RelativePath>) {
        self.path = path
        files = gone.isEmpty ? [path] : gone.subtracting(gone.flatMap(\.ancestors))
    }

    /// Where it is; nil for what was deleted, or is in several places.
    var place: RelativePath? {
        guard count * 2 > files.count, places.count == 1,
            case .some(.some(let place)) = places.first
        else { return nil }
        return place
    }

    /// Adds a file that has another name now.
    mutating func add(_ old: RelativePath, at new: RelativePath) {
        guard files.contains(old) else { return }
        places.insert(old == path ? new : old.place(of: path, movedTo: new))
        count += 1
    }
}

extension RelativePath {
    /// The folder that has a file now as another folder had it at this path; nil where the file has another name in it.
    ///
    /// - Parameters:
    ///   - folder: The folder above this path.
    ///   - goal: Where the file is now.
    func place(of folder: RelativePath, movedTo goal: RelativePath) -> RelativePath? {
        let depth = names.count - folder.names.count
        guard depth > 0, let place = goal.ancestors.dropFirst(depth - 1).first,
            moved(from: folder, to: place) == goal
        else { return nil }
        return place
    }
}
