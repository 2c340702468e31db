import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// `log`: the store's history, or the versions of a path.
struct LogCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the store's history, or the versions of a path.",
        discussion: """
            Newest first. Without a path, one line for each commit: A added, M modified, D deleted, \
            R renamed; of a folder, one for each commit that changed something in it. -v, and --commit for one \
            commit, list all that it changed, a line each. A version whose content is gone is marked as removed by a prune. A rename is \
            listed with the old name, whose log has the versions before it. --since, --until and --device read the \
            whole log, for the clocks of devices may contradict its order. Exits with 1 when the path has \
            no version, or nothing matches.
            """,
        aliases: ["history", "versions"])

    @Argument(help: "A file, folder or symlink.", completion: .file())
    var path: String?

    @Option(
        name: [.customShort("n", allowingJoined: true), .long], help: "Show this many at most.")
    var limit: Int?

    @Option(
        name: .long,
        help: ArgumentHelp("Only this commit, and all that it changed.", valueName: "number"))
    var commit: UInt64?

    @OptionGroup var chosen: LogFilterOptions
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be 1 or more.") }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let filter = try chosen.filter(in: console)
        let session = try await Session.open(
            replica, naming: path.map { [$0] } ?? [], writable: false, in: console)
        // The root itself means the whole history, as without a path.
        let target = try path.map { try session.paths([$0]) }?.first
        var versions: [PathVersion] = []
        if let target { versions = try await self.versions(of: target, session) }
        let isEmpty: Bool
        // Of these, the newest rename leads to the name before: what a filter asks for may be there.
        var origins: [PathVersion] = []
        if target == nil || versions.areOfFolder {
            let commits = try await session.replica.commits(
                limit: limit, inside: target, only: commit, listing: isFull ? .max : Self.shown,
                where: filter?.predicate)
            try show(commits, in: console)
            isEmpty = commits.isEmpty
            if isReached(renameOf: versions, in: commits, filter) { origins = versions }
        } else {
            let wanted = versions.filter { isWanted($0, filter) }
            let shown = Array(wanted.prefix(limit ?? wanted.count))
            try show(shown, of: versions, in: console)
            let isPart = shown.count < wanted.count || commit != nil && !shown.isEmpty
            origins = isPart ? shown : versions
            isEmpty = shown.isEmpty
        }
        if isEmpty, let filter {
            let isDeviceKnown = await isKnown(filter, among: versions, session)
            console.say(filter.nothing(isDeviceKnown: isDeviceKnown))
        }
        if !report.json {
            try console.sayOrigin(of: origins, next: "filesinki log")
            try console.sayGoal(of: versions, next: "filesinki log")
            try await session.showKnownMove()
        }
        guard isEmpty else { return .done }
        if filter != nil { return .negative }
        if let commit { throw Failure.noCommit(commit, of: target) }
        return .done
    }

    private static let shown = CommitSummary.usualLength

    /// Whether all changes of a commit are listed.
    private var isFull: Bool { commit != nil || report.talk.verbose }

    /// Whether the newest rename of a folder is listed, or left out by the filter or by the number of the commit, and not by
    /// the limit.
    private func isReached(
        renameOf versions: [PathVersion], in commits: [CommitSummary], _ filter: LogFilter?
    ) -> Bool {
        guard let renamed = versions.first(where: { $0.origin != nil }) else { return false }
        if commits.contains(where: { $0.sequence == renamed.version }) { return true }
        if commit != nil { return commits.isEmpty }
        return filter != nil && commits.count < limit ?? .max
    }

    private func isWanted(_ version: PathVersion, _ filter: LogFilter?) -> Bool {
        guard commit ?? version.version == version.version else { return false }
        return filter?.matches(version.time, version.device) ?? true
    }

    /// Whether the device that is asked for has published a version of the path, or is one of the store.
    private func isKnown(
        _ filter: LogFilter, among versions: [PathVersion], _ session: Session
    ) async -> Bool {
        if filter.device == nil || versions.contains(where: { filter.isOfDevice($0.device) }) {
            return true
        }
        let devices = try? await session.replica.devices()
        return devices?.contains { filter.isOfDevice($0.device) } ?? false
    }

    private func versions(
        of target: RelativePath, _ session: Session
    ) async throws -> [PathVersion] {
        let versions = Array(try await session.replica.history(of: target).reversed())
        guard !versions.isEmpty else {
            let commit = path.flatMap { UInt64($0.drop { $0 == "@" }) }
            throw Failure(
                .notFound, path: target.bytes, "No version of this path was found.",
                remedy: commit.map(CommitSummary.remedy(of:))
                    ?? path.flatMap(VersionedPath.remedyForOnePath)
                    ?? "Check the path; a new file has a version after filesinki sync.")
        }
        return versions
    }

    private func show(
        _ wanted: [PathVersion], of versions: [PathVersion], in console: Console
    ) throws {
        if report.json {
            for version in wanted { try console.output.json(version.json) }
        } else {
            var table = TextTable(rightAligned: [0, 3])
            for version in wanted { version.add(to: &table, among: versions) }
            for line in table.lines { try console.output.line(line) }
        }
    }

    private func show(_ commits: [CommitSummary], in console: Console) throws {
        if report.json {
            for commit in commits { try console.output.json(commit.json) }
            return
        }
        var table = TextTable(rightAligned: [0])
        let now = console.systemContext.now()
        for commit in commits { commit.add(to: &table, now: now, isFull: isFull) }
        let isCut = commits.contains { $0.leftOff > 0 }
        try Pager.show(in: console) { write in
            for (commit, line) in zip(commits, table.lines) {
                for line in [line] + (isFull ? commit.lines : []) {
                    try write(Array((line + "\n").utf8))
                }
            }
        }
        guard isCut, console.isWatched else { return }
        console.say("-v lists all changes; filesinki log --commit NUMBER those of one commit.")
    }
}

