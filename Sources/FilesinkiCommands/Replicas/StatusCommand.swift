import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiText

/// `status`: how a replica stands.
struct StatusCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the last sync, pending changes and open conflicts.",
        discussion: """
            Scans the folder, and does not contact the remote. With -v, lists each change that is not \
            sent. --short and --prometheus do not scan either: they print what the last run knew. \
            Exits with 3 when there are open conflicts or withheld files, and with 1 when the last \
            complete sync is older than --max-age; one with conflicts is complete. With --prometheus, the exit code \
            is 0 or 1.
            """)

    @Argument(help: "The replica, or a folder in it.", completion: .directory)
    var dir: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Exit with 1 when the last complete sync is older than this, e.g. 2h.",
            valueName: "time"))
    var maxAge: String?

    @Flag(
        name: .long,
        help: """
            Print one short line for a prompt, and nothing when there is nothing to do. A last run \
            that was refused, stopped by a limit, interrupted or failed is named.
            """)
    var short = false

    @Flag(name: .long, help: "Print metrics for Prometheus' textfile collector.")
    var prometheus = false

    @Option(name: .shortAndLong, help: "Write the metrics to this file, atomically.")
    var output: String?

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        if short, prometheus || report.json {
            throw ValidationError("--short cannot be combined with --json or --prometheus.")
        }
        if prometheus, report.json { throw ValidationError("Give --json or --prometheus.") }
        if output != nil, !prometheus {
            throw ValidationError("--output goes with --prometheus.")
        }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let limit = try maxAge.map { text throws(Failure) in try TimeText.length(text) }
        let session = try await Session.open(
            replica, of: dir, writable: false, remote: false, in: console)
        let status = try await session.replica.status()
        if prometheus {
            let text = PrometheusText(status, try await session.replica.metrics())
            try console.write(text.bytes, to: output)
            let now = console.systemContext.now()
            return status.isStale(at: now, maximumAge: limit) ? .negative : .done
        }
        let items = session.unsentItems(store: await session.replica.storeID)
        let isStale = status.isStale(at: console.systemContext.now(), maximumAge: limit)
        if short {
            if let line = status.short(items, isStale: isStale) { try console.output.line(line) }
            return status.exitCode(besides: nil, isStale: isStale)
        }
        let local = try await session.localState()
        let code = status.exitCode(besides: local, isStale: isStale)
        if report.json {
            try console.output.json(status.json(local, items, isStale: isStale, exit: code))
        } else {
            let text = StatusText(
                status, local, items, isStale: isStale, now: console.systemContext.now(),
                listsAll: console.outputOptions.verbosity == .verbose,
                home: console.environment["HOME"], hints: console.hints)
            for line in text.lines(within: console.outputColumns) { try console.output.line(line) }
        }
        return code
    }
}

extension Session {
    /// What of values and records is not sent; nil if that cannot be read, which is said.
    fileprivate func unsentItems(store: [UInt8]) -> UnsentItems? {
        do throws(Failure) {
            return try UnsentItems(state: settings.stateFolder.path, store: store)
        } catch {
            console.complain(error)
            return nil
        }
    }

    /// What the folder holds that no run has seen; nil if that is not known. Says why where the folder cannot be read.
    fileprivate func localState() async throws -> LocalState? {
        do {
            return try await replica.localState()
        } catch let failure as Failure where failure.code != .interrupted {
            console.complain(failure)
            return nil
        }
    }
}

extension StatusReport {
    /// Whether the last success is longer ago than `maximumAge` seconds, or never was.
    func isStale(at now: Timestamp, maximumAge: Int64?) -> Bool {
        guard let maximumAge else { return false }
        guard let lastSuccess else { return true }
        let (age, overflow) = now.seconds.subtractingReportingOverflow(lastSuccess.seconds)
        return overflow || age > maximumAge
    }

