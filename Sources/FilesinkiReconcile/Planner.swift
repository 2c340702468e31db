import FilesinkiModel

/// Collects what every path gets, makes a tree of it that can exist, and turns it into steps.
struct Planner: Sendable {
    private let input: ReconcileInput
    private let renames: Renames
    private var planned: [PlannedPath] = []
    /// Where each path is in ``planned``.
    private var places: [RelativePath: Int] = [:]
    /// Conflicts of which both versions stay, and whose copies are still to be named.
    private var kept: [Conflict] = []
    /// Conflicts that a link or a person has left open.
    private var left: [Conflict] = []

    init(_ input: ReconcileInput, _ renames: Renames) {
        self.input = input
        self.renames = renames
        let count = max(input.ours.count, input.theirs.count)
        planned.reserveCapacity(count)
        places.reserveCapacity(count)
    }

    /// What the path gets, where something was decided about it.
    private func plan(at path: RelativePath) -> PlannedPath? { places[path].map { planned[$0] } }

    /// Sets what the path gets, in place of what was decided before.
    mutating func set(_ plan: PlannedPath) {
        if let place = places[plan.path] {
            planned[place] = plan
        } else {
            places[plan.path] = planned.count
            planned.append(plan)
        }
    }

    /// Gives both sides an entry.
    mutating func setEntry(_ entry: Entry, for item: ReconcileItem, _ reason: Reason) {
        var plan = PlannedPath(
            item.path, .entry(entry), self.reason(reason, of: item, entry),
            movedFrom: item.movedFrom)
        if let ours = item.ours {
            if ours.hasSameContent(as: entry) {
                plan.origin = item.paths.ours == item.path ? nil : item.paths.ours
            } else if isOnlyHere(ours, item) {
                plan.superseded = ours
            }
        }
        set(plan)
    }

    /// The reason, or the rename where it explains more.
    private func reason(_ reason: Reason, of item: ReconcileItem, _ entry: Entry) -> Reason {
        let reason = renames.reason(reason, of: item, entry)
        let isOtherName = input.theirs[item.path]?.isOtherName == true && item.ours == nil
        return reason == .created && isOtherName ? .otherName : reason
    }

    /// Whether an edit is in this replica and not in the log.
    private func isOnlyHere(_ ours: Entry, _ item: ReconcileItem) -> Bool {
        ours.kind != .directory && ChangeKind(of: ours, from: item.base?.entry) == .content
            && !input.isFormer(ours, item)
    }

    /// Carries out what a link, a rule or a person decided.
    mutating func resolve(_ conflict: Conflict, _ resolution: Resolution) {
        if let (entry, reason) = conflict.settlement(by: resolution) {
            return setEntry(entry, for: ReconcileItem(conflict), reason)
        }
        var plan = PlannedPath(conflict.path, .leave, .open, movedFrom: conflict.movedFrom)
        if resolution.outcome == .keepBoth {
            let isFolder = conflict.kind == .folder
            plan.target = .entry(conflict.keepsName)
            plan.reason = isFolder ? .folderKeepsName : .strategy(resolution.rule)
            kept.append(conflict)
        } else {
            left.append(conflict)
            if conflict.movedFrom != nil { plan.left = conflict }
        }
        set(plan)
    }

    mutating func keepOpen(_ conflict: Conflict) {
        let link = conflict.links.first?.description ?? ""
        set(
            PlannedPath(
                conflict.path, .undecided(conflict), .asks(link), movedFrom: conflict.movedFrom))
    }

    /// Where the conflict of a renamed file stays open, its old name stays as it is, too: the version of one side is there,
    /// and nowhere else.
    mutating func keepOldNames() {
        let undecided = planned.compactMap { plan in
            if case .undecided(let conflict) = plan.target { conflict } else { nil }
        }
        var names = (left + undecided).flatMap(\.oldNames)
        while let name = names.popLast() {
            guard let plan = plan(at: name.old), case .entry = plan.target else { continue }
            // What was to get the name keeps its own.
            if let source = plan.movedFrom,
                input.ourEntry(source) != nil || input.theirEntry(source) != nil
            {
                names.append((old: source, new: name.old))
            }
            set(PlannedPath(name.old, .leave, .moved(to: name.new)))
        }
    }

    /// Whether the path has a conflict that was not resolved.
    func isOpen(_ path: RelativePath) -> Bool {
        if case .undecided? = plan(at: path)?.target { return true }
        return false
    }
}

extension ReconcileItem {
    fileprivate init(_ conflict: Conflict) {
        let paths = ItemPaths(
            base: conflict.movedFrom ?? conflict.path, ours: conflict.oursPath,
            theirs: conflict.theirsPath, final: conflict.path)
        // The version is that of a base entry, which nothing is decided by any more.
        self.init(
            paths, base: conflict.base.map { VersionedEntry($0, version: 0) }, ours: conflict.ours,
            theirs: conflict.theirs)
    }
}

