import FilesinkiModel

/// The folders that went elsewhere, by base path.
///
/// A folder that is gone was renamed when the side says so of its inode, or when more than half of
/// the files that were in it, at any depth, are now at the same place below one other folder.
func folderMoves(
    _ files: [RelativePath: RelativePath], vacated: [RelativePath], _ side: Side
) -> [RelativePath: RelativePath] {
    var votes: [RelativePath: [RelativePath: Int]] = [:]
    var lost: [RelativePath: Bool] = [:]
    for (source, target) in files {
        for (old, new) in foldersMoved(by: source, to: target) {
            let isLost = lost[old] ?? side.lostFolder(old)
            lost[old] = isLost
            if isLost { votes[old, default: [:]][new, default: 0] += 1 }
        }
    }
    var sizes: [RelativePath: Int] = [:]
    for path in vacated {
        for folder in path.ancestors where votes[folder] != nil { sizes[folder, default: 0] += 1 }
    }
    var folders: [RelativePath: RelativePath] = [:]
    for (old, candidates) in votes {
        for (new, count) in candidates
        where count * 2 > sizes[old] ?? 0 && side.entry(new)?.kind == .directory {
            folders[old] = new
        }
    }
    for new in side.changed {
        guard let old = side.hint(new), side.entry(new)?.kind == .directory, side.lostFolder(old)
        else { continue }
        folders[old] = new
    }
    return folders
}

/// The folders that must have moved if `source` went to `target` with one of them: from the
/// nearest up, as long as the names inside are the same.
private func foldersMoved(
    by source: RelativePath, to target: RelativePath
) -> [(RelativePath, RelativePath)] {
    var pairs: [(RelativePath, RelativePath)] = []
    var (old, new) = (source, target)
    while old.name.elementsEqual(new.name), let oldParent = old.parent, let newParent = new.parent,
        oldParent != newParent
    {
        pairs.append((oldParent, newParent))
        (old, new) = (oldParent, newParent)
    }
    return pairs
}
