import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// What runs that nobody started by hand have deleted a short while ago.
///
/// A program that removes one file after the other while a watch is running is an accident as much
/// as one that removes all of them between two runs. So the guards of an unattended run count what
/// the runs before it have deleted within a sliding window.
struct RecentDeletions: Equatable {
    struct Item: Equatable {
        /// When the run began.
        var time: Timestamp
        /// How far the log was known when the run began.
        var sequence: UInt64
        /// How many paths the run deleted from this replica.
        var ours: Int
        /// How many paths the run deleted from the remote tree.
        var theirs: Int
    }

    /// The width of the window, in seconds.
    static let window: Int64 = 600

    private(set) var items: [Item] = []

    init() {}

    /// Reads what ``bytes`` has written; skips malformed lines.
    init(_ bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " ")).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard words.count == 4, let time = Int64(words[0]), let sequence = UInt64(words[1]),
                let ours = Int(words[2]), let theirs = Int(words[3]), ours >= 0, theirs >= 0
            else { continue }
            items.append(
                Item(
                    time: Timestamp(nanoseconds: time), sequence: sequence, ours: ours,
                    theirs: theirs))
        }
    }

    var bytes: [UInt8] {
        Array(
            items.map { "\($0.time.nanoseconds) \($0.sequence) \($0.ours) \($0.theirs)\n" }
                .joined().utf8)
    }

    /// How much was deleted in the window.
    var counts: Plan.Counts {
        var counts = Plan.Counts()
        for item in items {
            counts.deletedOurs += item.ours
            counts.deletedTheirs += item.theirs
        }
        return counts
    }

    /// Leaves out what is older than the window. What a clock that was set back left in the future
    /// stays until that time has passed.
    mutating func drop(before now: Timestamp) {
        items.removeAll { item in
            let age = now.seconds.subtractingReportingOverflow(item.time.seconds)
            return age.overflow || age.partialValue > Self.window
        }
    }

    /// Adds what a round has deleted. A path that is younger than the window counts for nothing, so
    /// that programs may make and remove as many temporary files as they like.
    ///
    /// - Parameter sequence: How far the log was known when the run began.
    mutating func add(_ steps: [Step], began time: Timestamp, at sequence: UInt64) {
        let oldest = items.first?.sequence ?? sequence
        let counts = Plan(
            steps.filter { step in step.base.map { $0.version <= oldest } ?? false }
        ).counts
        guard counts.deletedOurs + counts.deletedTheirs > 0 else { return }
        if let last = items.last, last.time == time {
            items[items.count - 1].ours += counts.deletedOurs
            items[items.count - 1].theirs += counts.deletedTheirs
        } else {
            items.append(
                Item(
                    time: time, sequence: sequence, ours: counts.deletedOurs,
                    theirs: counts.deletedTheirs))
        }
    }

    /// Makes all of it as young as the present: a run that was stopped because of it does not go
    /// through by waiting.
    mutating func hold(at now: Timestamp) {
        for index in items.indices { items[index].time = now }
    }
}

extension SyncEngine {
    private static let recentDeletionsKey = "recent-deletions"

    /// What unattended runs have deleted within the window.
    func recentDeletions() throws -> RecentDeletions {
        guard let bytes = try manifest.value(Self.recentDeletionsKey) else {
            return RecentDeletions()
        }
        var recent = RecentDeletions(bytes)
        recent.drop(before: systemContext.now())
        return recent
    }

    /// Notes what a round of an unattended run has deleted.
    func recordDeletions(_ run: SyncRun, _ done: [Step], _ writer: ManifestWriter) throws {
        guard run.options.isUnattended, done.contains(where: \.isDeletion) else { return }
        var recent = try recentDeletions()
        recent.add(done, began: run.started, at: run.firstSequence)
        try writer.setValue(Self.recentDeletionsKey, recent.bytes)
    }

    /// Keeps what stopped a run in the window until a person has looked.
    func holdRecentDeletions() throws {
        var recent = try recentDeletions()
        guard !recent.items.isEmpty else { return }
        recent.hold(at: systemContext.now())
        try manifest.write { try $0.setValue(Self.recentDeletionsKey, recent.bytes) }
    }

    /// Forgets what was deleted: a person has approved of what comes next.
    func forgetRecentDeletions() throws {
        guard try manifest.value(Self.recentDeletionsKey) != nil else { return }
        try manifest.write { try $0.setValue(Self.recentDeletionsKey, nil) }
    }
}

extension Step {
    fileprivate var isDeletion: Bool { action.entry?.kind == .tombstone }
}
