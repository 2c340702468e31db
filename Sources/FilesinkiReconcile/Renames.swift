import FilesinkiModel

/// The renames that both sides follow.
struct Renames {
    /// Things whose values come from different paths, or that follow a renamed folder.
    private(set) var links: [Link] = []
    /// Names that the sides gave to the same file, with its base path (row 15).
    private(set) var bothNames: [RelativePath: RelativePath] = [:]
    private let ours: Moves
    private let theirs: Moves

    /// Joins what both sides renamed.
    init(_ input: ReconcileInput) {
        let ourSide = Side(input: input, isOurs: true)
        let theirSide = Side(input: input, isOurs: false)
        ours = Moves(of: ourSide)
        theirs = Moves(of: theirSide)
        guard !ours.isEmpty || !theirs.isEmpty else { return }
        var candidates: [Link] = []
        for (source, target) in ours.files {
            if let other = theirs.files[source], other != target {
                bothNames[target] = source
                bothNames[other] = source
            } else if let link = link(source, target, isOurs: true, input) {
                candidates.append(link)
            }
        }
        for (source, target) in theirs.files where ours.files[source] == nil {
            if let link = link(source, target, isOurs: false, input) { candidates.append(link) }
        }
        candidates.sort { $0.path < $1.path }
        links = clear(candidates, input)
        addFollowers(of: ours, from: theirSide, other: ourSide)
        addFollowers(of: theirs, from: ourSide, other: theirSide)
    }

    /// Where a folder went that is gone from `path`; nil when it was not renamed.
    func folderTarget(of path: RelativePath) -> RelativePath? {
        for moves in [ours, theirs] {
            if let target = moves.folders[path] ?? moves.follow(path) { return target }
        }
        return nil
    }

    /// Whether the other side has at the old name what the renaming one has there now, as after a
    /// run that was killed while it exchanged two names: then it is no edit of the renamed file.
    private func isTaken(
        _ found: Entry?, at source: RelativePath, _ mine: Side, _ input: ReconcileInput
    ) -> Bool {
        guard let found, let now = mine.entry(source), found.hasSameContent(as: now) else {
            return false
        }
        return input.base.entry(source).map { !found.hasSameContent(as: $0.entry) } ?? false
    }

    /// The link for a rename of one side, whose other side did not rename the file elsewhere; nil
    /// where the other side has something else at the old name, or deleted the file.
    private func link(
        _ source: RelativePath, _ target: RelativePath, isOurs: Bool, _ input: ReconcileInput
    ) -> Link? {
        let (mine, others) = isOurs ? (ours, theirs) : (theirs, ours)
        let other = Side(input: input, isOurs: !isOurs)
        if others.files[source] == target {
            return Link(basePath: source, oursPath: target, theirsPath: target, path: target)
        }
        if others.targets.contains(source) { return nil }
        let found = other.entry(source)
        if found?.kind == .directory { return nil }
        if isTaken(found, at: source, Side(input: input, isOurs: isOurs), input) { return nil }
        // Deleted on the other side: the deletion follows a folder's rename, not a file's own.
        if found == nil, mine.follow(source) != target { return nil }
        return Link(
            basePath: source, oursPath: isOurs ? target : source,
            theirsPath: isOurs ? source : target, path: target)
    }

    /// Only the links whose new names are free of anything else. What a link leaves may be what
    /// another needs, so this goes on until nothing more falls out.
    private func clear(_ candidates: [Link], _ input: ReconcileInput) -> [Link] {
        var links = candidates.filter { link in
            ![link.basePath, link.path].contains(where: input.isBlocked)
        }
        while true {
            let usedOurs = Set(links.map(\.oursPath))
            let usedTheirs = Set(links.map(\.theirsPath))
            let finals = Dictionary(links.map { ($0.path, 1) }, uniquingKeysWith: +)
            let kept = links.filter { link in
                finals[link.path] == 1
                    && (link.oursPath == link.path || usedOurs.contains(link.path)
                        || input.ours[link.path] == nil || input.local(link.path) == nil)
                    && (link.theirsPath == link.path || usedTheirs.contains(link.path)
                        || input.theirs[link.path] == nil || input.remote(link.path) == nil)
            }
            if kept.count == links.count { return kept }
            links = kept
        }
    }

    /// Row 14: what `side` created or edited inside a folder that the other side renamed, and did
    /// not take along, follows the folder.
    private mutating func addFollowers(of moves: Moves, from side: Side, other: Side) {
        guard !moves.folders.isEmpty else { return }
        let input = side.input
        let used = Set(links.map { side.isOurs ? $0.oursPath : $0.theirsPath })
        let usedByOther = Set(links.map { side.isOurs ? $0.theirsPath : $0.oursPath })
        let sources = Set(links.map(\.basePath))
        var finals = Set(links.map(\.path))
        for path in side.changed.sorted() {
            guard let entry = side.entry(path), other.entry(path) == nil, !used.contains(path),
                !sources.contains(path), let target = moves.follow(path),
                ChangeKind(of: entry, from: input.base.entry(path)?.entry) == .content,
                side.entry(target) == nil, input.base.entry(target) == nil,
                !usedByOther.contains(target), !input.isBlocked(path), !input.isBlocked(target),
                finals.insert(target).inserted
            else { continue }
            links.append(
                Link(
                    basePath: path, oursPath: side.isOurs ? path : target,
                    theirsPath: side.isOurs ? target : path, path: target))
        }
    }
}
