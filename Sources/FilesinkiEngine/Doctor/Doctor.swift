import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiRules
import FilesinkiSystem
import FilesinkiText
import Glibc

/// Checks a replica for common problems and says how to fix each.
///
/// It repairs nothing and changes nothing, except that it creates and removes files in a temporary
/// folder to test the file system.
package struct Doctor: Sendable {
    let options: ReplicaOptions
    let facts: MachineFacts
    let state: StateFolder

    package init(_ options: ReplicaOptions, _ facts: MachineFacts) {
        self.options = options
        self.facts = facts
        state = options.stateFolder
    }

    /// Runs all checks, causes before their effects.
    ///
    /// - Parameter canReach: Whether the checks of the remote are included.
    package func diagnose(canReach: Bool) async -> [Diagnosis] {
        guard let config = try? ReplicaConfig.read(state) else { return [missingReplica()] }
        let files = FileSystemChecks(options: options, facts: facts)
        var diagnoses = [
            Diagnosis("replica", .ok, "\(options.root) is the replica \(config.device.name)."),
            root(config), files.placement(config), privacy(),
        ]
        diagnoses += files.fileSystem()
        diagnoses += [disk(), manifest(), leftovers()]
        diagnoses += fullRun()
        diagnoses += rules()
        diagnoses.append(watches())
        if canReach {
            diagnoses += await RemoteChecks(options: options, facts: facts).diagnose(config)
        }
        return diagnoses
    }

    private func missingReplica() -> Diagnosis {
        do {
            _ = try ReplicaConfig.read(state)
            return Diagnosis(
                "replica", .error, "\(options.root) is not a replica.",
                remedy: "Make it one with filesinki init, or name another with --root.")
        } catch { return Diagnosis("replica", thrown: error) }
    }

    private func root(_ config: ReplicaConfig) -> Diagnosis {
        do {
            let root = try RootFolder(path: options.root)
            let found = try config.checkMarker(of: root)
            guard found == .ok else {
                return Diagnosis(
                    "root", .error,
                    found == .missing
                        ? "The root has lost its marker: the disk is not mounted, or the folder was emptied."
                        : "The root belongs to another replica.",
                    remedy: found == .missing
                        ? "Mount it; if it is the right folder, run filesinki init there again."
                        : "Check --root and --state.")
            }
        } catch { return Diagnosis("root", thrown: error) }
        guard access(options.root, R_OK | W_OK | X_OK) == 0 else {
            return Diagnosis(
                "root", .error, "The root cannot be read and written by this user.",
                remedy: "Run as its owner, or change its permissions.")
        }
        return Diagnosis("root", .ok, "Exists and is writable.")
    }

    /// The state reveals what is in the root, and the log may run commands.
    private func privacy() -> Diagnosis {
        for path in [state.path, state.config, state.manifest] {
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if status.st_uid != facts.user {
                return Diagnosis(
                    "privacy", .error, "\(path) belongs to another user.",
                    remedy: "Run chown on it, or run filesinki as its owner.")
            }
            if status.st_mode & 0o022 != 0, status.st_mode & S_IFMT != S_IFLNK {
                return Diagnosis(
                    "privacy", .error, "Others can change \(path).",
                    remedy: "Run chmod go-rwx on it.")
            }
        }
        var status = stat()
        if lstat(state.path, &status) == 0, status.st_mode & 0o077 != 0 {
            return Diagnosis(
                "privacy", .warning, "Others can read \(state.path).",
                remedy: "Run chmod go-rwx on it.")
        }
        return Diagnosis("privacy", .ok, "The replica's state is private.")
    }

    private func disk() -> Diagnosis {
        guard let (free, total) = facts.space(options.root) else {
            return Diagnosis("disk", .ok, "The free space cannot be determined.")
        }
        let megabytes = free / 1_000_000
        let remedy = "Free some space; a run that finds none stops and keeps everything."
        if free < 100_000_000 {
            return Diagnosis("disk", .error, "Only \(megabytes) MB are free.", remedy: remedy)
        }
        if free < 1_000_000_000, free < total / 20 {
            return Diagnosis("disk", .warning, "Only \(megabytes) MB are free.", remedy: remedy)
        }
        return Diagnosis("disk", .ok, "\(megabytes) MB are free.")
    }

    private func manifest() -> Diagnosis {
        do {
            let manifest = try ManifestDatabase.openReadOnly(at: state.manifest)
            let paths = try manifest.loadBase().count
            _ = try manifest.loadLocal()
            _ = try manifest.loadRemote()
            return Diagnosis("manifest", .ok, "Sound, with \(CountText.text(paths, "path")).")
        } catch {
            var diagnosis = Diagnosis("manifest", thrown: error)
            if error.code == .corrupt {
                diagnosis.remedy = "Run filesinki sync: it is set aside and rebuilt from the log."
            }
            return diagnosis
        }
    }

    /// Whether the last run ended for lack of space: of that at a server nothing else tells. Nothing is said of other runs.
    private func fullRun() -> [Diagnosis] {
        let runs = try? ManifestDatabase.openReadOnly(at: state.manifest).runs(limit: 1)
        guard let last = runs?.first, last.outcome == Failure.Code.full.description else {
            return []
        }
        return [
            Diagnosis(
                "space", .warning,
                "The last run did not complete: no space left, here or at the store.",
                remedy: "Run filesinki sync: it says where, and what to do.")
        ]
    }

    /// Counts the files in the staging folder while no run is active.
    private func leftovers() -> Diagnosis {
        do {
            guard let lock = try ReplicaLock.tryAcquire(state.lock) else {
                return Diagnosis("leftovers", .ok, "Another run is in progress.")
            }
            defer { withExtendedLifetime(lock) {} }
            let count = Self.countNames(in: state.staging)
            guard count > 0 else { return Diagnosis("leftovers", .ok, "No leftover files.") }
            return Diagnosis(
                "leftovers", .warning, "A run that was killed left \(count) files behind.",
                remedy: "The next filesinki sync brings back what is yours and removes the rest.")
        } catch { return Diagnosis("leftovers", thrown: error) }
    }

    private static func countNames(in folder: String) -> Int {
        guard let opened = try? FileHandle(folder, O_RDONLY | O_DIRECTORY),
            let listing = try? FolderListing(opened)
        else { return 0 }
        return listing.entries.count
    }

    /// Checks the files of rules; one diagnosis per invalid rule.
    func rules() -> [Diagnosis] {
        do {
            let problems = try ruleProblems()
            guard !problems.isEmpty else {
                return [Diagnosis("rules", .ok, "All rules are valid.")]
            }
            return problems
        } catch { return [Diagnosis("rules", thrown: error)] }
    }

    /// Returns what is invalid in the rules as errors, and what does not do what it seems to as warnings. It does not open
    /// the replica.
    private func ruleProblems() throws -> [Diagnosis] {
        let root = try RootFolder(path: options.root)
        let files = RuleFiles(root: root, options: options)
        // Read as trusted, so that a command without trust is not reported as a mistake.
        let load = try files.load(isTrusted: true)
        let users = try options.userIgnoreFiles()
        let synced = try files.rootFile(Settings.syncedFile)
        let gitignore =
            try load.gitignore || users.applyGitignore(synced: synced, in: state)
        let inRoot = try RootIgnoreFiles(root, gitignore: gitignore)
        let errors = load.problems + [inRoot.misplaced].compactMap(\.self)
        let own = try files.ofReplica()
        let filter = IgnoreFilter.each(of: users.files, replica: own, gitignore: gitignore) {
            inRoot.texts[$0]
        }.joined
        var ignored = IgnoredPaths(root: root, filter: filter)
        let withheld = try state.withheldPaths().filter { ignored.exposes($0) }
        let warnings =
            files.doubts(inRoot, users, own) + users.notices
            + Problem.withheld(withheld, isUrgent: false).map(\.failure)
        return errors.map { Diagnosis("rules", .error, $0) }
            + warnings.map { Diagnosis("rules", .warning, $0) }
    }

    private func watches() -> Diagnosis {
        guard let limit = facts.watchLimit(),
            let manifest = try? ManifestDatabase.openReadOnly(at: state.manifest),
            let rows = try? manifest.loadBase()
        else {
            return Diagnosis("watches", .ok, "The limit of watched folders cannot be determined.")
        }
        let folders = rows.count { $0.entry.kind == .directory } + 1
        // Other programs, such as a desktop or an editor, watch folders as well.
        guard folders < limit / 2 else {
            return Diagnosis(
                "watches", .warning,
                "\(folders) folders to watch, but the limit for a user is \(limit).",
                remedy: "Run sudo sysctl fs.inotify.max_user_watches=\(max(folders, limit) * 4), "
                    + "and keep it in /etc/sysctl.d.")
        }
        return Diagnosis(
            "watches", .ok, "\(CountText.text(folders, "folder")) of at most \(limit).")
    }
}

