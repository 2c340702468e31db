import FilesinkiEngine
import FilesinkiModel

/// How a replica stands, for a person: which folder syncs with which store, when it last did, what is
/// pending, and what to do about open conflicts.
struct StatusText {
    private let status: StatusReport
    private let isStale: Bool
    private let now: Timestamp
    private let home: String?

    /// How many paths are named at most.
    private static let named = 5

    /// - Parameters:
    ///   - isStale: Whether the last success is longer ago than the user allows.
    ///   - home: The user's home folder, which is shown as `~`.
    init(_ status: StatusReport, isStale: Bool, now: Timestamp, home: String?) {
        self.status = status
        self.isStale = isStale
        self.now = now
        self.home = home
    }

    var lines: [String] {
        var lines = [places]
        if status.remote == nil { lines.append("Set a remote with filesinki remote set URL.") }
        lines.append(standing)
        if let failure { lines.append(failure) }
        if let conflicts { lines.append(conflicts) }
        lines += pending(status.pending, "changed here, not yet sent")
        lines += pending(status.incoming, "changed in the store, not yet received")
        return lines
    }

    /// `~/notes  <->  /mnt/share/store    as "laptop"`
    private var places: String {
        let remote = status.remote.map { shortened($0) } ?? "(no remote)"
        return
            "\(shortened(status.root))  <->  \(remote)    as \"\(printable(status.device.name.utf8))\""
    }

    private func shortened(_ path: String) -> String {
        let text = printable(path.utf8)
        guard let home, home.count > 1, path == home || path.hasPrefix(home + "/") else {
            return text
        }
        return printable(("~" + path.dropFirst(home.count)).utf8)
    }

    /// `Up to date. Last synced 3 minutes ago (commit 128), 1,204 files, 88 MB`
    private var standing: String {
        guard let last = status.lastSuccess else { return "Never synced." }
        let isUpToDate =
            !isStale && failure == nil && status.pending.isEmpty && status.incoming.isEmpty
        let verdict = isStale ? "Stale. " : isUpToDate ? "Up to date. " : ""
        let commit = status.token.map { " (commit \($0.sequence))" } ?? ""
        return "\(verdict)Last synced \(TimeText.ago(last, now: now))\(commit), "
            + "\(CountText.text(status.files, "file")), \(SizeText.text(status.bytes))"
    }

    /// How the last run ended, where it was no success and no conflict says so already.
    private var failure: String? {
        guard let word = status.lastFailure, word != "conflict" || status.conflicts.isEmpty else {
            return nil
        }
        return "The last run did not complete: \(word)."
    }

    private var conflicts: String? {
        guard let oldest = status.conflicts.first else { return nil }
        let count = CountText.text(status.conflicts.count, "open conflict")
        let first = status.conflicts.count == 1 ? ": " : ", the oldest: "
        return "\(count)\(first)\(oldest.path) (\(TimeText.ago(oldest.time, now: now)))"
            + "    see: filesinki conflicts"
    }

    private func pending(_ paths: [RelativePath], _ what: String) -> [String] {
        guard !paths.isEmpty else { return [] }
        let names = paths.sorted().prefix(Self.named).map { "  \($0)" }.joined()
        let more = paths.count - Self.named
        return [
            "\(CountText.text(paths.count)) \(what):\(names)"
                + (more > 0 ? "  and \(more) more" : "")
        ]
    }
}
