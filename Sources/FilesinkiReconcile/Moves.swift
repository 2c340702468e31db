import FilesinkiModel

/// What one side renamed since the base.
struct Moves: Sendable {
    /// Files and symlinks, by base path; no two go to the same name.
    private(set) var files: [RelativePath: RelativePath] = [:]
    /// Folders, by base path.
    private(set) var folders: [RelativePath: RelativePath] = [:]
    /// The names that files were renamed to.
    private(set) var targets: Set<RelativePath> = []

    var isEmpty: Bool { files.isEmpty && folders.isEmpty }

    /// Finds the renames of `side`.
    ///
    /// What the side itself reports, by inode or by commit, counts first. Then a content that left one
    /// base path and came to one other path; where several files have the content, the last name tells
    /// them apart. Files whose names changed in a circle are found by content too; any other file that
    /// is where it was counts as copied. Last, files follow a folder of which more than half moved.
    init(of side: Side) {
        guard side.input.base.count > 0 else { return }
        var candidates = RenameCandidates(side)
        guard !candidates.isEmpty else { return }
        for (source, target) in candidates.reported() { add(source, target, &candidates) }
        for (source, target) in candidates.equalContents() { add(source, target, &candidates) }
        for (source, target) in candidates.circles() { add(source, target, &candidates) }
        folders = folderMoves(files, vacated: candidates.allVacated, side)
        guard !folders.isEmpty else { return }
        for source in candidates.vacated.sorted() {
            guard let target = follow(source), candidates.targets.contains(target),
                side.input.base.entry(target) == nil,
                side.input.base.entry(source)?.entry.kind == side.entry(target)?.kind
            else { continue }
            add(source, target, &candidates)
        }
    }

    /// Where `path` is after the rename of the nearest renamed folder above it; nil when none was renamed.
    func follow(_ path: RelativePath) -> RelativePath? {
        guard !folders.isEmpty else { return nil }
        for folder in path.ancestors {
            if let target = folders[folder] { return path.moved(from: folder, to: target) }
        }
        return nil
    }

    private mutating func add(
        _ source: RelativePath, _ target: RelativePath, _ candidates: inout RenameCandidates
    ) {
        guard candidates.remove(source, target) else { return }
        files[source] = target
        targets.insert(target)
    }
}

/// What may have been renamed and is not matched yet.
private struct RenameCandidates {
    let side: Side
    /// All base paths whose files are gone.
    let allVacated: [RelativePath]
    /// Those of them that are not matched yet.
    private(set) var vacated: Set<RelativePath> = []
    /// Base paths where another content is now.
    private(set) var replaced: Set<RelativePath> = []
    /// Paths whose content was not there in the base.
    private(set) var targets: Set<RelativePath> = []

    private var hasReportedFolder = false

    var isEmpty: Bool {
        !hasReportedFolder && (targets.isEmpty || vacated.isEmpty && replaced.isEmpty)
    }

    init(_ side: Side) {
        self.side = side
        for path in side.changed where !side.input.isBlocked(path) {
            let before = side.input.base.entry(path)?.entry
            let after = side.entry(path)
            if let after, before.map({ !$0.hasSameContent(as: after) }) ?? true {
                if after.kind != .directory { targets.insert(path) }
                if after.kind == .directory, side.reportedSource(of: path) != nil {
                    hasReportedFolder = true
                }
            }
            guard let before, before.kind != .directory else { continue }
            if after == nil || after?.kind == .directory {
                vacated.insert(path)
            } else if let after, !before.hasSameContent(as: after) {
                replaced.insert(path)
            }
        }
        allVacated = Array(vacated)
    }

    /// Removes a pair that belongs together.
    ///
    /// - Returns: False when one of the two was removed before.
    mutating func remove(_ source: RelativePath, _ target: RelativePath) -> Bool {
        guard vacated.contains(source) || replaced.contains(source), targets.contains(target)
        else { return false }
        vacated.remove(source)
        replaced.remove(source)
        targets.remove(target)
        return true
    }

