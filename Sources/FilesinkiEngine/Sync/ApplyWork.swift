import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// One write of a step.
struct ApplyTask: Sendable {
    let path: RelativePath
    /// What is to be there; a tombstone for nothing.
    let entry: Entry
    /// What the plan saw there.
    let here: Entry?
    /// Where the content is in this tree, for a move or a copy.
    let origin: RelativePath?
    /// Of a file: what was committed, and is what is to be there or went into it; nil for what is not committed.
    var committed: VersionedEntry?
}

extension ApplyTask {
    /// The task of a step that writes `entry` to the root.
    fileprivate init(_ step: Step, _ entry: Entry) {
        self.init(path: step.path, entry: entry, here: step.ours, origin: step.origin)
        guard entry.kind == .file, let theirs = step.theirs, theirs.entry.kind == .file else {
            return
        }
        switch step.action {
        case .take: committed = VersionedEntry(entry, version: theirs.version)
        case .both where step.reason.isMerge: committed = theirs
        default: break
        }
    }
}

/// The writes of a plan, sorted by kind and into an order in which they can be done.
struct ApplyWork: Sendable {
    /// Copies of local contents that are about to lose their name.
    var copies: [ApplyTask] = []
    /// Folders of ``folderRemovals`` in whose place something else is to be.
    var makingWay: Set<RelativePath> = []
    /// Copies to where a folder is, or into one that is to take the place of something else: they
    /// wait for that.
    var lateCopies: [ApplyTask] = []
    var moves: [ApplyTask] = []
    var removals: [ApplyTask] = []
    /// The deepest first.
    var folderRemovals: [ApplyTask] = []
    /// Folders that find their place free; parents first.
    var newFolders: [ApplyTask] = []
    /// Folders that take the place of something else, or are inside one that does; parents first.
    var folders: [ApplyTask] = []
    var links: [ApplyTask] = []
    var files: [ApplyTask] = []
    /// Files and links that differ in mode or time only.
    var attributes: [ApplyTask] = []
    /// Paths that are as they should be already.
    var ready: [RelativePath] = []
    /// Writes of contents that leave another name here, also those that were dropped since.
    private(set) var renames: [ApplyTask] = []

    init(_ steps: [Step]) {
        for step in steps {
            switch step.action {
            case .take(let entry):
                add(ApplyTask(step, entry))
            case .both(let entry):
                addCopy(ApplyTask(step, entry))
            case .agree, .publish, .undecided, .leave, .skip: break
            }
        }
        renames = (moves + files + links).filter { $0.origin != nil }
        folders.sort { $0.path < $1.path }
        divideFolders()
        folderRemovals.sort { $1.path < $0.path }
    }

    private mutating func divideFolders() {
        let late = Set(folders.lazy.filter { $0.here != nil }.map(\.path))
        newFolders = folders.filter { task in
            task.here == nil
                && (late.isEmpty || !task.path.ancestors.contains(where: late.contains))
        }
        if newFolders.count < folders.count {
            let early = Set(newFolders.map(\.path))
            folders.removeAll { early.contains($0.path) }
        } else {
            folders = []
        }
        guard !late.isEmpty else { return }
        let isLate: (ApplyTask) -> Bool = { $0.path.ancestors.contains(where: late.contains) }
        lateCopies += copies.filter(isLate)
        copies.removeAll(where: isLate)
    }

    private mutating func addCopy(_ task: ApplyTask) {
        if task.here.map({ $0.agrees(with: task.entry) }) ?? false {
            ready.append(task.path)
            return
        }
        guard task.origin != nil, task.entry.kind != .directory else { return add(task) }
        if task.here?.kind == .directory {
            makeWay(task)
            lateCopies.append(task)
        } else {
            copies.append(task)
        }
    }

    /// Removes a folder in whose place something else is to be; it is emptied like any other.
    private mutating func makeWay(_ task: ApplyTask) {
        makingWay.insert(task.path)
        folderRemovals.append(
            ApplyTask(path: task.path, entry: .tombstone, here: task.here, origin: nil))
    }

    private mutating func add(_ task: ApplyTask) {
        switch task.entry.kind {
        case .tombstone:
            if task.here?.kind == .directory {
                folderRemovals.append(task)
            } else {
                removals.append(task)
            }
        case .directory: folders.append(task)
        case .symlink: links.append(task)
        case .file:
            if let here = task.here, here.hasSameContent(as: task.entry) {
                attributes.append(task)
            } else if task.origin != nil, task.here == nil {
                moves.append(task)
            } else {
                files.append(task)
            }
        }
        if task.here?.kind == .directory, task.entry.kind == .file || task.entry.kind == .symlink {
            makeWay(task)
        }
    }

    /// Paths that are new here.
    var newPaths: [RelativePath] {
        (newFolders + folders + copies + moves + links + files).lazy
            .filter { $0.here == nil }.map(\.path)
    }