extension Conflict {
    /// The version that keeps the name where both stay: the directory, else the committed one.
    fileprivate var keepsName: Entry {
        (kind == .folder && ours?.kind == .directory ? ours : theirs) ?? .tombstone
    }

    /// The old name of a renamed file, where a side still has it under that name.
    fileprivate var oldNames: [(old: RelativePath, new: RelativePath)] {
        [ours == nil ? path : oursPath, theirs == nil ? path : theirsPath]
            .filter { $0 != path }.map { (old: $0, new: path) }
    }
}

/// Conflict copies.
extension Planner {
    /// Gives every version that lost its name a conflict name, by path, so that names do not depend
    /// on the order in which conflicts were resolved.
    mutating func addConflictCopies() {
        for conflict in kept.sorted(by: { $0.path < $1.path }) {
            if let ours = conflict.ours, conflict.kind != .folder || ours.kind != .directory {
                addCopy(of: ours, at: conflict.path, from: input.device, origin: conflict.oursPath)
            } else if let theirs = conflict.theirs {
                addCopy(
                    of: theirs, at: conflict.path, from: sender(of: conflict.theirsPath),
                    origin: nil)
            }
        }
    }

    /// Gives `entry` a conflict name beside `path`, unless a conflict copy of the path has its content.
    /// Where other contents have all of its names, our version is kept in the history.
    private mutating func addCopy(
        of entry: Entry, at path: RelativePath, from device: Device, origin: RelativePath?,
        superseded: Entry? = nil
    ) {
        let known = input.conflictCopies(of: path)
        if known.contains(where: { state(of: $0, for: entry) == .holdsEntry }) { return }
        let hash = contentHash(of: entry)
        for length in [8, 16, 32, 64] {
            let copy = conflictName(for: path, device: device, hash: String(hash.prefix(length)))
            switch state(of: copy, for: entry) {
            case .holdsEntry: return
            case .taken: continue
            case .free:
                let reason = Reason.conflictCopy(of: path)
                return set(
                    PlannedPath(copy, .entry(entry), reason, origin: origin, superseded: superseded)
                )
            }
        }
        if origin != nil, let place = places[path] { planned[place].superseded = entry }
    }

    /// Who committed what is at `path`.
    private func sender(of path: RelativePath) -> Device {
        input.theirs[path]?.device ?? Device(id: [], name: "unknown")
    }

    private enum NameState { case free, holdsEntry, taken }

    /// What the name of a conflict copy holds after the run.
    private func state(of copy: RelativePath, for entry: Entry) -> NameState {
        if let plan = plan(at: copy) {
            guard case .entry(let planned) = plan.target else { return .taken }
            return planned.hasSameContent(as: entry) ? .holdsEntry : .taken
        }
        if input.isBlocked(copy) { return .taken }
        let (ours, theirs) = (input.ourEntry(copy), input.theirEntry(copy))
        if ours == nil, theirs == nil { return .free }
        let item = ReconcileItem(at: copy, base: input.base.entry(copy), ours: ours, theirs: theirs)
        guard let settled = input.decide(item).entry else { return .taken }
        return settled.hasSameContent(as: entry) ? .holdsEntry : .taken
    }
}

/// Folders.
extension Planner {
    /// Rows 11 and 12: what survives needs its folders, up to the root.
    ///
    /// A folder that was deleted stays or comes back; where something else has taken its name, the
    /// folder keeps the name and the other gets a conflict name.
    mutating func keepParents() {
        var checked: Set<RelativePath> = []
        var index = 0
        // Folders and copies that are set on the way are appended, and checked in their turn.
        while index < planned.count {
            let plan = planned[index]
            index += 1
            guard plan.survives else { continue }
            var path = plan.path
            while let folder = path.parent, checked.insert(folder).inserted {
                keepFolder(folder)
                path = folder
            }
        }
    }

    private mutating func keepFolder(_ folder: RelativePath) {
        guard let plan = plan(at: folder) else {
            guard let entry = input.base.entry(folder)?.entry else {
                let entry = Entry.directory(mode: 0o755, modified: .zero)
                return set(PlannedPath(folder, .entry(entry), .holdsSurvivor))
            }
            if entry.kind != .directory { replace(entry, at: folder, origin: folder) }
            return
        }
        guard case .entry(let entry) = plan.target, entry.kind != .directory else { return }
        if entry.kind == .tombstone {
            set(PlannedPath(folder, .entry(directory(for: folder)), .holdsSurvivor))
        } else {
            replace(entry, at: folder, origin: plan.origin, superseded: plan.superseded)
        }
    }

