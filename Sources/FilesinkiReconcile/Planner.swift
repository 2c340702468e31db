import FilesinkiModel

/// Collects what every path shall be, makes that hold together as a tree, and turns it into steps.
struct Planner {
    /// What a path shall be.
    struct Intent {
        enum Outcome: Equatable {
            /// This entry on both sides; a tombstone for nothing.
            case entry(Entry)
            case undecided([StrategyLink])
            case leave
            case skip
        }

        var path: RelativePath
        var outcome: Outcome
        var reason: Reason
        /// The base path, when the thing has another name now.
        var movedFrom: RelativePath?
        /// What a link has to be asked about.
        var contest: Contest?
        /// Where the content is in the local tree, when not at the path.
        var origin: RelativePath?
        var loser: Entry?

        /// Whether something is at the path afterwards, so that its folders are needed.
        var survives: Bool { outcome != .entry(.tombstone) }
    }

    let input: ReconcileInput
    private let renames: Renames?
    private(set) var intents: [Intent] = []
    private(set) var places: [RelativePath: Int] = [:]

    /// - Parameter renames: What words the reasons of paths that were renamed.
    init(_ input: ReconcileInput, _ renames: Renames?) {
        self.input = input
        self.renames = renames
        let count = max(input.ours.count, input.theirs.count)
        intents.reserveCapacity(count)
        places.reserveCapacity(count)
    }

    /// What the path shall be, where something was decided about it.
    func intent(at path: RelativePath) -> Intent? { places[path].map { intents[$0] } }

    /// Sets what the path shall be, in place of what was decided before.
    mutating func set(_ intent: Intent) {
        if let place = places[intent.path] {
            intents[place] = intent
        } else {
            places[intent.path] = intents.count
            intents.append(intent)
        }
    }

    /// Takes in the decision about one case.
    mutating func add(_ item: Case, _ decision: Decision) {
        var intent = Intent(
            path: item.path, outcome: .skip, reason: .blocked, movedFrom: item.movedFrom)
        switch decision {
        case .settled(let entry, let reason):
            intent.outcome = .entry(entry)
            intent.reason = worded(reason, item)
            intent.loser = loser(of: item, to: entry)
            if let ours = item.ours, ours.hasSameContent(as: entry) {
                intent.origin = item.oursPath == item.path ? nil : item.oursPath
            }
        case .keepBoth(let reason):
            intent.outcome = .entry(item.theirs ?? .tombstone)
            intent.reason = reason
        case .folderKeepsName:
            let folder = item.ours?.kind == .directory ? item.ours : item.theirs
            intent.outcome = .entry(folder ?? .tombstone)
            intent.reason = .folderKeepsName
        case .undecided(let links):
            intent.outcome = .undecided(links)
            intent.reason = .asks(links.first?.description ?? "")
            intent.contest = item.contest
        case .leave:
            intent.outcome = .leave
            intent.reason = .open
        }
        set(intent)
    }

    /// Adds the conflict copy that the decision about `item` calls for.
    mutating func addCopy(_ item: Case, _ decision: Decision) {
        switch decision {
        case .keepBoth:
            if let ours = item.ours {
                addCopy(of: ours, at: item.path, from: input.device, origin: item.oursPath)
            }
        case .folderKeepsName:
            if let ours = item.ours, ours.kind != .directory {
                addCopy(of: ours, at: item.path, from: input.device, origin: item.oursPath)
            } else if let theirs = item.theirs {
                addCopy(of: theirs, at: item.path, from: sender(of: item.theirsPath), origin: nil)
            }
        case .settled, .undecided, .leave: break
        }
    }

    /// Gives `entry` a conflict name beside `path`, unless it has one already, whoever gave it.
    mutating func addCopy(
        of entry: Entry, at path: RelativePath, from device: Device, origin: RelativePath?
    ) {
        if input.conflictCopies(of: path).contains(where: { state(of: $0, for: entry) == .holdsIt })
        {
            return
        }
        let hash = contentHash(of: entry)
        for length in [8, 16, 32, 64] {
            let copy = conflictName(for: path, device: device, hash: String(hash.prefix(length)))
            switch state(of: copy, for: entry) {
            case .holdsIt: return
            case .taken: continue
            case .free:
                set(
                    Intent(
                        path: copy, outcome: .entry(entry), reason: .conflictCopy(of: path),
                        origin: origin))
                return
            }
        }
    }

    /// Who committed what is at `path`.
    func sender(of path: RelativePath) -> Device {
        input.theirs[path]?.device ?? Device(id: [], name: "unknown")
    }

    private enum NameState { case free, holdsIt, taken }

    private func state(of copy: RelativePath, for entry: Entry) -> NameState {
        if let intent = intent(at: copy) {
            guard case .entry(let planned) = intent.outcome else { return .taken }
            return planned.hasSameContent(as: entry) ? .holdsIt : .taken
        }
        if input.isBlocked(copy) { return .taken }
        let (ours, theirs) = (input.local(copy), input.remote(copy))
        if ours == nil, theirs == nil { return .free }
        let item = Case(at: copy, base: input.base.entry(copy), ours: ours, theirs: theirs)
        guard case .settled(let settled, _) = input.decide(item) else { return .taken }
        return settled.hasSameContent(as: entry) ? .holdsIt : .taken
    }

    /// An edit that only this replica has, and the log has not, when another entry takes its place.
    private func loser(of item: Case, to winner: Entry) -> Entry? {
        guard let ours = item.ours, ours.kind != .directory, !ours.hasSameContent(as: winner),
            ChangeKind(of: ours, from: item.base?.entry) == .content, !input.isFormer(ours, item)
        else { return nil }
        return ours
    }

    /// The reason, or the rename that says more than it does.
    private func worded(_ reason: Reason, _ item: Case) -> Reason {
        switch reason {
        case .edit, .created, .equal, .metadata:
            if let source = item.movedFrom { return .renamed(from: source) }
            if let source = renames?.bothNames[item.path] { return .bothNames(of: source) }
        case .deleted:
            if item.base?.entry.kind == .directory,
                let target = renames?.folderTarget(of: item.path)
            {
                return .moved(to: target)
            }
        default: break
        }
        return reason
    }
}
