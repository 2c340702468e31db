import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiRules
import FilesinkiStore
import FilesinkiSystem
import Glibc

/// What a replica leaves out by a user's will.
struct SimulatedOmission: Sendable {
    /// The paths that it holds; nil for all.
    var choice: PathChoice?
    /// What the ignore file of its device ignores.
    var pattern: PathPattern?
    /// What the synced ignore file in its root ignores.
    var synced: PathPattern?
    /// The texts of these patterns.
    var rules: [String?] = []
    /// What is not sent, as another device has ended the rule that ignored it.
    var withheld: Set<RelativePath> = []
    /// What a run leaves out.
    var excluded: PathPattern?

    /// Whether nothing is left out.
    var isNothing: Bool { patterns.isEmpty && choice == nil && withheld.isEmpty }

    private var patterns: [PathPattern] { [pattern, synced, excluded].compactMap(\.self) }

    /// Whether an ignore file ignores a path.
    func ignores(_ path: RelativePath) -> Bool {
        [pattern, synced].contains { $0?.ignores(path) == true }
    }

    /// Whether the replica does not hold a path.
    func isUnheld(_ path: RelativePath) -> Bool { choice?.holds(path) == false }

    func leavesOut(_ path: String) -> Bool {
        guard let path = try? RelativePath(path) else { return false }
        return isUnheld(path) || path.isAtOrInside(withheld)
            || patterns.contains { $0.ignores(path) }
    }

    /// Whether the replica refuses commands for a path.
    func refuses(_ path: String) -> Bool {
        guard let path = try? RelativePath(path) else { return false }
        return choice?.contains(path) == false || path.isAtOrInside(withheld) || ignores(path)
    }

    /// The values in a tree that are not left out.
    func values(of tree: TreeFixture) -> Set<HeldValue> {
        Set(tree.placements.filter { !leavesOut($0.path) }.map(\.value))
    }
}

extension PathPattern {
    /// Whether an ignore file with the pattern ignores a path: also a conflict copy of what it names, or of such a copy.
    fileprivate func ignores(_ path: RelativePath) -> Bool {
        covers(path) || conflictOriginals(of: path).contains(where: covers)
    }
}

/// A replica of a simulation: a root and a state folder.
struct SimulatedReplica: Sendable {
    let number: Int
    let root: String
    let state: String
    let clock: SkewedClock

    init(_ number: Int, in folder: TemporaryFolder, _ clock: ManualClock) {
        self.number = number
        root = folder.path("root\(number)")
        state = folder.path("state\(number)")
        self.clock = SkewedClock(clock)
    }

    /// Copies the folder and the state of another replica, as `cp -a` does.
    func copy(_ other: SimulatedReplica) throws {
        clock.offset = other.clock.offset
        try Self.copyTree(other.root, to: root)
        try Self.copyTree(other.state, to: state)
    }

    func backUp() throws {
        try Self.copyTree(root, to: root + ".backup")
        try Self.copyTree(state, to: state + ".backup")
    }

    /// - Returns: Whether there is a backup.
    func restore() throws -> Bool {
        guard access(root + ".backup", F_OK) == 0 else { return false }
        try Self.copyTree(root + ".backup", to: root)
        try Self.copyTree(state + ".backup", to: state)
        return true
    }

    private static func copyTree(_ origin: String, to path: String) throws {
        removeTree(Array(path.utf8))
        guard system("cp -a '\(origin)' '\(path)'") == 0 else {
            throw FixtureError("cp", path, EIO)
        }
    }

    func options(_ remote: any Remote) -> ReplicaOptions {
        var options = ReplicaOptions(
            root: root, state: state, lockWait: .seconds(3600), systemContext: clock.systemContext,
            connect: { _ in remote })
        // Every other replica takes the packs from under the runs that have just stored them.
        options.sparesUnnamedPacks = number.isMultiple(of: 2)
        options.checkpointInterval = 4
        options.archiveExtent = ArchiveExtent(keptSlots: 1, minimum: 2, length: 1500)
        return options
    }