/// The result of one check of `doctor`.
package struct Diagnosis: Hashable, Sendable {
    package enum Level: String, Sendable {
        case ok
        /// Passed, with something that the user may want to know.
        case note
        case warning, error
    }

    /// The name of the check, one word.
    package var name: String
    package var level: Level
    package var message: String
    /// How to fix it, or what a note advises; empty if there is nothing to do.
    package var remedy: String
    /// Whether the remedy is for another device; see `Failure`.
    package var isForOtherDevice = false
    /// What the store's host is reached by; nil in every other check.
    package var service: HostService?

    package init(_ name: String, _ level: Level, _ message: String, remedy: String = "") {
        self.name = name
        self.level = level
        self.message = message
        self.remedy = remedy
    }

    /// The result of a check that failed with this failure.
    package init(_ name: String, _ level: Level, _ failure: Failure) {
        let place = failure.path.isEmpty ? "" : "\(printable(failure.path)): "
        self.init(name, level, place + failure.message, remedy: failure.remedy)
        isForOtherDevice = failure.isForOtherDevice
    }

    /// The result of a check that threw.
    init(_ name: String, thrown error: any Error) {
        let failure = error as? Failure
        self = Diagnosis(
            name, .error,
            failure
                ?? Failure(
                    .io, "\(error)", remedy: "Run it again; if it fails again, please report it."))
    }
}