    /// Renames that the side itself reports; where two have the same source, the one with the same
    /// content first.
    func reported() -> [(RelativePath, RelativePath)] {
        var pairs: [(source: RelativePath, target: RelativePath, isEqual: Bool)] = []
        for target in targets {
            guard let source = side.reportedSource(of: target), source != target,
                let before = side.input.base.entry(source)?.entry, let after = side.entry(target)
            else { continue }
            pairs.append((source, target, before.hasSameContent(as: after)))
        }
        return pairs.sorted { left, right in
            left.isEqual != right.isEqual ? left.isEqual : left.target < right.target
        }.map { ($0.source, $0.target) }
    }

    /// Pairs of the same content, where it is clear which belong together.
    func equalContents() -> [(RelativePath, RelativePath)] {
        guard !vacated.isEmpty, !targets.isEmpty else { return [] }
        var equals: [ContentKey: EqualFiles] = [:]
        for path in vacated {
            guard let key = ContentKey(side.input.base.entry(path)?.entry) else { continue }
            equals[key, default: EqualFiles()].sources.append(path)
        }
        for path in targets {
            guard let key = ContentKey(side.entry(path)), equals[key] != nil else { continue }
            equals[key]?.targets.append(path)
        }
        return equals.values.flatMap(\.pairs)
    }

    /// Files that changed names in a circle: f to g and g to f, or longer.
    func circles() -> [(RelativePath, RelativePath)] {
        guard !replaced.isEmpty else { return [] }
        var now: [ContentKey: [RelativePath]] = [:]
        var count: [ContentKey: Int] = [:]
        for path in replaced where targets.contains(path) {
            if let key = ContentKey(side.entry(path)) { now[key, default: []].append(path) }
            if let key = ContentKey(side.input.base.entry(path)?.entry) {
                count[key, default: 0] += 1
            }
        }
        var next: [RelativePath: RelativePath] = [:]
        for path in replaced {
            guard let key = ContentKey(side.input.base.entry(path)?.entry), count[key] == 1,
                let found = now[key], found.count == 1, let target = found.first
            else { continue }
            next[path] = target
        }
        return closed(next)
    }

    /// The pairs that lie on a circle. No two have the same target, so a walk that ends needs nothing
    /// that another walk needs.
    private func closed(_ next: [RelativePath: RelativePath]) -> [(RelativePath, RelativePath)] {
        var open = next
        var pairs: [(RelativePath, RelativePath)] = []
        for start in next.keys.sorted() where open[start] != nil {
            var walk: [(RelativePath, RelativePath)] = []
            var path = start
            while let target = open.removeValue(forKey: path) {
                walk.append((path, target))
                path = target
            }
            if path == start { pairs += walk }
        }
        return pairs
    }
}

/// What a file is recognised by when its name changed: content or target. An empty file has none.
private struct ContentKey: Hashable {
    let content: ContentID
    let target: [UInt8]

    init?(_ entry: Entry?) {
        guard let entry, entry.kind != .directory, entry.kind == .symlink || entry.size > 0
        else { return nil }
        content = entry.content
        target = entry.target
    }
}

/// Files of the same content: the paths that it left, and those that it came to.
private struct EqualFiles {
    var sources: [RelativePath] = []
    var targets: [RelativePath] = []

    var pairs: [(RelativePath, RelativePath)] {
        if sources.count == 1, targets.count == 1 { return [(sources[0], targets[0])] }
        let left = Dictionary(grouping: sources) { Array($0.name) }
        let right = Dictionary(grouping: targets) { Array($0.name) }
        return left.compactMap { name, sources in
            guard sources.count == 1, let targets = right[name], targets.count == 1 else {
                return nil
            }
            return (sources[0], targets[0])
        }
    }
}

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
            let isLost = lost[old] ?? side.hasLostFolder(old)
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
        guard let old = side.reportedSource(of: new), side.entry(new)?.kind == .directory,
            side.hasLostFolder(old)
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
