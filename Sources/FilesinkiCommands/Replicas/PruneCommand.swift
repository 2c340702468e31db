import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// `prune`: frees what old versions take.
struct PruneCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Remove old versions from the store.",
        discussion: """
            Keeps the current tree, and what at least one of the rules keeps; at least one rule is \
            needed. A commit is a point in time; the times are those of the commits, and days, weeks \
            and so on are those of UTC. What a device has acknowledged last is kept, so that it can \
            merge when it comes back. Old commits are moved into archives, a few objects in place of \
            thousands. Uploads that were left unfinished for a day are removed. Other devices may \
            publish meanwhile. A prune that is stopped \
            is continued by the next one. Exits with 8 if a pack is damaged; it stays as it is.
            """)

    @Option(name: .long, help: "Keep the versions of the last N commits.")
    var keepLast: Int?

    @Option(name: .long, help: "Keep all versions of a time before the last commit, such as 30d.")
    var keepWithin: String?

    @Option(name: .long, help: "Keep the last point of each of the last N hours with a commit.")
    var keepHourly: Int?

    @Option(name: .long, help: "The same for days.")
    var keepDaily: Int?

    @Option(name: .long, help: "The same for weeks.")
    var keepWeekly: Int?

    @Option(name: .long, help: "The same for months.")
    var keepMonthly: Int?

    @Option(name: .long, help: "The same for years.")
    var keepYearly: Int?

    @Option(name: .long, help: "Keep the last N versions of each path, also of deleted ones.")
    var keepVersions: Int?

    @Flag(
        name: [.customShort("n"), .long], help: "Show what would be removed, and remove nothing.")
    var dryRun = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    /// Each rule that is a number, by the name of its option.
    private var counts: [(name: String, count: Int?)] {
        [
            ("--keep-last", keepLast), ("--keep-hourly", keepHourly), ("--keep-daily", keepDaily),
            ("--keep-weekly", keepWeekly), ("--keep-monthly", keepMonthly),
            ("--keep-yearly", keepYearly), ("--keep-versions", keepVersions),
        ]
    }

    func validate() throws {
        for (name, count) in counts where count.map({ !(1...1_000_000_000).contains($0) }) ?? false
        {
            throw ValidationError("\(name) must be 1 to 1,000,000,000.")
        }
        if let keepWithin, TimeText.seconds(of: keepWithin) ?? 0 <= 0 {
            throw ValidationError("--keep-within must be a time such as 12h, 30d or 52w.")
        }
        if keepWithin == nil, counts.allSatisfy({ $0.count == nil }) {
            throw ValidationError(
                "Say what to keep, for example with --keep-within 30d or --keep-versions 10.")
        }
    }

    private var policy: RetentionPolicy {
        var policy = RetentionPolicy()
        policy.last = keepLast ?? 0
        policy.within = keepWithin.flatMap { TimeText.seconds(of: $0) }
        policy.versions = keepVersions ?? 0
        policy.periods = [
            .hourly: keepHourly, .daily: keepDaily, .weekly: keepWeekly, .monthly: keepMonthly,
            .yearly: keepYearly,
        ].compactMapValues { $0 }
        return policy
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: true, in: console)
        let policy = policy
        let result = try await session.withProgress { [dryRun] line in
            try await session.replica.prune(policy, isDryRun: dryRun) { line?.show($0) }
        }
        let code = result.failures.first.map { ExitCode($0) } ?? .done
        try console.show(result.failures)
        if report.json {
            try console.output.json(object(result, exit: code))
        } else if dryRun {
            for line in summary(result) { try console.output.line(line) }
        } else {
            for line in summary(result) { console.say(line) }
        }
        return code
    }

    private func object(_ result: PruneReport, exit code: ExitCode) -> JSONObject {
        var object: JSONObject = ["type": "prune"]
        object.add("exit", code.rawValue)
        object.add("dry_run", dryRun)
        object.add("kept_versions", result.keptVersions)
        object.add("dropped_versions", result.droppedVersions)
        object.add("packs", result.packs)
        object.add("pack_bytes", result.bytes)
        object.add("removed_packs", result.removedPacks)
        object.add("rewritten_packs", result.rewrittenPacks)
        object.add("freed_bytes", result.freedBytes)
        object.add("problems", result.failures.count)
        object.add("archived_commits", result.archivedCommits)
        object.add("removed_uploads", result.removedUploads)
        return object
    }

    private func summary(_ result: PruneReport) -> [String] {
        let versions =
            "\(CountText.text(result.keptVersions, "version")) kept, "
            + "\(CountText.text(result.droppedVersions)) dropped."
        var lines = [versions]
        if result.removedPacks > 0 { lines.append(packs(result)) }
        if result.archivedCommits > 0 {
            let commits = CountText.text(result.archivedCommits, "commit")
            lines.append("\(dryRun ? "Would archive" : "Archived") \(commits).")
        }
        if result.removedUploads > 0 {
            lines.append("Removed \(CountText.text(result.removedUploads, "unfinished upload")).")
        }
        return lines.count > 1 ? lines : [versions, "Nothing to free."]
    }

    private func packs(_ result: PruneReport) -> String {
        let what = dryRun ? "Would remove" : "Removed"
        let rewritten =
            result.rewrittenPacks == 0
            ? "" : ", \(CountText.text(result.rewrittenPacks)) of them rewritten"
        return "\(what) \(CountText.text(result.removedPacks, "pack"))\(rewritten); "
            + "\(dryRun ? "about " : "")\(SizeText.text(max(0, result.freedBytes))) "
            + (dryRun ? "would be free." : "are free.")
    }
}
