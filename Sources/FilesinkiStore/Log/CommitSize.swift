package import FilesinkiModel

/// How much of a commit's limits is used, without encoding it.
///
/// The number of plain bytes is an upper bound: each number counts with its longest encoding, and no
/// path shares anything with the one before.
package struct CommitSize: Hashable, Sendable {
    package private(set) var changes = 0
    package private(set) var superseded = 0
    package private(set) var pathBytes = 0
    package private(set) var plainBytes: Int

    /// What every record has: store, zone, numbers, author, operation, and the headers of all columns.
    private static let fixedBytes = 2048

    /// What a row has beside its path, target and reason: the longest encodings of shared and rest (5
    /// each), kind 1, mode 3, seconds 10, nanoseconds 5, size 10, version 10, content 32, and the
    /// length of a target 6.
    static let rowBytes = 87

    /// The tag and length of a field, or a number of a row.
    static let fieldBytes = 6

    /// A pack reference: identity, size and hash, with their headers.
    static let packBytes = 72

    /// A content inside the commit: its identity and the headers, without its bytes.
    private static let inlineBytes = 48

    /// The size of a commit without any rows.
    ///
    /// - Parameter basedOnTokens: How many sequence numbers the commit names.
    package init(basedOnTokens: Int = 0) {
        plainBytes = Self.fixedBytes + basedOnTokens * 10
    }

    /// Counts a change and the content that travels with it.
    package mutating func add(change: Change, carrying content: InlineContent?) {
        changes += 1
        add(change, carrying: content)
    }

    /// Counts a content that gave way, and its bytes where they travel with it.
    package mutating func add(superseded: Change, carrying content: InlineContent?) {
        self.superseded += 1
        add(superseded, carrying: content)
    }

    mutating func add(_ pack: PackReference) { plainBytes += Self.packBytes }

    private mutating func add(_ change: Change, carrying content: InlineContent?) {
        let path = change.path.bytes.count
        plainBytes += Self.rowBytes + path + change.entry.target.count
        // A superseded row always has a reason, also an empty one.
        plainBytes += 2 * Self.fieldBytes + change.reason.utf8.count
        pathBytes += path
        if let origin = change.movedFrom {
            pathBytes += origin.bytes.count
            plainBytes += 3 * Self.fieldBytes + origin.bytes.count
        }
        if change.mergedWith != nil { plainBytes += Self.fieldBytes + 10 }
        if let content { plainBytes += Self.inlineBytes + content.bytes.count }
    }

    /// Whether a commit of this size is within the limits.
    package func fits(_ limits: CommitLimits) -> Bool {
        changes <= limits.rows && superseded <= limits.rows && pathBytes <= limits.pathBytes
            && plainBytes <= limits.plainBytes
    }
}
