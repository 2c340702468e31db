import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiMerge
import FilesinkiModel
package import FilesinkiReconcile
import FilesinkiRemote
package import FilesinkiRules
import FilesinkiStore
import FilesinkiSystem
import FilesinkiText

/// The rules of one run: the user's files, and the options of the command line that override them.
struct RunRules: Sendable {
    var filter: any ScanFilter
    /// The filter without the patterns of this run and without the choice.
    var ignoring: any ScanFilter
    /// The ignore files of users that hold.
    var users = UserIgnoreFiles()
    /// The paths that this replica holds; nil for all.
    var choice: PathChoice?
    /// What rules ignored until another device ended them, or a folder was renamed: ``filter`` leaves it out. See
    /// ``WithheldNote``.
    var withheld: Set<RelativePath> = []
    /// The note of that, as it was when the rules were read: with what the user has named.
    var noted = WithheldNote()
    /// Whether the run has patterns of its own, which hold for this run only.
    var hasPatterns = false
    var strategies: any StrategyRules
    /// The merge settings of a path.
    var merging: @Sendable (RelativePath) -> MergeSettings
    var maxDelete: MaxDelete
    /// Why no run may go by these rules: see ``RulesLoad/unreadable``.
    var unreadable: Failure?
    var notices: [Problem] = []
}

extension RunRules {
    /// - Throws: ``unreadable``, if there is such a mistake.
    func requireReadable() throws(Failure) {
        if let unreadable { throw unreadable }
    }
}

/// Rules whose values the command line overrides.
struct OverridingRules: StrategyRules {
    var rules: any StrategyRules
    var strategy: Strategy?
    var onDelete: OnDelete?

    func strategy(for path: RelativePath) -> Strategy { strategy ?? rules.strategy(for: path) }
    func onDelete(for path: RelativePath) -> OnDelete { onDelete ?? rules.onDelete(for: path) }

    func asksBeforeDeleting(_ path: RelativePath) -> Bool {
        onDelete == nil && rules.asksBeforeDeleting(path)
    }
}

/// Reads the rules that hold in a run.
struct RulesReader: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Reads the rules at the start of a run. Invalid settings become notices, and the defaults apply in their place;
    /// what ``RunRules/requireReadable()`` throws is for the caller to ask.
    ///
    /// - Parameter released: Withheld paths that the user has named: they are not left out any more.
    func runRules(_ options: SyncOptions, released: Set<RelativePath> = []) throws -> RunRules {
        root.forgetFolding()
        let synced = try rootFile(Settings.syncedFile)
        let load = RulesLoad(
            synced: synced, isTrusted: try trust.isTrusted(synced),
            device: try self.options.deviceFiles())
        let (users, own) = try (self.options.userIgnoreFiles(), files.ofReplica())
        let gitignore =
            try load.gitignore || users.applyGitignore(synced: synced, in: state)
        let inRoot = try RootIgnoreFiles(root, gitignore: gitignore)
        func filter(_ patterns: RunPatterns) -> any ScanFilter {
            IgnoreFilter.each(
                of: users.files, replica: own, gitignore: gitignore, patterns: patterns
            ) { inRoot.texts[$0] }.joined
        }
        var filtering = filter(options.patterns)
        let noted = try withheldNote()
        let named = released.intersection(noted.paths)
        let ignoring = filter(.none)
        var ignored = IgnoredPaths(root: root, filter: ignoring)
        let withheld = noted.paths.filter { path in
            // A rule alone holds that.
            if noted.items[path]?.isIgnored == true, !ignored.exposes(path) { return false }
            return !path.isAtOrInside(named)
        }.outermost
        if !withheld.isEmpty { filtering = WithheldFilter(withheld, within: filtering) }
        let choice = try choice()
        return RunRules(
            filter: choice.map { ChoiceFilter($0, within: filtering) } ?? filtering,
            ignoring: ignoring, users: users, choice: choice, withheld: withheld,
            noted: noted,
            hasPatterns: !options.patterns.isEmpty,
            strategies: RuleFileRules(
                OverridingRules(
                    rules: resolved(load.rules), strategy: options.strategy,
                    onDelete: options.onDelete),
                gitignore: gitignore),
            merging: {
                $0.isSyncedSettings ? RuleFileRules.settingsMerge : load.rules.merging(for: $0)
            },
            maxDelete: options.maxDelete ?? load.rules.maxDelete ?? .standard,
            unreadable: load.unreadable ?? inRoot.misplaced,
            notices: Self.notices(
                of: load.problems, doubts: files.doubts(inRoot, users, own) + users.notices))
    }

    /// What a user is told of mistakes in the rules, and of what may not be meant.
    private static func notices(of mistakes: [Failure], doubts: [Failure]) -> [Problem] {
        mistakes.map { Problem(RelativePath(unchecked: $0.path), $0) }
            + doubts.map { Problem(RelativePath(unchecked: $0.path), $0, isUrgent: true) }
    }

    /// What a prune without options keeps, by the settings.
    ///
    /// - Throws: Code `usage` for a mistake that may hide a rule, so that none is left out by accident.
    func pruneRules() throws -> [PruneKey: Int64] {
        let load = try files.load(isTrusted: true)
        if var problem = load.pruneProblem {
            problem.message += " The rules of a prune may be incomplete, so nothing was removed."
            throw problem
        }
        return load.rules.prune
    }

    /// The paths that this replica holds; nil for all.
    func choice() throws(Failure) -> PathChoice? { try state.choiceNote().choice }

    /// Refuses paths that are not in this replica.
    ///
    /// - Parameter parts: Whether a folder of which a part is here is accepted.
    /// - Throws: Code `usage`.
    func requireHeld(_ paths: [RelativePath], parts: Bool = false) throws(Failure) {
        guard let choice = try choice() else { return }
        for path in paths where !choice.contains(path) {
            if choice.isAbove(path), parts { continue }
            throw choice.isAbove(path) ? .partlyHeld(path) : .notHeld(path)
        }
    }

    /// The rules, behind the program's own resolver.
    private func resolved(_ rules: any StrategyRules) -> any StrategyRules {
        guard let resolver = options.resolver else { return rules }
        return ProgramRules(rules: rules, program: resolver)
    }

    /// The bytes of a small file directly in the root; nil if there is no such file.
    func rootFile(_ name: String) throws -> [UInt8]? { try files.rootFile(name) }

    private var files: RuleFiles { RuleFiles(root: root, options: options) }
}

