package import FilesinkiModel

/// A path on which here and the remote agreed.
package struct BaseRow: Hashable, Sendable {
    package var path: RelativePath
    /// What they agreed on; never a tombstone.
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

/// A path whose scanned state is not the base's.
package struct LocalRow: Hashable, Sendable {
    package var path: RelativePath
    /// What the scan found; nil when the path is deleted.
    package var entry: Entry?
    /// The file as it was when it was read; nil when deleted, or when its times cannot be trusted.
    package var stamp: FileStamp?
    /// Where the content came from when the path is the new half of a rename.
    package var movedFrom: RelativePath?

    package init(
        path: RelativePath, entry: Entry?, stamp: FileStamp? = nil, movedFrom: RelativePath? = nil
    ) {
        self.path = path
        self.entry = entry
        self.stamp = stamp
        self.movedFrom = movedFrom
    }
}

/// A path whose state at the remote is not the base's.
package struct RemoteRow: Hashable, Sendable {
    package var path: RelativePath
    /// What is there, and since which commit; may be a tombstone.
    package var entry: VersionedEntry
    /// Where the content came from when the path is the new half of a rename.
    package var movedFrom: RelativePath?

    package init(path: RelativePath, entry: VersionedEntry, movedFrom: RelativePath? = nil) {
        self.path = path
        self.entry = entry
        self.movedFrom = movedFrom
    }
}

/// A deletion on which here and the remote agreed.
package struct TombstoneRow: Hashable, Sendable {
    package var path: RelativePath
    /// The sequence number of the commit that deleted the path.
    package var version: UInt64
    /// The contents that the path is known to have had.
    package var contents: [ContentID]

    package init(path: RelativePath, version: UInt64, contents: [ContentID]) {
        self.path = path
        self.version = version
        self.contents = contents
    }
}