    /// Puts a directory where `entry` was to be, and gives `entry` a conflict name.
    ///
    /// - Parameter superseded: The content that only this replica has and that `entry` replaces.
    private mutating func replace(
        _ entry: Entry, at path: RelativePath, origin: RelativePath?, superseded: Entry? = nil
    ) {
        set(PlannedPath(path, .entry(directory(for: path)), .folderKeepsName))
        let isOurs = input.ourEntry(path)?.hasSameContent(as: entry) ?? false
        let isTheirs = input.theirEntry(path)?.hasSameContent(as: entry) ?? false
        addCopy(
            of: entry, at: path, from: isTheirs ? sender(of: path) : input.device,
            origin: isOurs ? path : origin, superseded: superseded)
    }

    /// The directory as some tree has it, the committed one first.
    private func directory(for path: RelativePath) -> Entry {
        let known = [input.theirEntry(path), input.ourEntry(path), input.base.entry(path)?.entry]
        return known.compactMap(\.self).first { $0.kind == .directory }
            ?? .directory(mode: 0o755, modified: .zero)
    }

    /// Row 24: a directory that holds something blocked is neither deleted nor replaced.
    mutating func keepBlocked() {
        for blocked in input.blocked {
            let isUnread = input.reason(ofBlocked: blocked) == .blocked
            for folder in blocked.ancestors {
                guard var plan = plan(at: folder), plan.isHeld(byUnread: isUnread) else { continue }
                plan.target = .skip
                plan.reason = isUnread ? .holdsBlocked : .holdsIgnored
                set(plan)
            }
        }
        bringBackFolders()
    }

    /// Row 11: a directory that was deleted here comes back while the other side has something in it that is left out here
    /// for good. Otherwise its deletion would wait, and both sides differ, for ever.
    private mutating func bringBackFolders() {
        let deleted = planned.filter { $0.isHeldFolder && input.ourEntry($0.path) == nil }
        guard !deleted.isEmpty else { return }
        let (leftOut, unread) = (input.foldersOfLeftOut, input.foldersOfUnread)
        for var plan in deleted.sorted(by: { $0.path < $1.path }) {
            guard let theirs = input.theirEntry(plan.path), theirs.kind == .directory,
                leftOut.contains(plan.path), !unread.contains(plan.path),
                plan.path.parent.map(isFolderHere) ?? true
            else { continue }
            plan.target = .entry(theirs)
            set(plan)
        }
    }

    /// Whether a directory is at the path here afterwards.
    private func isFolderHere(_ path: RelativePath) -> Bool {
        if case .entry(let entry)? = plan(at: path)?.target { return entry.kind == .directory }
        return input.ourEntry(path)?.kind == .directory
    }
}

extension Timestamp {
    /// The beginning of 1970, where no time is known.
    fileprivate static let zero = Timestamp(nanoseconds: 0)
}

/// Steps.
extension Planner {
    /// The steps for everything that was collected, without order.
    func steps() -> [Step] { planned.compactMap(step) }

    /// The step that gives the path what was planned; nil when nothing has to be done.
    private func step(_ plan: PlannedPath) -> Step? {
        let state = PathState(plan.path, input)
        guard let action = action(for: plan.target, state) else { return nil }
        return Step(
            path: plan.path, base: state.base, ours: state.ours, theirs: state.committed,
            action: action, reason: plan.reason, origin: action.writesOurs ? plan.origin : nil,
            movedFrom: plan.movedFrom, supersededEntry: action.writesOurs ? plan.superseded : nil,
            modeBefore: plan.movedFrom.flatMap { input.modeBefore(at: $0, action) },
            leftRename: plan.left)
    }

    private func action(for target: PlannedPath.Target, _ state: PathState) -> Action? {
        switch target {
        case .undecided(let conflict): return .undecided(conflict)
        case .leave: return .leave
        case .skip: return .skip
        case .entry(let entry):
            switch (isDone(state.ours, entry), isDone(state.theirs, entry)) {
            case (true, true):
                guard state.isChanged, state.ours != nil || state.base != nil else { return nil }
                return .agree
            case (true, false): return .publish(state.ours ?? .tombstone)
            case (false, true): return .take(state.theirs ?? .tombstone)
            case (false, false): return .both(entry)
            }
        }
    }

    private func isDone(_ found: Entry?, _ wanted: Entry) -> Bool {
        guard let found else { return wanted.kind == .tombstone }
        return found.agrees(with: wanted)
    }
}

/// What the three trees have at one path.
private struct PathState {
    let base: VersionedEntry?
    let ours: Entry?
    /// What the remote tree says, tombstones included.
    let committed: VersionedEntry?
    /// Whether a side differs from the base, so that the base has to move.
    let isChanged: Bool

    init(_ path: RelativePath, _ input: ReconcileInput) {
        base = input.base.entry(path)
        let local = input.ours[path]
        let remote = input.theirs[path]
        let found = local == nil ? base?.entry : local?.entry
        ours = found?.kind == .tombstone ? nil : found
        committed = remote?.entry ?? base
        isChanged = local != nil || remote != nil
    }

    /// What the remote tree has; nil for a tombstone.
    var theirs: Entry? { committed.flatMap { $0.entry.kind == .tombstone ? nil : $0.entry } }
}