/// Facts about the machine that ``Doctor`` needs; tests supply their own.
package struct MachineFacts: Sendable {
    /// The user id of the process.
    package var user: UInt32
    /// How many folders a user may watch at once; nil if that is unknown.
    package var watchLimit: @Sendable () -> Int?
    /// The free and total bytes of the file system at a path; nil if they are unknown.
    package var space: @Sendable (String) -> (free: Int64, total: Int64)?
    /// The capabilities of a folder's file system.
    package var traits: @Sendable (String) throws -> FileSystemTraits
    /// The current time by the clock of a folder's file system.
    package var fileTime: @Sendable (String) throws -> Timestamp

    package init(
        user: UInt32, watchLimit: @escaping @Sendable () -> Int?,
        space: @escaping @Sendable (String) -> (free: Int64, total: Int64)?,
        traits: @escaping @Sendable (String) throws -> FileSystemTraits,
        fileTime: @escaping @Sendable (String) throws -> Timestamp
    ) {
        self.user = user
        self.watchLimit = watchLimit
        self.space = space
        self.traits = traits
        self.fileTime = fileTime
    }

    /// The facts of this machine.
    package static var real: MachineFacts {
        MachineFacts(
            user: geteuid(), watchLimit: readWatchLimit, space: readSpace,
            traits: { try FileSystemProbe(in: $0).traits() },
            fileTime: { try FileSystemProbe(in: $0).time() })
    }

    @Sendable private static func readWatchLimit() -> Int? {
        guard let file = fopen("/proc/sys/fs/inotify/max_user_watches", "r") else { return nil }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 32)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
        return Int(strtol(buffer, nil, 10))
    }

    @Sendable private static func readSpace(_ path: String) -> (free: Int64, total: Int64)? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let unit = Int64(clamping: status.f_frsize)
        let free = unit.multipliedReportingOverflow(by: Int64(clamping: status.f_bavail))
        let total = unit.multipliedReportingOverflow(by: Int64(clamping: status.f_blocks))
        return (
            free.overflow ? .max : free.partialValue, total.overflow ? .max : total.partialValue
        )
    }
}