    /// Paths that will not be here any more.
    var leaving: Set<RelativePath> {
        Set((removals + folderRemovals).map(\.path) + moves.compactMap(\.origin))
    }

    /// Takes out the removals of old names whose new ones are still to be written, and those of the
    /// folders above them.
    ///
    /// - Parameters:
    ///   - moved: Paths that were reached by a rename.
    ///   - whereNamesFold: Whether an old name has to make way first when the new one only differs in
    ///     its spelling.
    mutating func takeOrigins(
        besides moved: Set<RelativePath>, whereNamesFold: (RelativePath) -> Bool
    ) -> ApplyWork {
        var late = ApplyWork([])
        let pending = renames.filter { task in
            guard let origin = task.origin, !moved.contains(task.path) else { return false }
            return !origin.isSpelling(of: task.path) || !whereNamesFold(origin)
        }
        let origins = Set(pending.compactMap(\.origin))
        guard !origins.isEmpty else { return late }
        let above = Set(origins.flatMap(\.ancestors)).subtracting(makingWay)
        late.removals = removals.filter { origins.contains($0.path) }
        late.folderRemovals = folderRemovals.filter { above.contains($0.path) }
        removals.removeAll { origins.contains($0.path) }
        folderRemovals.removeAll { above.contains($0.path) }
        return late
    }

    /// Keeps the old names whose new ones are not there, with the folders above them. Without either, the next run
    /// would take the file for deleted, and delete it everywhere.
    mutating func keepOrigins(of renames: some Sequence<ApplyTask>) {
        let origins = Set(renames.compactMap(\.origin))
        drop(origins.union(origins.flatMap(\.ancestors)))
    }

    /// Removes the tasks that write at or below one of these paths.
    mutating func drop(below paths: some Sequence<RelativePath>) {
        let paths = Set(paths)
        guard !paths.isEmpty else { return }
        for list in [\ApplyWork.newFolders, \.copies, \.moves, \.folders, \.links, \.files] {
            self[keyPath: list].removeAll { task in
                task.here == nil
                    && (paths.contains(task.path)
                        || task.path.ancestors.contains(where: paths.contains))
            }
        }
    }

    /// Removes the tasks that replace or remove one of these paths.
    mutating func drop(_ paths: Set<RelativePath>) {
        guard !paths.isEmpty else { return }
        for list in [
            \ApplyWork.moves, \.removals, \.folderRemovals, \.folders, \.links, \.files,
            \.attributes,
        ] {
            self[keyPath: list].removeAll { paths.contains($0.path) }
        }
    }
}

/// The result of one write.
enum TaskOutcome: Sendable {
    /// Done; the stamp of what is now there, nil where nothing is.
    case done(FileStamp?)
    /// Something else was found than the plan saw.
    case surprised

    /// - Parameters:
    ///   - leaves: Whether something is at the path afterwards.
    ///   - isWinner: Whether what was there before has become a conflict copy. Then another file that
    ///     replaced it a moment later is an edit of the winner. Otherwise it may be an edit of what was
    ///     there before, and both are reconciled.
    init(_ outcome: InstallOutcome, leaves: Bool = true, isWinner: Bool = false) {
        switch outcome {
        case .done(let status): self = .done(leaves ? status.stamp : nil)
        case .overtaken(let status): self = isWinner ? .done(status.stamp) : .surprised
        case .surprised: self = .surprised
        }
    }
}

/// The result of the steps that write to the root.
struct ApplyResult: Sendable {
    /// Steps that are done, with the stamp of what is now there; a removal has none.
    var done: [RelativePath: FileStamp?] = [:]
    /// Paths where something else was found than the plan saw; they are scanned again.
    var surprised: [RelativePath] = []
    /// Paths that can be reached once this round is done.
    var deferred: [RelativePath] = []
    var problems: [Problem] = []
    /// Paths whose step, and those of all below, wait for another run.
    var held: [RelativePath] = []
    /// Plain bytes written.
    var bytes: Int64 = 0

    mutating func add(_ other: ApplyResult) {
        done.merge(other.done) { $1 }
        surprised += other.surprised
        deferred += other.deferred
        problems += other.problems
        bytes += other.bytes
    }

    /// Whether a step may be published and recorded: it writes nothing to the root, or has done so.
    func allows(_ step: Step) -> Bool {
        guard !held.contains(where: { $0 == step.path || step.path.isInside($0) }) else {
            return false
        }
        return !step.action.writesOurs || done[step.path] != nil
    }

    /// Holds back steps that would replace a content whose conflict copy could not be made.
    mutating func holdOriginals(of steps: [Step]) {
        for step in steps where step.action.writesOurs && done[step.path] == nil {
            if case .conflictCopy(let original) = step.reason { held.append(original) }
        }
    }
}
