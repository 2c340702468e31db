/// What one tree says of one path.
package struct Entry: Hashable, Sendable {
    package enum Kind: UInt8, Sendable, CaseIterable {
        case file = 1
        case directory = 2
        case symlink = 3
        /// The path was deleted. Only a remote tree holds these; in a scanned tree a path is absent.
        case tombstone = 4
    }

    package var kind: Kind
    /// Permission bits, 0 to 0o777; what sets identity (setuid, setgid) or is sticky never travels.
    /// 0 for a symlink and a tombstone.
    package var mode: UInt16
    /// When the content was last changed. Of a directory: carried along for a first checkout only.
    package var modified: Timestamp
    /// The number of bytes of a file; 0 for the rest.
    package var size: Int64
    /// The identity of a file's bytes; ``ContentID/none`` for the rest.
    package var content: ContentID
    /// What a symlink points at: bytes, kept as they are; empty for the rest.
    package var target: [UInt8]

    package init(
        kind: Kind, mode: UInt16 = 0, modified: Timestamp = Timestamp(nanoseconds: 0),
        size: Int64 = 0, content: ContentID = .none, target: [UInt8] = []
    ) {
        self.kind = kind
        self.mode = mode & 0o777
        self.modified = modified
        self.size = size
        self.content = content
        self.target = target
    }

    /// A regular file.
    package static func file(
        _ content: ContentID, size: Int64, mode: UInt16, modified: Timestamp
    ) -> Entry {
        Entry(kind: .file, mode: mode, modified: modified, size: size, content: content)
    }

    /// A directory.
    package static func directory(mode: UInt16, modified: Timestamp) -> Entry {
        Entry(kind: .directory, mode: mode, modified: modified)
    }

    /// A symlink with its target.
    package static func symlink(to target: [UInt8], modified: Timestamp) -> Entry {
        Entry(kind: .symlink, modified: modified, target: target)
    }

    /// A deletion.
    package static let tombstone = Entry(kind: .tombstone)

    /// Whether both say that the same thing is there: kind, bytes and target; not mode or time.
    package func hasSameContent(as other: Entry) -> Bool {
        kind == other.kind && content == other.content && target == other.target
    }

    /// Whether nothing that is kept in step differs: content and mode, and the time save that of a
    /// directory, which changes by itself whenever something inside comes or goes.
    package func agrees(with other: Entry) -> Bool {
        hasSameContent(as: other) && mode == other.mode
            && (kind == .directory || kind == .tombstone || modified == other.modified)
    }
}

/// An entry together with the commit that set it.
package struct VersionedEntry: Hashable, Sendable {
    package var entry: Entry
    /// The sequence number of the commit that set the entry; 1 is the first commit of a zone.
    package var version: UInt64

    package init(_ entry: Entry, version: UInt64) {
        self.entry = entry
        self.version = version
    }
}

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
