/// What a commit says of one path.
package struct Change: Hashable, Sendable {
    package var path: RelativePath
    /// What is at the path from this commit on; a tombstone for a deletion.
    package var entry: Entry
    /// The sequence number of the commit whose entry the writer had seen at this path; 0 for none.
    package var basedOn: UInt64
    /// Where the content came from when this is one half of a rename; the other half is a tombstone.
    package var movedFrom: RelativePath?
    /// Why the engine made the change when it was not simply the user's edit: a conflict's rule in
    /// words, such as `newest`; empty for an edit.
    package var reason: String
    /// Of a merge: the sequence number of the commit that keeps its other side among the contents
    /// that gave way. The one side is ``basedOn``.
    package var mergedWith: UInt64?

    package init(
        path: RelativePath, entry: Entry, basedOn: UInt64, movedFrom: RelativePath? = nil,
        reason: String = "", mergedWith: UInt64? = nil
    ) {
        self.path = path
        self.entry = entry
        self.basedOn = basedOn
        self.movedFrom = movedFrom
        self.reason = reason
        self.mergedWith = mergedWith
    }
}

/// A position in a zone's log: everything up to and with `sequence` has been seen.
package struct ChangeToken: Hashable, Sendable {
    /// The sequence number of the last commit seen; 0 before the first.
    package var sequence: UInt64
    /// The SHA-256 of that commit's stored bytes; before the first, the store's id padded with zeros.
    package var hash: ContentID

    package init(sequence: UInt64, hash: ContentID) {
        self.sequence = sequence
        self.hash = hash
    }
}
