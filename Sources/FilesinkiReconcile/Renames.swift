import FilesinkiModel

/// The renames that both sides follow.
struct Renames: Sendable {
    /// Items whose versions come from different paths, or that follow a renamed folder.
    private(set) var items: [ItemPaths] = []
    /// The names that the sides gave to the same file, with its base path (row 15).
    private var bothNames: [RelativePath: RelativePath] = [:]
    private let ours: Moves
    private let theirs: Moves

    /// Joins what both sides renamed.
    init(_ input: ReconcileInput) {
        let ourSide = Side(input: input, isOurs: true)
        let theirSide = Side(input: input, isOurs: false)
        ours = Moves(of: ourSide)
        theirs = Moves(of: theirSide)
        guard !ours.isEmpty || !theirs.isEmpty else { return }
        var candidates: [ItemPaths] = []
        for (source, target) in ours.files {
            if let other = theirs.files[source], other != target {
                if let paths = followedCopy(source, target, other, ourSide, theirSide) {
                    candidates.append(paths)
                    continue
                }
                bothNames[target] = source
                bothNames[other] = source
            } else if let paths = followed(source, to: target, by: ourSide, other: theirSide) {
                candidates.append(paths)
            }
        }
        for (source, target) in theirs.files where ours.files[source] == nil {
            if let paths = followed(source, to: target, by: theirSide, other: ourSide) {
                candidates.append(paths)
            }
        }
        // A rename to a name that stays as it is would leave an edit without any name.
        let held = input.foldersOfBlocked
        candidates.removeAll { held.contains($0.final) }
        items = withFreeNames(candidates.sorted { $0.final < $1.final }, input)
        addFollowers(of: ours, from: theirSide, other: ourSide)
        addFollowers(of: theirs, from: ourSide, other: theirSide)
    }

    /// Where the folder of a conflict copy was renamed that the other side put in place of its file: that is no other name
    /// of the copy, but the end of its conflict, and follows the folder as a deletion does. Nil for all other files.
    private func followedCopy(
        _ copy: RelativePath, _ ourName: RelativePath, _ theirName: RelativePath, _ ourSide: Side,
        _ theirSide: Side
    ) -> ItemPaths? {
        switch conflictOriginal(of: copy)?.path {
        case ourName: followed(copy, to: theirName, by: theirSide, other: ourSide)
        case theirName: followed(copy, to: ourName, by: ourSide, other: theirSide)
        default: nil
        }
    }

    /// Where `side` renamed the file of another side's rename; nil where the rename is not followed:
    /// the other side has something else at the old name, or deleted the file.
    ///
    /// - Parameter other: The other side, which did not rename the file elsewhere.
    private func followed(
        _ source: RelativePath, to target: RelativePath, by side: Side, other: Side
    ) -> ItemPaths? {
        let (moves, otherMoves) = side.isOurs ? (ours, theirs) : (theirs, ours)
        if otherMoves.files[source] == target {
            return ItemPaths(base: source, ours: target, theirs: target, final: target)
        }
        if otherMoves.targets.contains(source) { return nil }
        let found = other.entry(source)
        if found?.kind == .directory { return nil }
        if isExchanged(found, at: source, side) { return nil }
        // Deleted on the other side: the deletion follows a folder's rename, not a file's own.
        if found == nil, moves.follow(source) != target { return nil }
        return ItemPaths(
            base: source, ours: side.isOurs ? target : source,
            theirs: side.isOurs ? source : target, final: target)
    }

    /// Whether the other side has at the old name what the renaming side has there now, as after a
    /// run that was killed while it exchanged two names. Then it is no edit of the renamed file.
    private func isExchanged(_ found: Entry?, at source: RelativePath, _ side: Side) -> Bool {
        guard let found, let now = side.entry(source), found.hasSameContent(as: now) else {
            return false
        }
        return side.input.base.entry(source).map { !found.hasSameContent(as: $0.entry) } ?? false
    }

    /// The candidates whose new names nothing else has. What one of them leaves may be what another
    /// needs, so this goes on until no more of them fail.
    private func withFreeNames(
        _ candidates: [ItemPaths], _ input: ReconcileInput
    ) -> [ItemPaths] {
        var items = candidates
        while true {
            let usedOurs = Set(items.map(\.ours))
            let usedTheirs = Set(items.map(\.theirs))
            let finals = Dictionary(items.map { ($0.final, 1) }, uniquingKeysWith: +)
            let free = items.filter { item in
                finals[item.final] == 1
                    && (item.ours == item.final || usedOurs.contains(item.final)
                        || input.ours[item.final] == nil || input.ourEntry(item.final) == nil)
                    && (item.theirs == item.final || usedTheirs.contains(item.final)
                        || input.theirs[item.final] == nil || input.theirEntry(item.final) == nil)
            }
            if free.count == items.count { return free }
            items = free
        }
    }

    /// Row 14: what `side` created or edited in a folder that the other side renamed, and did not
    /// take along, follows the folder, unless a partial replica does not hold it there, or has there what a rule ignores.
    private mutating func addFollowers(of moves: Moves, from side: Side, other: Side) {
        guard !moves.folders.isEmpty else { return }
        let input = side.input
        let used = Set(items.map { side.isOurs ? $0.ours : $0.theirs })
        let usedByOther = Set(items.map { side.isOurs ? $0.theirs : $0.ours })
        let sources = Set(items.map(\.base))
        var finals = Set(items.map(\.final))
        for path in side.changed.sorted() {
            guard let entry = side.entry(path), other.entry(path) == nil, !used.contains(path),
                !sources.contains(path), let target = moves.follow(path),
                ChangeKind(of: entry, from: input.base.entry(path)?.entry) == .content,
                side.entry(target) == nil, input.base.entry(target) == nil,
                !usedByOther.contains(target), !input.isBlocked(path), !input.isBlocked(target),
                input.holds(target), finals.insert(target).inserted
            else { continue }
            items.append(
                ItemPaths(
                    base: path, ours: side.isOurs ? path : target,
                    theirs: side.isOurs ? target : path, final: target))
        }
    }

    /// The reason, or the rename where it explains more.
    ///
    /// - Parameter entry: What both sides get.
    func reason(_ reason: Reason, of item: ReconcileItem, _ entry: Entry) -> Reason {
        switch reason {
        case .edit where ChangeKind(of: entry, from: item.base?.entry) == .content:
            if let source = item.movedFrom { return .renamedAndEdited(from: source) }
            if let source = bothNames[item.path] { return .bothNames(of: source) }
        case .edit, .created, .equal, .metadata:
            if let source = item.movedFrom { return .renamed(from: source) }
            if let source = bothNames[item.path] { return .bothNames(of: source) }
        case .deleted:
            if item.base?.entry.kind == .directory, let target = folderTarget(of: item.path) {
                return .moved(to: target)
            }
        default: break
        }
        return reason
    }

    /// The new path of a folder that was at `path`; nil when it was not renamed.
    private func folderTarget(of path: RelativePath) -> RelativePath? {
        for moves in [ours, theirs] {
            if let target = moves.folders[path] ?? moves.follow(path) { return target }
        }
        return nil
    }
}