extension ReplicaOptions {
    /// The settings files of this device: of its user, and of this replica.
    ///
    /// - Throws: `Failure` when one cannot be read.
    package func deviceFiles() throws -> [RulesLoad.DeviceFile] {
        var files: [RulesLoad.DeviceFile] = []
        let ofReplica = stateFolder.path + "/" + Settings.deviceFile
        for path in [configuration, ofReplica] {
            // Users keep their settings elsewhere, and symlinks to them here.
            if let path, let bytes = try StateFile.read(path, followingSymlinks: true) {
                files.append(RulesLoad.DeviceFile(path: path, bytes: bytes))
            }
        }
        return files
    }
}

/// The files that contain rules.
struct RuleFiles {
    let root: RootFolder
    let options: ReplicaOptions

    /// The largest file of rules in the root, in bytes.
    static let limit = 1 << 20

    /// Reads the rules of all files.
    ///
    /// - Parameter isTrusted: Whether the synced file may run commands.
    func load(isTrusted: Bool) throws -> RulesLoad {
        RulesLoad(
            synced: try rootFile(Settings.syncedFile), isTrusted: isTrusted,
            device: try options.deviceFiles())
    }

    /// The ignore file of this replica on this device; nil if there is none.
    func ofReplica() throws(Failure) -> RulesLoad.DeviceFile? {
        let path = options.stateFolder.ignore
        return try StateFile.read(path, followingSymlinks: true).map {
            RulesLoad.DeviceFile(path: path, bytes: $0)
        }
    }

    /// What ignore files have that does not ignore what it seems to.
    func doubts(
        _ inRoot: RootIgnoreFiles, _ users: UserIgnoreFiles, _ own: RulesLoad.DeviceFile?
    ) -> [Failure] {
        let synced = inRoot.texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let ofDevice = users.files + [own].compactMap(\.self)
        let all = synced + ofDevice.map { ($0.path, $0.bytes) }
        let place = all.isEmpty ? nil : absentPath
        var named = NamedPaths(root)
        let lines = all.flatMap { path, bytes in
            IgnoreDoubt.all(in: bytes, root: place) { named.match($0) }
                .map { $0.failure(in: path) }
        }
        return lines + inRoot.misnamed + misnamedOwn()
    }

    /// Names that people write in place of that of an ignore file of this device.
    private static let wrongOwnNames = [
        ".filesinkiignore", ".ignore", "exclude", "filesinkiignore", "ignore.txt", "ignores",
    ]