extension Console {
    /// Says where the versions are from before the newest rename: they have the name that the path had then. After the
    /// versions, also where both go to one terminal.
    ///
    /// - Parameters:
    ///   - versions: Those of a path, newest first.
    ///   - command: The command that shows the others, without their path.
    func sayOrigin(of versions: [PathVersion], next command: String) throws {
        guard let origin = versions.lazy.compactMap(\.origin).first else { return }
        try output.flush()
        say("For the versions before the rename: \(command) \(hints.word(origin))")
    }

    /// Says the name that a path has now, if it was renamed and nothing has its name since; else that of what was at the path
    /// before the newest rename, if its commit has renamed that, too.
    ///
    /// - Parameters:
    ///   - versions: All those of the path, newest first.
    ///   - command: The command that shows the present ones, without their path.
    func sayGoal(of versions: [PathVersion], next command: String) throws {
        if let goal = versions.first?.movedTo {
            try output.flush()
            return say("Renamed to \(goal): for the versions since, \(command) \(hints.word(goal))")
        }
        let renamed = versions.first { $0.origin != nil }
        guard let renamed, let goal = renamed.replacedName else { return }
        try output.flush()
        say(
            "What was here before version \(renamed.version) was renamed to \(goal): "
                + "for its versions since, \(command) \(hints.word(goal))")
    }
}

extension Failure {
    fileprivate static func noCommit(_ number: UInt64, of path: RelativePath?) -> Failure {
        let change = path.map { " with a change of \($0)" } ?? ""
        return Failure(
            .notFound, "Commit \(number)\(change) was not found.",
            remedy: "filesinki log lists them.")
    }
}

extension [PathVersion] {
    /// Whether the path is a folder, or was one when it was deleted.
    fileprivate var areOfFolder: Bool {
        first { $0.change.entry.kind != .tombstone }?.change.entry.kind == .directory
    }
}

extension PathVersion {
    /// The name that the path had before this version; nil where it was no rename. A resolve gives the path the content of its
    /// conflict copy: the versions before are the path's own.
    fileprivate var origin: RelativePath? {
        change.movedFrom.flatMap { conflictOriginal(of: $0)?.path == change.path ? nil : $0 }
    }

    var json: JSONObject {
        var object: JSONObject = ["type": "version"]
        object.add("path", change.path)
        object.add("version", version)
        object.add("time", time)
        object.add("device", device.name)
        object.add("device_id", hexadecimal(device.id))
        object.add("based_on", change.basedOn)
        object.add("merged_with", change.mergedWith)
        object.add("moved_from", change.movedFrom)
        object.add("moved_to", movedTo)
        object.add("reason", change.reason.isEmpty ? nil : change.reason)
        object.add("superseded", isSuperseded)
        object.add("pruned", isPruned)
        object.add("lost", isLost ? true : nil)
        object.add("received", received)
        change.entry.describe(in: &object)
        return object
    }

    /// Adds the version as a line: number, time, device, size, what happened.
    ///
    /// - Parameter versions: Those of the path, among which the one is that this one was made of.
    func add(to table: inout TextTable, among versions: [PathVersion]) {
        let size = change.entry.kind == .file ? SizeText.text(change.entry.size) : ""
        let older = versions.first { $0.version == change.basedOn && !$0.isSuperseded }
        table.add(
            "@\(version)", TimeText.local(time), printable(device.name.utf8), size,
            remark(after: older?.change.entry))
    }

    /// What changed beside the content; nil where that is nothing, or a rename, whose older version another path has.
    private func metadataChange(from older: Entry?) -> String? {
        guard let older, change.movedFrom == nil else { return nil }
        if let mode = older.modeChange(to: change.entry) { return mode }
        // Where both sides changed it, the reason says so.
        guard change.reason.isEmpty, change.mergedWith == nil else { return nil }
        return older.timeChange(to: change.entry)
    }

    private func remark(after older: Entry?) -> String {
        var words: [String] = []
        switch change.entry.kind {
        case .tombstone: words.append(movedTo.map { "renamed to \($0)" } ?? "deleted")
        case .directory: words.append("folder")
        case .symlink: words.append("symlink to \(printable(change.entry.target))")
        case .file: break
        }
        if let origin = change.movedFrom { words.append("renamed from \(origin)") }
        if let changed = metadataChange(from: older) { words.append(changed) }
        words += decision
        if isPruned { words.append("removed by a prune") }
        if isLost { words.append("lost") }
        if let received { words.append("received here \(TimeText.local(received))") }
        return words.joined(separator: ", ")
    }

    /// The reason that the commit has, in words where its word alone says little.
    private var reasonText: String {
        if change.reason == Reason.renamedAndEditedWord { return "edited" }
        let decided: [Reason] = [
            .editBeatsDelete, .deleteBeatsEdit, .laterTime, .committedMode, .otherName,
        ]
        return decided.first { $0.word == change.reason }?.explanation ?? change.reason
    }

    /// How both sides' versions became one; empty if no rule had to decide. JSON has the words of the commit.
    private var decision: [String] {
        let kind = change.reason.hasPrefix("auto:") ? change.reason.dropFirst("auto:".count) : nil
        let other = change.mergedWith.map { " with @\($0)" }
        var words: [String] = []
        if isSuperseded {
            words.append("kept aside")
            if kind == nil { words.append("gave way in a conflict") }
        }
        if let kind {
            words.append("merged as \(kind)\(other ?? "")")
        } else {
            if !change.reason.isEmpty { words.append(reasonText) }
            if let other { words.append("merged\(other)") }
        }
        return words
    }
}