    /// How many files of the store a rule ignores here, also one that no run has read yet.
    ///
    /// - Parameter local: What the folder holds that no run has seen; nil if that is not known.
    func ignoredCount(besides local: LocalState?) -> Int {
        ignoredFiles + (local?.ignoredFiles ?? 0)
    }

    /// What is withheld, also what the next run begins to withhold, in path order.
    ///
    /// - Parameter local: What the folder holds that no run has seen; nil if that is not known.
    func allWithheld(besides local: LocalState?) -> [RelativePath] {
        Set(withheld).union(local?.withheld ?? []).sorted()
    }

    /// 3 where a person has to decide something.
    fileprivate func exitCode(besides local: LocalState?, isStale: Bool) -> ExitCode {
        if isStale { return .negative }
        return conflicts.isEmpty && allWithheld(besides: local).isEmpty ? .done : .conflict
    }

    /// `2 pending`, `1 incoming`, `1 withheld`, `1 conflict`; nothing when there is nothing to do.
    ///
    /// - Parameter items: How many values and records wait beside the files.
    func waiting(_ items: Int) -> [String] {
        let counts = [
            (pending.count + items, "pending"), (incoming.count, "incoming"),
            (withheld.count, "withheld"),
        ]
        let words = counts.filter { $0.0 > 0 }.map { "\(CountText.text($0.0)) \($0.1)" }
        return conflicts.isEmpty ? words : words + [CountText.text(conflicts.count, "conflict")]
    }

    /// The failure of the last run, where nothing else of the report says it already; nil for none.
    var unsaidFailure: String? {
        switch lastFailure {
        case "wrong-store": moved == nil ? lastFailure : nil
        default: lastFailure
        }
    }

    /// `2 pending, 1 incoming, 1 conflict, refused, stale`; nil when there is nothing to do.
    func short(_ items: UnsentItems?, isStale: Bool) -> String? {
        var words = waiting(items?.count ?? 0)
        if moved != nil { words.append("moved") }
        if let word = unsaidFailure.flatMap({ RunOutcome($0).short }) { words.append(word) }
        if isStale { words.append("stale") }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// - Parameter local: What the folder holds that no run has seen; nil if that is not known.
    func json(
        _ local: LocalState?, _ items: UnsentItems?, isStale: Bool, exit code: ExitCode
    ) -> JSONObject {
        var object: JSONObject = ["type": "status"]
        object.add("exit", code.rawValue)
        object.add("root", root)
        object.add("device", device.name)
        object.add("device_id", hexadecimal(device.id))
        object.add("remote", remote)
        object.add("store", store.isEmpty ? nil : hexadecimal(store))
        object.add("sequence", token?.sequence ?? 0)
        object.add("last_success", lastSuccess)
        object.add("last_failure", lastFailure)
        object.add("last_failure_text", lastFailure.map { RunOutcome($0).text })
        object.add("refusal", refusal?.description)
        object.add("stale", isStale)
        object.add("paths", paths)
        object.add("files", files)
        object.add("bytes", bytes)
        let unsent = UnsentText(self, local)
        object.add("pending", .array(unsent.pending.map(\.jsonValue)))
        object.add("changed", local.map { .array($0.changedOnce.map(\.jsonValue)) })
        for (name, change) in [("new", UnsentChange.new), ("deleted", .deleted)] {
            let paths = unsent.paths(change)
            object.add(name, paths.isEmpty ? nil : .array(paths.map(\.jsonValue)))
        }
        let renames = unsent.renames
        object.add("renames", renames.isEmpty ? nil : .array(renames.map { .object($0) }))
        items?.describe(in: &object)
        object.add("incoming", .array(incoming.map(\.jsonValue)))
        object.add("conflicts", conflicts.count)
        let held = allWithheld(besides: local)
        object.add("withheld", held.isEmpty ? nil : .array(held.map(\.jsonValue)))
        object.add("uploaded_bytes", uploadedBytes)
        let ignored = ignoredCount(besides: local)
        object.add("ignored", ignored == 0 ? nil : ignored)
        object.add("moved_to", moved?.address)
        object.add("moved_by", moved.flatMap { $0.device.isEmpty ? nil : $0.device })
        object.add("moved_option", moved?.option)
        object.add("unreadable_settings", unreadableSettings?.description)
        object.add("only", only.map { .array($0.map(\.jsonValue)) })
        object.add("outside", local?.unheld.map { .array($0.map(\.jsonValue)) })
        let heldBack = local?.heldBack ?? []
        object.add("held_back", heldBack.isEmpty ? nil : .array(heldBack.map(\.jsonValue)))
        return object
    }
}

/// How a replica stands, for a person: which folder syncs with which store, when it last did, what is
/// pending, and what to do about open conflicts.
struct StatusText {
    private let status: StatusReport
    private let local: LocalState?
    private let items: UnsentItems?
    private let isStale: Bool
    private let now: Timestamp
    private let listsAll: Bool
    private let home: String?
    private let hints: CommandHints