    /// Files beside the ignore files of this device that seem to be meant as one.
    private func misnamedOwn() -> [Failure] {
        [options.stateFolder.ignore, options.userIgnoreFile].compactMap(\.self).flatMap { right in
            let folder = String(
                decoding: right.utf8.dropLast(Settings.ignoreFile.utf8.count), as: UTF8.self)
            return Self.wrongOwnNames.map { folder + $0 }.filter(StateFile.exists).map {
                Failure.noIgnoreFile(
                    $0, "The ignore file in this folder has the name \(Settings.ignoreFile).")
            }
        }
    }

    /// The path of the root; nil if the root has something at a path of this name, which a pattern may mean.
    private var absentPath: String? {
        guard
            let inside = try? RelativePath(String(root.path.drop { $0 == "/" })),
            (try? root.status(inside)) == .some(nil)
        else { return nil }
        return root.path
    }

    /// The bytes of a file directly in the root; nil if there is no regular file of this name.
    ///
    /// - Throws: Code `limit` if it is larger than 1 MiB.
    func rootFile(_ name: String) throws -> [UInt8]? {
        let path = try RelativePath(name)
        guard try root.status(path)?.kind == .file else { return nil }
        return try root.readWhole(path, limit: Self.limit).bytes
    }
}

extension Failure {
    /// What to do about a path that cannot be changed because a rule ignores it.
    static func ignoredRemedy(_ path: RelativePath) -> String {
        "See the rule with filesinki check-ignore \(ShellWord.path(path.bytes)); "
            + "the file itself can be changed as any other."
    }

    /// What to do about a conflict of a path that a rule ignores: nothing sends a choice.
    ///
    /// - Parameter copies: The conflict copies.
    static func ignoredConflictRemedy(_ path: RelativePath, _ copies: [RelativePath]) -> String {
        guard !copies.isEmpty else { return ignoredRemedy(path) }
        let names = copies.map { ShellWord.path($0.bytes) }.joined(separator: " ")
        return
            "See the rule with filesinki check-ignore \(ShellWord.path(path.bytes)). To end the conflict on this device, keep what "
            + "you need of \(names), and remove that."
    }

    /// A path was named that a rule ignores here.
    static func ignored(_ path: RelativePath, _ remedy: String? = nil) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "Ignored here by a rule, so it is not synced: nothing was done.",
            remedy: remedy ?? ignoredRemedy(path))
    }

    /// A path was named in a folder that cannot be read.
    static func unreadableFolder(above path: RelativePath) -> Failure {
        Failure(
            .io, path: path.bytes,
            "A folder above it cannot be read, so it is not synced: nothing was done.",
            remedy: "filesinki sync names the folder. Check its permissions.")
    }
}

/// What the synced rules would run on this device.
package struct TrustReport: Sendable {
    /// The links that start a command, in the order of the file.
    package var commands: [StrategyLink]
    /// Whether these very rules are trusted.
    package var isTrusted: Bool
}

/// Whether commands in the synced rules may run on this device.
struct Trust: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Says which commands the synced rules hold, and whether they may run.
    ///
    /// - Throws: Code `not-found` when there are no synced rules.
    func report() throws -> TrustReport {
        let bytes = try syncedRules()
        return TrustReport(commands: Self.commands(of: bytes), isTrusted: try isTrusted(bytes))
    }

    /// Lets the commands of the synced rules run on this device, as long as not one byte of the
    /// rules changes.
    func set(_ isTrusted: Bool) throws -> TrustReport {
        let bytes = try syncedRules()
        let mark = isTrusted ? ContentHasher.hash(bytes).description + "\n" : ""
        try StateFile.replace(state.trusted, with: Array(mark.utf8))
        return try report()
    }

    /// Whether the user has looked at these bytes and lets their commands run here.
    func isTrusted(_ rules: [UInt8]?) throws(Failure) -> Bool {
        guard let rules, let mark = try StateFile.read(state.trusted) else { return false }
        return mark == Array((ContentHasher.hash(rules).description + "\n").utf8)
    }

    private func syncedRules() throws -> [UInt8] {
        if let bytes = try rulesReader.rootFile(Settings.syncedFile) { return bytes }
        throw Failure(
            .notFound, path: Settings.syncedFile, "There are no synced rules.",
            remedy: "Rules are kept in this file in the root.")
    }

    private static func commands(of rules: [UInt8]) -> [StrategyLink] {
        RulesLoad(synced: rules, isTrusted: true).rules.strategies
            .flatMap { $0.links.filter(\.runsCommand) }
    }
}
