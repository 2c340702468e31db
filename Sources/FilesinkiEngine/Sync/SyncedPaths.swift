import FilesinkiFileSystem
import FilesinkiModel

/// Refuses paths that a rule ignores in this replica, one after the other, by rules that were read once: what is there is
/// private, and a run would neither see nor send what a command changes there.
struct SyncedPaths {
    /// The rules, for the run that follows: they hold until something is written.
    let rules: RunRules
    private let root: RootFolder
    private var ignored: IgnoredPaths

    init(_ rules: RunRules, in root: RootFolder) {
        self.rules = rules
        self.root = root
        ignored = IgnoredPaths(root: root, filter: rules.filter)
    }

    /// - Parameter remedy: What to do with the path in place of the command.
    /// - Throws: Code `usage`.
    mutating func require(
        _ path: RelativePath, orElse remedy: (RelativePath) -> String
    ) throws(Failure) {
        if path.isAtOrInside(rules.withheld) {
            throw Failure.withheld(path, in: rules.withheld)
        }
        let isFolder = (try? root.status(path))?.kind == .directory
        if let refusal = ignored.refusal(of: path, isDirectory: isFolder, orElse: remedy(path)) {
            throw refusal
        }
    }
}

extension RulesReader {
    /// Reads the rules, by which many paths are then looked at.
    ///
    /// - Throws: Code `usage` for settings that cannot be read.
    func syncedPaths(_ options: SyncOptions) throws -> SyncedPaths {
        let rules = try runRules(options)
        try rules.requireReadable()
        return SyncedPaths(rules, in: root)
    }

    /// Refuses paths that a rule ignores in this replica; see ``SyncedPaths``.
    ///
    /// - Parameter remedy: What to do with a path in place of the command.
    /// - Returns: The rules, for the run that follows: they hold until something is written.
    /// - Throws: Code `usage`.
    @discardableResult
    func requireSynced(
        _ paths: [RelativePath], _ options: SyncOptions,
        remedy: (RelativePath) -> String = Failure.ignoredRemedy
    ) throws -> RunRules {
        var synced = try syncedPaths(options)
        for path in paths { try synced.require(path, orElse: remedy) }
        return synced.rules
    }

    /// Refuses paths that rules ignore which a run has just received, and what it has begun to withhold: see
    /// ``requireSynced(_:_:remedy:)``.
    ///
    /// Reads the rules only if there are such rules.
    func requireSynced(
        _ paths: [RelativePath], after run: SyncReport, _ options: SyncOptions,
        remedy: (RelativePath) -> String = Failure.ignoredRemedy
    ) throws {
        for path in paths { try run.requireNotWithheld(path) }
        guard run.hasReceivedRules else { return }
        try requireSynced(paths, options, remedy: remedy)
    }
}

extension SyncReport {
    /// Refuses a path that the run has begun to withhold.
    ///
    /// - Throws: Code `usage`.
    func requireNotWithheld(_ path: RelativePath) throws(Failure) {
        guard path.isAtOrInside(withheldHere) else { return }
        throw refusal(ofWithheld: path)
    }

    /// Adds what an earlier run of the command has begun to withhold, and this one has not found again, with the former names.
    ///
    /// - Parameter plan: The plan of the command; nil if it was to withhold nothing.
    mutating func addWithheld(by plan: SyncReport?) {
        guard let plan else { return }
        let earlier = plan.withheldHere.outermost.subtracting(withheldHere)
        withheld.formUnion(earlier)
        notices += Problem.withheld(earlier, isUrgent: true, formerly: plan.formerNames)
    }
}

extension SyncEngine {
    /// Refuses paths at which is what was private by a former name, before a command writes there or sends anything. Changes
    /// nothing.
    ///
    /// Cost: a look at the paths and the folders above them. If one of these is new or another one, or something withheld is
    /// not at its path any more, a dry run for the paths.
    ///
    /// - Parameter rules: The rules, if the command has just read them.
    /// - Returns: What a run for the paths would do; nil if it would begin to withhold nothing.
    /// - Throws: Code `usage`.
    @discardableResult
    func requireNotWithheld(
        _ paths: [RelativePath], _ options: SyncOptions, rules: RunRules? = nil
    ) async throws -> SyncReport? {
        let plan = try await planOfWithheld(at: paths, options, rules: rules)
        for path in paths { try plan?.requireNotWithheld(path) }
        return plan
    }

    /// What a run for the paths would do; nil if it would begin to withhold nothing: see ``requireNotWithheld(_:_:rules:)``.
    func planOfWithheld(
        at paths: [RelativePath], _ options: SyncOptions, rules: RunRules? = nil
    ) async throws -> SyncReport? {
        let base = BaseIndex(Array(try baseRows(atAndAbove: paths).values))
        let note = try rules?.noted ?? withheldNote()
        let isAnyOther = !otherFolders(atAndAbove: paths, base).isEmpty
        guard try isAnyOther || hasMissed(of: note) else { return nil }
        return try await planPaths(paths, options, rules: rules)
    }
}