    /// How many paths are named at most.
    private static let named = 5

    /// - Parameters:
    ///   - local: What the folder holds that no run has seen; nil if that is not known.
    ///   - items: What of values and records is not sent; nil if that is not known.
    ///   - isStale: Whether the last success is longer ago than the user allows.
    ///   - listsAll: Whether to list each change that is not sent, in a line of its own.
    ///   - home: The user's home folder, which is shown as `~`.
    ///   - hints: How the next commands are worded.
    init(
        _ status: StatusReport, _ local: LocalState?, _ items: UnsentItems?, isStale: Bool,
        now: Timestamp,
        listsAll: Bool = false, home: String?, hints: CommandHints = .none
    ) {
        self.status = status
        self.local = local
        self.items = items
        self.isStale = isStale
        self.now = now
        self.listsAll = listsAll
        self.home = home
        self.hints = hints
    }

    /// - Parameter width: The columns of a line; nil for lines that are not broken.
    func lines(within width: Int?) -> [String] {
        parts.flatMap { parts in
            FlowText.lines(parts.parts, separator: parts.separator, indent: "    ", within: width)
        }
    }

    /// The lines, each in the parts between which it may be broken.
    private var parts: [(parts: [String], separator: String)] {
        var lines = [(places, "    ")]
        if status.remote == nil {
            let next = hints.text("Set a remote with filesinki remote set URL.")
            lines.append((hints.outside?.withoutRemote ?? [next], " "))
        }
        if let moved = status.moved {
            let address = ShellWord.shown(moved.address.utf8)
            let next =
                hints.text("filesinki remote set") + " \(address)\(moved.options)"
                + Failure.tokenClause(at: moved.address)
            let sentence = Failure.storeMovedSentence(to: moved.address, by: moved.device)
            lines.append(([sentence, "If you know it: \(next)"], "    "))
        }
        if let only = status.only { lines.append((["Holds only:"] + named(only), "  ")) }
        lines.append(([standing], ""))
        if let failure { lines.append((MessageText.units(of: failure), " ")) }
        if let unreadable = status.unreadableSettings {
            lines.append((MessageText.units(of: "\(unreadable)"), " "))
        }
        if let conflicts { lines.append((conflicts, "    ")) }
        lines += withheld
        lines += listsAll ? unsent.lines : listed(unsent.paths, unsent.title)
        lines += items?.lines(hints) ?? []
        lines += listed(status.incoming, "changed in the store, not yet received")
        lines += listed(local?.heldBack ?? [], "missing here, not sent as deleted")
        lines += listed(local?.unheld ?? [], "outside of what this replica holds, not synced")
        let ignored = status.ignoredCount(besides: local)
        if ignored > 0 {
            let count = CountText.text(ignored, "file")
            let next = hints.text("filesinki ls -l")
            lines.append((["\(count) of the store ignored here", "see: \(next)"], "    "))
        }
        if status.uploadedBytes > 0 {
            lines.append((["\(SizeText.text(status.uploadedBytes)) uploaded, \(uploadsFate)"], ""))
        }
        return lines
    }

