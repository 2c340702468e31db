import FilesinkiModel

/// What one side renamed since the base.
struct Moves {
    /// Files and symlinks, by base path; no two go to the same name.
    private(set) var files: [RelativePath: RelativePath] = [:]
    /// Folders, by base path.
    private(set) var folders: [RelativePath: RelativePath] = [:]
    /// The names that files were renamed to.
    private(set) var targets: Set<RelativePath> = []

    var isEmpty: Bool { files.isEmpty && folders.isEmpty }

    /// Finds the renames of `side`.
    ///
    /// A hint by inode or commit counts first. Then a content that left one base path and came to
    /// one other path, told apart by the last name where several files have it. Files whose names
    /// changed in a circle are found by content too; any other file that still is where it was
    /// counts as copied. Last, files follow a folder of which more than half moved elsewhere.
    init(of side: Side) {
        guard side.input.base.count > 0 else { return }
        var pool = Pool(side)
        guard !pool.isEmpty else { return }
        for (source, target) in pool.hinted() { add(source, target, &pool) }
        for (source, target) in pool.equalContents() { add(source, target, &pool) }
        for (source, target) in pool.circles() { add(source, target, &pool) }
        folders = folderMoves(files, vacated: pool.allVacated, side)
        guard !folders.isEmpty else { return }
        for source in pool.vacated.sorted() {
            guard let target = follow(source), pool.targets.contains(target),
                side.input.base.entry(target) == nil,
                side.input.base.entry(source)?.entry.kind == side.entry(target)?.kind
            else { continue }
            add(source, target, &pool)
        }
    }

    /// Where `path` is when its nearest renamed folder takes it along; nil when no folder does.
    func follow(_ path: RelativePath) -> RelativePath? {
        guard !folders.isEmpty else { return nil }
        for folder in path.ancestors {
            if let target = folders[folder] { return path.moved(from: folder, to: target) }
        }
        return nil
    }

    private mutating func add(
        _ source: RelativePath, _ target: RelativePath, _ pool: inout Pool
    ) {
        guard pool.take(source, target) else { return }
        files[source] = target
        targets.insert(target)
    }
}

/// What may have been renamed and is not matched yet.
private struct Pool {
    let side: Side
    /// Base paths of files that are gone, at first.
    let allVacated: [RelativePath]
    private(set) var vacated: Set<RelativePath> = []
    /// Base paths of files where something else is now.
    private(set) var replaced: Set<RelativePath> = []
    /// Paths whose file was not there in the base.
    private(set) var targets: Set<RelativePath> = []

    private var hasFolderHint = false

    var isEmpty: Bool {
        !hasFolderHint && (targets.isEmpty || vacated.isEmpty && replaced.isEmpty)
    }

    init(_ side: Side) {
        self.side = side
        for path in side.changed where !side.input.isBlocked(path) {
            let before = side.input.base.entry(path)?.entry
            let after = side.entry(path)
            if let after, before.map({ !$0.hasSameContent(as: after) }) ?? true {
                if after.kind != .directory { targets.insert(path) }
                if after.kind == .directory, side.hint(path) != nil { hasFolderHint = true }
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

    /// Takes both out; false when one was taken before.
    mutating func take(_ source: RelativePath, _ target: RelativePath) -> Bool {
        guard vacated.contains(source) || replaced.contains(source), targets.contains(target)
        else { return false }
        vacated.remove(source)
        replaced.remove(source)
        targets.remove(target)
        return true
    }

    /// Renames that the side itself tells; the one with the same content first, where two claim
    /// the same source.
    func hinted() -> [(RelativePath, RelativePath)] {
        var pairs: [(source: RelativePath, target: RelativePath, isEqual: Bool)] = []
        for target in targets {
            guard let source = side.hint(target), source != target,
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
        var groups: [Trace: Group] = [:]
        for path in vacated {
            guard let trace = Trace(side.input.base.entry(path)?.entry) else { continue }
            groups[trace, default: Group()].sources.append(path)
        }
        for path in targets {
            guard let trace = Trace(side.entry(path)), groups[trace] != nil else { continue }
            groups[trace]?.targets.append(path)
        }
        return groups.values.flatMap(\.pairs)
    }

    /// Files that changed names in a circle: f to g and g to f, or longer.
    func circles() -> [(RelativePath, RelativePath)] {
        guard !replaced.isEmpty else { return [] }
        var now: [Trace: [RelativePath]] = [:]
        var count: [Trace: Int] = [:]
        for path in replaced where targets.contains(path) {
            if let trace = Trace(side.entry(path)) { now[trace, default: []].append(path) }
            if let trace = Trace(side.input.base.entry(path)?.entry) {
                count[trace, default: 0] += 1
            }
        }
        var next: [RelativePath: RelativePath] = [:]
        for path in replaced {
            guard let trace = Trace(side.input.base.entry(path)?.entry), count[trace] == 1,
                let found = now[trace], found.count == 1, let target = found.first
            else { continue }
            next[path] = target
        }
        return closed(next)
    }

    /// Only the pairs that lie on a circle. No two have the same target, so a walk that comes to
    /// an end leads to nothing that another walk needs.
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

/// What a file is known by when its name changed: content or target, never that of an empty file.
private struct Trace: Hashable {
    let content: ContentID
    let target: [UInt8]

    init?(_ entry: Entry?) {
        guard let entry, entry.kind != .directory, entry.kind == .symlink || entry.size > 0
        else { return nil }
        content = entry.content
        target = entry.target
    }
}

/// Paths of the same content that were left, and that it came to.
private struct Group {
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
