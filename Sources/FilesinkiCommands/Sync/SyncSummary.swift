import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// What a run did, as a text for a mail: which device changed what, and what to do about conflicts.
struct SyncSummary {
    /// The devices that made the commits of the run, by the numbers of the commits.
    var authors: [UInt64: Device]
    var status: StatusReport
    /// The steps that are not in the report.
    var given: GivenSteps.Sum
    var now: Timestamp
    var home: String?

    /// The longest list of one device's changes.
    private static let listed = 50

    /// The text; empty if the run did nothing.
    func lines(of report: SyncReport) -> [String] {
        let conflicts = conflicts(of: report)
        var lines: [String] = []
        for (title, steps) in groups(of: report, besides: conflicts) {
            lines += ["", title + ":"] + changes(steps)
        }
        if given.count > 0 { lines += ["", "Many changes:"] + given.kinds.lines }
        if !conflicts.isEmpty { lines += ["", "Conflicts to resolve:"] }
        for path in conflicts.keys.sorted() { lines += text(ofConflictAt: path) }
        if lines.isEmpty { return [] }
        let end = ["", hints.text("History:  filesinki log")]
        return [head] + lines + end
    }

    /// `~/notes  <->  /mnt/share/store    as "laptop", 2026-11-25 14:30`
    private var head: String {
        let remote = status.remote.map { HomePath.shortened($0, home: home) } ?? "(no remote)"
        let root = HomePath.shortened(status.root, home: home)
        let device = printable(status.device.name.utf8)
        return "\(root)  <->  \(remote)    as \"\(device)\", \(TimeText.local(now).dropLast(3))"
    }

    private var hints: CommandHints { CommandHints(alwaysNaming: status.root) }

    /// The conflicts that the run has found or received, with their conflict copies.
    private func conflicts(of report: SyncReport) -> [RelativePath: RelativePath?] {
        let paths = Set(report.steps.lazy.filter(\.isVisible).map(\.path))
        var found: [RelativePath: RelativePath?] = [:]
        for path in report.foundConflicts { found[path] = .some(nil) }
        for open in status.conflicts where open.copy.map(paths.contains) == true {
            found[open.path] = open.copy
        }
        return found
    }

    /// The steps by their device: this one first, then the others by name.
    ///
    /// - Parameter conflicts: Paths that are listed elsewhere, with their conflict copies.
    private func groups(
        of report: SyncReport, besides conflicts: [RelativePath: RelativePath?]
    ) -> [(title: String, steps: [Step])] {
        let hidden = Set(conflicts.keys).union(conflicts.values.compactMap(\.self))
        let paths = Set(report.steps.lazy.filter { !$0.isConflictCopy }.map(\.path))
        var own: [Step] = []
        var others: [String: [Step]] = [:]
        for step in report.steps where !hidden.contains(step.path) {
            guard step.isVisible, step.action.entry != nil, !step.isPart(ofAStepAt: paths) else {
                continue
            }
            if step.action.writesOurs {
                let device = authors[step.theirs?.version ?? 0]
                others[device.map { printable($0.name.utf8) } ?? "other devices", default: []]
                    .append(step)
            } else {
                own.append(step)
            }
        }
        let first = own.isEmpty ? [] : [("Changed here", own)]
        return first + others.sorted { $0.key < $1.key }.map { ("Changed by \($0)", $1) }
    }

    private func changes(_ steps: [Step]) -> [String] {
        var table = TextTable()
        for step in steps.prefix(Self.listed) {
            let line = StepLine(step, copies: [:], isPlan: false)
            table.add(line.change, line.path, line.detail)
        }
        let more = steps.count - Self.listed
        return table.lines.map { "  " + $0 }
            + (more > 0 ? ["  and \(CountText.text(more)) more"] : [])
    }

    private func text(ofConflictAt path: RelativePath) -> [String] {
        let name = hints.word(path)
        let first = status.conflicts.first { $0.path == path }?.firstSteps(hints)
        var lines = [
            "  \(path)",
            "    compare:  \(hints.text("filesinki diff")) --conflict \(name)",
        ]
        if let first { lines.append("    \(first)") }
        lines.append("    resolve:  \(hints.text("filesinki resolve")) \(name) --take here|there")
        return lines
    }
}

extension SyncReport {
    /// How many of the newest commits have what the run did. A command that was about other paths may have read the commit of a
    /// change before; the change was received now.
    ///
    /// - Parameter before: The last known commit before the run.
    fileprivate func commits(since before: UInt64) -> UInt64 {
        let received = steps.lazy.filter(\.action.writesOurs).compactMap { $0.theirs?.version }
        let known = received.filter { $0 > 0 }.min().map { $0 - 1 }
        return max(sequence, before) - min(known ?? before, before)
    }
}

extension Session {
    /// How many commits are read at most to find who made a change.
    private static let readCommits: UInt64 = 1000

    /// The summary of a run; empty if nothing happened.
    ///
    /// - Parameter before: The last known commit before the run.
    func summary(
        of report: SyncReport, since before: UInt64, _ given: GivenSteps
    ) async throws -> [String] {
        let reader = try await Replica.open(settings, writable: false)
        let count = min(report.commits(since: before), Self.readCommits)
        // Without the remote there is no list of commits, and the changes are from other devices.
        let commits = count > 0 ? try? await reader.commits(limit: Int(count)) : []
        let summary = SyncSummary(
            authors: Dictionary(
                (commits ?? []).map { ($0.sequence, $0.device) }, uniquingKeysWith: { $1 }),
            status: try await reader.status(), given: try given.finish(),
            now: console.systemContext.now(), home: console.environment["HOME"])
        await reader.close()
        return summary.lines(of: report)
    }
}
