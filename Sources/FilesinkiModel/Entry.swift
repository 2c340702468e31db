/// The state of one path in a tree.
package struct Entry: Hashable, Sendable {
    package enum Kind: UInt8, Sendable, CaseIterable {
        case file = 1
        case directory = 2
        case symlink = 3
        /// The path was deleted. Only a remote tree has tombstones; in a scanned tree the path is
        /// absent.
        case tombstone = 4
    }

    package var kind: Kind
    /// Permission bits, 0 to 0o777. Setuid, setgid and sticky bits are never synced. 0 for a
    /// symlink and a tombstone.
    package var mode: UInt16
    /// The modification time. For a directory it is used in a first checkout only.
    package var modified: Timestamp
    /// The size of a file in bytes; 0 for other kinds.
    package var size: Int64
    /// The content ID of a file; ``ContentID/none`` for other kinds.
    package var content: ContentID
    /// The target of a symlink as bytes; empty for other kinds.
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

    /// Whether kind, content and target are equal. Ignores mode and time.
    package func hasSameContent(as other: Entry) -> Bool {
        kind == other.kind && content == other.content && target == other.target
    }

    /// Whether all synced properties are equal: content, mode and time. Ignores the time of a
    /// directory, which changes with its entries.
    package func agrees(with other: Entry) -> Bool {
        hasSameContent(as: other) && mode == other.mode
            && (kind == .directory || kind == .tombstone || modified == other.modified)
    }
}

/// An entry with the commit that set it.
package struct VersionedEntry: Hashable, Sendable {
    package var entry: Entry
    /// The sequence number of the commit that set the entry; 1 is the first commit of a zone.
    package var version: UInt64

    package init(_ entry: Entry, version: UInt64) {
        self.entry = entry
        self.version = version
    }
}

/// The change of one path in a commit.
package struct Change: Hashable, Sendable {
    package var path: RelativePath
    /// The new entry of the path; a tombstone for a deletion.
    package var entry: Entry
    /// The sequence number of the commit whose entry the change replaces; 0 for none.
    package var basedOn: UInt64
    /// The former path if this is part of a rename; the former path gets a tombstone.
    package var movedFrom: RelativePath?
    /// The reason if the change is not a user's edit: the rule that resolved a conflict, such as
    /// `newest`; empty for an edit.
    package var reason: String
    /// For a merge: the sequence number of the commit that has the other side among its superseded
    /// contents. The first side is ``basedOn``.
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

/// A position in a zone's log: commits up to and including `sequence` have been read.
package struct ChangeToken: Hashable, Sendable {
    /// The sequence number of the last commit; 0 before the first.
    package var sequence: UInt64
    /// The SHA-256 of that commit's stored bytes; before the first commit, the store's id padded
    /// with zeros.
    package var hash: ContentID

    package init(sequence: UInt64, hash: ContentID) {
        self.sequence = sequence
        self.hash = hash
    }
}

/// A path on which this replica and the remote agree.
package struct BaseRow: Hashable, Sendable {
    package var path: RelativePath
    /// The agreed entry; never a tombstone.
    package var entry: Entry
    /// The sequence number of the commit that set the entry.
    package var version: UInt64
    /// The file as it was when it last held this entry; nil when it was not on disk, or changed too
    /// recently for its times to tell.
    package var stamp: FileStamp?

    package init(path: RelativePath, entry: Entry, version: UInt64, stamp: FileStamp? = nil) {
        self.path = path
        self.entry = entry
        self.version = version
        self.stamp = stamp
    }
}