    /// What becomes of packs that are uploaded and not published: a commit names those that hold some of the next content
    /// that is sent. What they hold is not known here.
    private var uploadsFate: String {
        if unsent.hasContents {
            return "not yet published: the next sync uses what it needs of it"
        }
        return local == nil
            ? "not published" : "not published, and no longer needed: a prune frees it"
    }

    /// `~/notes  <->  /mnt/share/store    as "laptop"`
    private var places: [String] {
        let remote = status.remote.map { shortened($0) } ?? "(no remote)"
        return [
            "\(shortened(status.root))  <->  \(remote)",
            "as \"\(printable(status.device.name.utf8))\"",
        ]
    }

    private func shortened(_ path: String) -> String { HomePath.shortened(path, home: home) }

    private var unsent: UnsentText { UnsentText(status, local) }

    /// `Up to date. Last synced 3 minutes ago (commit 128), 1,204 files, 88 MB`
    private var standing: String {
        guard let last = status.lastSuccess else { return "Never synced." }
        let isUpToDate =
            !isStale && failure == nil && status.unreadableSettings == nil && unsent.paths.isEmpty
            && local?.heldBack.isEmpty != false
            && status.incoming.isEmpty && allWithheld.isEmpty && items?.isEmpty != false
        let clean = local == nil ? "No known changes. " : "Up to date. "
        let verdict = isStale ? "Stale. " : isUpToDate ? clean : ""
        // Another store was accepted.
        if status.token == nil, status.remote != nil {
            return
                "\(isStale ? "Stale. " : "")Not synced with this store yet; the next sync compares both sides."
        }
        let commit = status.token.map { " (commit \($0.sequence))" } ?? ""
        return "\(verdict)Last synced \(TimeText.ago(last, now: now))\(commit), "
            + "\(CountText.text(status.files, "file")), \(SizeText.text(status.bytes))"
    }

    /// How the last run ended, where it was no success and no other line says so already.
    private var failure: String? {
        status.unsaidFailure.map { RunOutcome($0).sentences(status.refusal, hints) }
    }

    private var conflicts: [String]? {
        guard let oldest = status.conflicts.first else { return nil }
        let count = CountText.text(status.conflicts.count, "open conflict")
        let first = status.conflicts.count == 1 ? ": " : ", the oldest: "
        let parts = [
            "\(count)\(first)\(oldest.path) (\(TimeText.ago(oldest.time, now: now)))",
            "see: " + hints.text("filesinki conflicts"),
        ]
        guard let steps = oldest.firstSteps(hints) else { return parts }
        return parts + [steps]
    }

    private var allWithheld: [RelativePath] { status.allWithheld(besides: local) }

    /// What is withheld, and what ends that; nothing for none.
    private var withheld: [(parts: [String], separator: String)] {
        guard let first = allWithheld.first else { return [] }
        let count = CountText.text(allWithheld.count)
        let publish = hints.text("filesinki sync") + " \(hints.word(first))"
        return [
            (["\(count) withheld, ignored by a rule before:"] + named(allWithheld), "  "),
            (["  to publish: \(publish)", "to keep private: list in .filesinki/ignore"], "    "),
        ]
    }

    /// `docs`, `photos/2024`, `and 3 more`
    private func named(_ paths: [RelativePath]) -> [String] {
        let more = paths.count - Self.named
        return paths.prefix(Self.named).map { "\($0)" } + (more > 0 ? ["and \(more) more"] : [])
    }

    private func listed(
        _ paths: [RelativePath], _ what: String
    ) -> [(parts: [String], separator: String)] {
        guard !paths.isEmpty else { return [] }
        return [(["\(CountText.text(paths.count)) \(what):"] + named(paths.sorted()), "  ")]
    }
}
