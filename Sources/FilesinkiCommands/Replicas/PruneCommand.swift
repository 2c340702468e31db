import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiText

/// `prune`: frees what old versions take.
struct PruneCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Remove old versions from the store.",
        discussion: """
            Keeps the current tree, and what at least one of the rules keeps. Without a rule, those of \
            the settings apply, such as prune.keep-last; a mistake in them stops the prune. With at least \
            one rule, those of the settings do not apply. A commit is a point in time; the times are those of the commits, and days, weeks \
            and so on are those of UTC. What a device has acknowledged last is kept, so that it can \
            merge when it comes back, and what the sides of an open conflict started from. Old commits are moved into archives, a few objects in place of \
            thousands. Uploads that were left unfinished for a day are removed, and packs of failed \
            uploads once every device has published or acknowledged a commit since a prune found \
            them, this device's own at once where its files hardly need them. Other devices may \
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
        name: .long,
        help: "Compress with xz what every device has read, where that saves space. Takes long.")
    var recompress = false

    @Flag(
        name: [.customShort("n"), .long], help: "Show what would be removed, and remove nothing.")
    var dryRun = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    /// The rules of the command line.
    private var given: [PruneKey: TOMLValue] {
        let counts: [PruneKey: Int?] = [
            .keepLast: keepLast, .keepHourly: keepHourly, .keepDaily: keepDaily,
            .keepWeekly: keepWeekly, .keepMonthly: keepMonthly, .keepYearly: keepYearly,
            .keepVersions: keepVersions,
        ]
        var given = counts.compactMapValues { $0.map(TOMLValue.integer) }
        given[.keepWithin] = keepWithin.map(TOMLValue.string)
        return given
    }

    var interruptedWork: String? { dryRun ? InterruptedWork.nothing : InterruptedWork.repeated }

    func validate() throws {
        for (key, value) in given where (try? key.value(of: value)) == nil {
            throw ValidationError("Invalid value of --\(key.rawValue). \(key.remedy)")
        }
    }

    /// What to keep: by the options, else by the settings. Says which of them.
    private func rules(_ session: Session, _ console: Console) async throws -> [PruneKey: Int64] {
        guard given.isEmpty else {
            // A mistake in settings that do not apply stops nothing.
            if (try? await session.replica.pruneRules().isEmpty) != true {
                console.say("The rules in the settings do not apply, as there are options.")
            }
            return try given.reduce(into: [:]) { $0[$1.key] = try $1.key.value(of: $1.value) }
        }
        let rules = try await session.replica.pruneRules()
        let shown = Self.texts(of: rules)
        if !shown.isEmpty {
            console.say("Keeps by the settings: \(shown.joined(separator: ", ")).")
        }
        return rules
    }

    /// The rules as settings have them, such as `keep-last = 10`.
    private static func texts(of rules: [PruneKey: Int64]) -> [String] {
        PruneKey.allCases.compactMap { key in rules[key].map(key.text) }
    }

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, access: .changingKnown, in: console)
        let kept = try await rules(session, console)
        let policy = RetentionPolicy(kept)
        let result = try await console.withProgress { [dryRun, recompress] line in
            try await session.replica.prune(
                policy, recompresses: recompress, isDryRun: dryRun
            ) { line?.show($0) }
        }
        let stop = result.failures.first ?? result.refusal
        let code = stop.map { ExitCode($0) } ?? .done
        try console.show(result.failures)
        if report.json {
            try console.show(result.notices, type: "notice")
            try console.output.json(object(result, by: kept, exit: code))
        } else if dryRun {
            for line in summary(result, at: console.systemContext.now()).flatMap({
                FlowText.words($0, indent: "    ", within: console.outputColumns)
            }) {
                try console.output.line(line)
            }
            try console.output.flush()
            try console.show(result.notices, type: "notice")
        } else {
            for line in summary(result, at: console.systemContext.now()) { console.say(line) }
        }
        if !report.json {
            for line in Self.lines(of: result.prunedPaths) { console.detail(line) }
            try adviseOnDevices(result, in: console)
        }
        return code
    }

    /// How many versions each path loses, for `-v`.
    private static func lines(of paths: [PrunedPath]) -> [String] {
        var table = TextTable(rightAligned: [0])
        for pruned in paths {
            table.add(CountText.text(pruned.versions, "version"), "\(pruned.path)")
        }
        return table.lines.map { "  " + $0 }
    }

    private func object(
        _ result: PruneReport, by rules: [PruneKey: Int64], exit code: ExitCode
    ) -> JSONObject {
        var object: JSONObject = ["type": "prune"]
        object.add("exit", code.rawValue)
        object.add("dry_run", dryRun)
        object.add("rules", given.isEmpty ? "settings" : "options")
        if given.isEmpty {
            object.add("settings", .array(Self.texts(of: rules).map { .string($0) }))
        }
        object.add("kept_versions", result.keptVersions)
        object.add("dropped_versions", result.droppedVersions)
        object.add("packs", result.packs)
        object.add("pack_bytes", result.bytes)
        object.add("removed_packs", result.removedPacks)
        object.add("rewritten_packs", result.rewrittenPacks)
        object.add("recompressed_packs", result.recompressedPacks)
        object.add("freed_bytes", result.freedBytes)
        object.add("problems", result.failures.count)
        object.add("ended_deletions", result.endedTombstones)
        object.add("archived_commits", result.archivedCommits)
        object.add("removed_checkpoints", result.removedCheckpoints)
        object.add("removed_uploads", result.removedUploads)
        object.add("removed_unnamed_packs", result.removedUnnamedPacks)
        object.add("waiting_unnamed_packs", result.waitingUnnamedPacks)
        object.add("waiting_unnamed_bytes", result.waitingUnnamedBytes)
        object.add("waiting_for", .array(result.awaitedDevices.map { .string($0) }))
        object.add("own_unnamed_packs", result.ownUnnamedPacks)
        object.add("own_unnamed_bytes", result.ownUnnamedBytes)
        if dryRun, let reasons = result.reasons { object.add("kept", .array(reasons.json)) }
        return object
    }

    private func summary(_ result: PruneReport, at now: Timestamp) -> [String] {
        let versions =
            "\(CountText.text(result.keptVersions, "version")) kept, "
            + "\(CountText.text(result.droppedVersions)) dropped."
        var lines = [versions] + (result.reasons?.lines(at: now) ?? [])
        let heading = lines.count
        if result.removedPacks + result.removedUnnamedPacks > 0 { lines.append(packs(result)) }
        if result.lacksSpace {
            lines.append(
                "The store had no space to rewrite packs: small ones, and those of which something is needed, stay "
                    + "for a later prune.")
        }
        if result.endedTombstones > 0 {
            let deletions = CountText.text(result.endedTombstones, "old deletion")
            lines.append(
                "\(dryRun ? "Would forget" : "Forgot") \(deletions): after the next sync of a device, undelete and "
                    + "ls --deleted do not know \(result.endedTombstones == 1 ? "it" : "them") there any more."
            )
        }
        if result.archivedCommits > 0 {
            let commits = CountText.text(result.archivedCommits, "commit")
            lines.append("\(dryRun ? "Would archive" : "Archived") \(commits).")
        }
        if result.removedCheckpoints > 0 {
            let checkpoints = CountText.text(result.removedCheckpoints, "old checkpoint")
            lines.append("\(dryRun ? "Would remove" : "Removed") \(checkpoints).")
        }
        if result.removedUploads > 0 {
            let uploads = CountText.text(result.removedUploads, "unfinished upload")
            lines.append("\(dryRun ? "Would remove" : "Removed") \(uploads).")
        }
        if lines.count == heading {
            lines.append(nothingFreed(result))
        } else if result.readableVersions > 0 {
            let count = result.readableVersions
            lines.append(
                "Of what was dropped, \(CountText.text(count)) \(count == 1 ? "lies" : "lie") in the commits, as "
                    + "small contents do, and can still be read.")
        }
        return lines + leftUploads(result)
    }

    /// Says that a prune frees nothing. What is dropped then loses nothing either.
    private func nothingFreed(_ result: PruneReport) -> String {
        guard result.droppedVersions > 0 else { return "Nothing to free." }
        return
            "Nothing to free: what was dropped lies in the commits, as small contents do, or in packs with what is "
            + "kept. It can still be read."
    }

    /// Says how what is kept for devices becomes free, where a prune frees nothing.
    private func adviseOnDevices(_ result: PruneReport, in console: Console) throws {
        guard result.removesNoPack, let shares = result.reasons?.devices, !shares.isEmpty else {
            return
        }
        try console.output.flush()
        if let own = shares.first(where: \.isOwn) {
            let sync = "This device has not received the last commit: run filesinki sync first."
            let lasting = "What this device has published last is kept until it publishes again."
            let advice = [own.isBehind ? sync : nil, own.published == nil ? nil : lasting]
                .compactMap(\.self)
            if !advice.isEmpty { console.say(advice.joined(separator: " ")) }
        }
        guard !shares.allSatisfy(\.isOwn) else { return }
        console.say(
            "A device acknowledges once a day or after 64 commits, in a sync. Only for one that will not come back: "
                + "filesinki devices forget NAME.")
    }

    /// What stays of uploads, and why.
    private func leftUploads(_ result: PruneReport) -> [String] {
        var lines: [String] = []
        if result.waitingUnnamedPacks > 0 {
            let packs = CountText.text(result.waitingUnnamedPacks, "pack")
            let names = result.awaitedDevices.map { printable($0.utf8) }.joined(separator: ", ")
            lines.append(
                "\(packs) of unfinished or failed uploads left, \(SizeText.text(result.waitingUnnamedBytes)), until "
                    + "\(names.isEmpty ? "a later prune" : "a later commit was published or acknowledged by \(names)")."
            )
        }
        if result.ownUnnamedPacks > 0 {
            let packs = CountText.text(result.ownUnnamedPacks, "pack")
            lines.append(
                "\(packs) of an unfinished upload of this device left, \(SizeText.text(result.ownUnnamedBytes)): the "
                    + "next sync goes on with them.")
        }
        return lines
    }

    /// What was done with packs: each is removed, or replaced by another one with what is kept of it.
    private func packs(_ result: PruneReport) -> String {
        let ofUploads = result.removedUnnamedPacks
        let removed = max(0, result.removedPacks - result.rewrittenPacks) + ofUploads
        let works = [
            (removed, dryRun ? "remove" : "removed"),
            (result.rewrittenPacks - result.recompressedPacks, dryRun ? "rewrite" : "rewrote"),
            (result.recompressedPacks, dryRun ? "recompress" : "recompressed"),
        ].filter { $0.0 > 0 }
        var parts = works.enumerated().map { index, work in
            "\(work.1) \(index == 0 ? CountText.text(work.0, "pack") : CountText.text(work.0))"
        }
        if ofUploads > 0 {
            parts[0] +=
                ofUploads == removed
                ? " of failed uploads" : " (\(CountText.text(ofUploads)) of failed uploads)"
        }
        let work = parts.joined(separator: ", ")
        let said = dryRun ? "Would \(work)" : work.prefix(1).uppercased() + work.dropFirst()
        let freed = SizeText.text(max(0, result.freedBytes))
        return said + (dryRun ? "; about \(freed) would be free." : "; \(freed) are free.")
    }
}

extension KeptReasons {
    /// A line for each reason.
    fileprivate func lines(at now: Timestamp) -> [String] {
        var lines: [String] = []
        if current > 0 { lines.append("  \(CountText.text(current)) in the current tree") }
        if byRules > 0 { lines.append("  \(CountText.text(byRules)) by the rules") }
        for share in devices {
            lines.append(
                "  \(CountText.text(share.versions)) for \(share.whoAndWhere)"
                    + share.nextCommit(at: now))
        }
        if devices.reduce(0, { $0 + $1.versions }) > byDevices {
            lines.append(
                "  \(CountText.text(byDevices)) for devices in all: a version may be kept for several"
            )
        }
        if byConflicts > 0 {
            lines.append("  \(CountText.text(byConflicts)) for open conflicts")
        }
        if waiting > 0 {
            lines.append(
                "  \(CountText.text(waiting, "content")) for changes that wait here to be merged")
        }
        return lines
    }

    fileprivate var json: [JSONValue] {
        var reasons: [JSONObject] = [
            ["reason": "current", "versions": .integer(Int64(current))],
            ["reason": "rules", "versions": .integer(Int64(byRules))],
        ]
        for share in devices {
            var object: JSONObject = ["reason": "device"]
            object.add("versions", share.versions)
            object.add("device", share.device.name)
            object.add("device_id", hexadecimal(share.device.id))
            object.add("acknowledged", share.acknowledged)
            object.add("time", share.since)
            object.add("published", share.published)
            reasons.append(object)
        }
        if byConflicts > 0 {
            reasons.append(["reason": "conflict", "versions": .integer(Int64(byConflicts))])
        }
        if waiting > 0 {
            reasons.append(["reason": "waiting", "contents": .integer(Int64(waiting))])
        }
        return reasons.map(JSONValue.object)
    }
}

extension KeptReasons.DeviceShare {
    /// The device, and the commits at which it may be. What this one has applied counts as acknowledged, while
    /// `devices` shows an older one: so it is named as received.
    fileprivate var whoAndWhere: String {
        var deeds: [String] = []
        if acknowledged != read {
            let day = TimeText.local(since).prefix(10)
            deeds.append("acknowledged commit \(acknowledged), on \(day)")
        }
        if let read { deeds.append("received commit \(read)") }
        if let published { deeds.append("published commit \(published)") }
        return "\(printable(device.name.utf8)), \(isOwn ? "this device, " : "")which has "
            + deeds.joined(separator: ", and ")
    }

    /// When the device acknowledges again, or whether this one can receive more.
    fileprivate func nextCommit(at now: Timestamp) -> String {
        guard let acknowledgesFrom else {
            return isBehind ? "; a sync receives a later one" : ""
        }
        guard acknowledgesFrom > now else { return "; its next sync acknowledges a later one" }
        let moment = TimeText.local(acknowledgesFrom).prefix(16)
        return "; a sync from \(moment) on acknowledges a later one"
    }
}
