package import FilesinkiModel

/// What one commit changed at one path.
package struct Event: Hashable, Sendable {
    /// Who published a change.
    package struct Author: Hashable, Sendable {
        package var device: Device
        package var time: Timestamp
        /// Whether it was the replica's own device, in whichever process.
        package var isOwn: Bool
    }

    package var path: RelativePath
    /// What is at the path from this version on; a tombstone for a deletion.
    package var entry: Entry
    /// The number of the commit.
    package var version: UInt64
    /// Nil where the log that said so is gone.
    package var author: Author?
    /// Where the content came from when this is one half of a rename.
    package var movedFrom: RelativePath?
    /// The rule that decided a conflict; empty for a user's edit.
    package var reason = ""
    /// Whether the change has arrived here, or what a newer one or a merge made of it.
    package var isApplied = false
    /// The position behind this event; nil within a difference, which is dealt with as a whole.
    package var token: EventToken?
}

/// Events that follow one upon another in the log.
struct EventBatch: Sendable {
    var events: [Event] = []
    /// The position behind them, and behind what concerned nobody.
    var end: EventToken
    /// How many commits were read for them.
    var commitCount = 0
}

/// What a tree is now where it differs from what it was.
package struct EventDifference: Sendable {
    /// The number of the commit since which it is told; nil when nothing is known of what the
    /// listener has: then ``events`` are all that there is.
    package var since: UInt64?
    /// One for each path, in the order of paths.
    package var events: [Event]
    /// The position behind the difference.
    package var end: EventToken
}
