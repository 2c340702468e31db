import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// `log`: the store's history, or the versions of a path.
struct LogCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the store's history, or the versions of a path.",
        discussion: """
            Newest first. Without a path, one line for each commit: A added, M modified, D deleted, \
            R renamed; of a folder, one for each commit that changed something in it. A version whose content is gone is marked as removed by a prune. Versions from before a \
            rename are listed with the name that the path had then. --since, --until and --device read the \
            whole log, for the clocks of devices may contradict its order. Exits with 1 when the path has \
            no version, or nothing matches.
            """,
        aliases: ["history", "versions"])

    @Argument(help: "A file, folder or symlink.", completion: .file())
    var path: String?

    @Option(
        name: [.customShort("n", allowingJoined: true), .long], help: "Show this many at most.")
    var limit: Int?

    @OptionGroup var chosen: LogFilterOptions
    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be 1 or more.") }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let filter = try chosen.filter(in: console)
        let session = try await Session.open(replica, writable: false, in: console)
        let target = try path.map { try session.path($0) }
        var versions: [PathVersion] = []
        if let target { versions = try await self.versions(of: target, session) }
        let isEmpty: Bool
        if target == nil || versions.areOfFolder {
            let commits = try await session.replica.commits(
                limit: limit, inside: target, where: filter?.predicate)
            try show(commits, in: console)
            isEmpty = commits.isEmpty
        } else {
            let wanted = versions.filter { filter?.matches($0.time, $0.device) ?? true }
                .prefix(limit ?? versions.count)
            try show(Array(wanted), in: console)
            if !report.json { try console.sayOrigin(of: Array(wanted), next: "filesinki log") }
            isEmpty = wanted.isEmpty
        }
        guard let filter, isEmpty else { return .done }
        console.say(filter.nothing)
        return .negative
    }

    private func versions(
        of target: RelativePath, _ session: Session
    ) async throws -> [PathVersion] {
        let versions = Array(try await session.replica.history(of: target).reversed())
        guard !versions.isEmpty else {
            throw Failure(
                .notFound, path: target.bytes, "No version of this path was found.",
                remedy: "Check the path; a new file has a version after filesinki sync.")
        }
        return versions
    }

    private func show(_ versions: [PathVersion], in console: Console) throws {
        if report.json {
            for version in versions { try console.output.json(version.json) }
        } else {
            var table = TextTable(rightAligned: [0, 3])
            for version in versions { version.add(to: &table) }
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
        for commit in commits { commit.add(to: &table, now: now) }
        try Pager.show(in: console) { write in
            for line in table.lines { try write(Array((line + "\n").utf8)) }
        }
    }
}

extension Console {
    /// Says where the versions are from before a rename: they have the name that the path had then. After the versions, also
    /// where both go to one terminal.
    ///
    /// - Parameters:
    ///   - versions: Those of a path, newest first.
    ///   - command: The command that shows the others, without their path.
    func sayOrigin(of versions: [PathVersion], next command: String) throws {
        guard let origin = versions.last?.change.movedFrom else { return }
        try output.flush()
        say("For the versions before the rename: \(command) \(hints.word(origin))")
    }
}

extension [PathVersion] {
    /// Whether the path is a folder, or was one when it was deleted.
    fileprivate var areOfFolder: Bool {
        first { $0.change.entry.kind != .tombstone }?.change.entry.kind == .directory
    }
}

extension CommitSummary {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["type": "commit"]
        object.add("sequence", sequence)
        object.add("time", time)
        object.add("device", device.name)
        object.add("device_id", hexadecimal(device.id))
        object.add("operation", operation)
        object.add("added", added)
        object.add("modified", modified)
        object.add("deleted", deleted)
        object.add("renamed", renamed)
        object.add("superseded", superseded)
        object.add("paths", .array(changes.map(\.path.jsonValue)))
        return object
    }

    /// Adds the commit as a line: number, time, device, what it changed.
    fileprivate func add(to table: inout TextTable, now: Timestamp) {
        table.add(
            String(sequence), TimeText.day(time, now: now), printable(device.name.utf8), words)
    }

    private var words: String {
        let named = changes.reduce(0) { $0 + $1.files }
        var words = changes.map(\.text)
        if count > named { words.append("and \(CountText.text(count - named)) more") }
        if words.isEmpty {
            words.append(
                superseded > 0
                    ? "\(CountText.text(superseded, "version")) kept aside"
                    : printable(operation.utf8))
        }
        return words.joined(separator: "  ")
    }
}

extension CommitSummary.NamedChange {
    /// How many changes it stands for.
    fileprivate var files: Int {
        if case .renamed(_, let files?) = kind { files } else { 1 }
    }

    fileprivate var text: String {
        switch kind {
        case .added: "A \(path)\(isFolder ? "/" : "")"
        case .modified: "M \(path)"
        case .deleted: "D \(path)"
        case .renamed(let origin, nil): "R \(origin) -> \(path)"
        case .renamed(let origin, let files?):
            "R \(origin)/ -> \(path)/ (\(CountText.text(files, "file")))"
        }
    }
}

extension PathVersion {
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
        object.add("reason", change.reason.isEmpty ? nil : change.reason)
        object.add("superseded", isSuperseded)
        object.add("pruned", isPruned)
        object.add("lost", isLost ? true : nil)
        change.entry.describe(in: &object)
        return object
    }

    /// Adds the version as a line: number, time, device, size, what happened.
    func add(to table: inout TextTable) {
        let size = change.entry.kind == .file ? SizeText.text(change.entry.size) : ""
        table.add(
            "@\(version)", TimeText.local(time), printable(device.name.utf8), size, remark)
    }

    private var remark: String {
        var words: [String] = []
        switch change.entry.kind {
        case .tombstone: words.append("deleted")
        case .directory: words.append("folder")
        case .symlink: words.append("symlink to \(printable(change.entry.target))")
        case .file: break
        }
        if let origin = change.movedFrom { words.append("renamed from \(origin)") }
        words += decision
        if isPruned { words.append("removed by a prune") }
        if isLost { words.append("lost") }
        return words.joined(separator: ", ")
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
            if !change.reason.isEmpty { words.append(change.reason) }
            if let other { words.append("merged\(other)") }
        }
        return words
    }
}