    /// The files of the root, with their times.
    func disk() throws -> TreeFixture { try TreeFixture.read(root, times: true) }

    /// Chooses the paths that the replica holds, before or after its first run.
    func choose(_ paths: [String]?, _ remote: any Remote) async throws {
        let replica = try await Replica.open(options(remote), writable: true)
        _ = try await replica.choosePaths(paths?.map { try RelativePath($0) })
        await replica.close()
    }

    func ignore(_ pattern: String?) throws {
        try StateFile.replace(
            StateFolder(root: root, state: state).ignore, with: Array((pattern ?? "").utf8))
    }

    /// What the replica leaves out by the choice and the ignore files, and what it withholds.
    func omission() throws -> SimulatedOmission {
        let folder = StateFolder(root: root, state: state)
        let pattern = try Self.pattern(in: folder.ignore)
        let synced = try Self.pattern(in: root + "/" + IgnoreFilter.fileName)
        return SimulatedOmission(
            choice: try folder.choiceNote().choice,
            pattern: try pattern.map { try PathPattern($0) },
            synced: try synced.map { try PathPattern($0) }, rules: [pattern, synced],
            withheld: try folder.notedPaths())
    }

    /// The pattern in the first line of an ignore file; nil if the file is missing or empty.
    private static func pattern(in path: String) throws -> String? {
        let line = try StateFile.read(path)?.split(separator: UInt8(ascii: "\n")).first
        return line.map { String(decoding: $0, as: UTF8.self) }
    }

    /// What a run leaves out.
    func omission(_ run: SimulatedRun) throws -> SimulatedOmission {
        var omission = try omission()
        omission.excluded = try run.excluded.map { try PathPattern($0) }
        return omission
    }

    func loseManifest() {
        for end in ["", "-wal", "-shm", "-journal"] { unlink(state + "/manifest.sqlite" + end) }
    }

    /// Runs, and approves the plan if a guard stops the run: again if other devices have changed it meanwhile.
    private static func approving(
        _ options: SyncOptions, _ run: (SyncOptions) async throws -> SyncReport
    ) async throws -> SyncReport {
        var options = options
        for _ in 0..<maximumApprovals {
            do {
                return try await run(options)
            } catch let failure as Failure where failure.code == .limit {
                options.approved = failure.remedy.split(separator: " ").last.map {
                    String($0.dropLast())
                }
            }
        }
        return try await run(options)
    }

    private static let maximumApprovals = 3

    /// Syncs everything, and approves nothing.
    func sync(_ remote: any Remote) async throws {
        _ = try await Replica.open(options(remote), writable: true).sync(SyncOptions())
    }

    /// Opens the replica as a process would, performs the task, and closes the replica.
    func perform(_ run: SimulatedRun, _ remote: any Remote) async throws -> SyncReport? {
        let replica = try await Replica.open(options(remote), writable: true)
        var sync = SyncOptions()
        sync.strategy = try run.strategy.map { try Strategy(parsing: $0) }
        if let excluded = run.excluded {
            sync.patterns = try RunPatterns(excluded: [excluded], included: [])
        }
        if let size = run.batchSize {
            sync.batchSize = size
            sync.wholeRunLimit = 2 * size
        }
        switch run.task {
        case .sync(let paths):
            sync.paths = try paths.map { try RelativePath($0) }
            return try await Self.approving(sync) { try await replica.sync($0) }
        case .save(let path, let serial):
            var options = SaveOptions()
            options.sync = sync
            let bytes = UserAction.content(serial, isLarge: false)
            return try await replica.save(RelativePath(path), options) { write in
                try bytes.withUnsafeBytes(write)
            }.sync
        case .load(let path):
            return try await replica.load(RelativePath(path), isOffline: false, sync) { _ in }.sync
        case .delete(let path):
            return try await replica.delete([RelativePath(path)], recursive: true, sync)
        case .prune(let last):
            var policy = RetentionPolicy()
            policy.last = last
            let report = try await replica.prune(policy, isDryRun: false, nil)
            if let damage = report.failures.first { throw damage }
            return SyncReport()
        }
    }
}
