package import FilesinkiModel

/// What a run did to one path, and why.
package struct JournalRow: Hashable, Sendable {
    /// The run that did it: what ``ManifestWriter/beginRun(started:)`` returned.
    package var run: Int64
    package var time: Timestamp
    package var path: RelativePath
    /// In a word, such as `publish`.
    package var action: String
    /// The row of the table or the strategy that decided.
    package var rule: String
    /// Whose change it was; nil when nobody's.
    package var device: Device?
    /// The version before; 0 for none.
    package var baseVersion: UInt64
    /// The version after; 0 for none.
    package var version: UInt64
    /// For people; may be empty.
    package var note: String

    package init(
        run: Int64, time: Timestamp, path: RelativePath, action: String, rule: String,
        device: Device? = nil, baseVersion: UInt64 = 0, version: UInt64 = 0, note: String = ""
    ) {
        self.run = run
        self.time = time
        self.path = path
        self.action = action
        self.rule = rule
        self.device = device
        self.baseVersion = baseVersion
        self.version = version
        self.note = note
    }
}

/// How many of what a run did.
package struct RunCounts: Hashable, Sendable {
    /// Paths sent to the remote.
    package var published: Int64 = 0
    /// Paths fetched from the remote.
    package var taken: Int64 = 0
    /// Paths deleted, here or there.
    package var deleted: Int64 = 0
    package var conflicts: Int64 = 0
    /// Paths that failed.
    package var problems: Int64 = 0
    /// Bytes to the remote.
    package var sent: Int64 = 0
    /// Bytes from the remote.
    package var received: Int64 = 0

    package init() {}
}

/// One run of the engine.
package struct RunRow: Hashable, Sendable {
    package var id: Int64
    package var started: Timestamp
    /// When it ended; nil while it is under way, or when it was killed.
    package var ended: Timestamp?
    /// In a word, such as `done`; empty until it ended.
    package var outcome: String
    /// What the process answered; nil until it ended.
    package var exitCode: Int32?
    package var counts: RunCounts

    package init(
        id: Int64, started: Timestamp, ended: Timestamp? = nil, outcome: String = "",
        exitCode: Int32? = nil, counts: RunCounts = RunCounts()
    ) {
        self.id = id
        self.started = started
        self.ended = ended
        self.outcome = outcome
        self.exitCode = exitCode
        self.counts = counts
    }
}
