package import FilesinkiModel

/// A regular file that is new or may have changed: only its content can tell.
package struct ScanCandidate: Sendable {
    package var path: RelativePath
    package var status: FileStatus
    /// The number of the path's row in the known tree; nil when the path is new.
    package var knownRow: Int?

    package init(path: RelativePath, status: FileStatus, knownRow: Int?) {
        self.path = path
        self.status = status
        self.knownRow = knownRow
    }
}

/// A path whose new entry is known without reading content.
package struct ScanChange: Sendable {
    package var path: RelativePath
    package var entry: Entry
    package var stamp: FileStamp

    package init(path: RelativePath, entry: Entry, stamp: FileStamp) {
        self.path = path
        self.entry = entry
        self.stamp = stamp
    }
}

/// Something that is neither file, directory nor symlink.
package struct ScanSpecial: Sendable {
    package var path: RelativePath
    /// What it is, such as `fifo`, `socket` or `block device`.
    package var word: String

    package init(path: RelativePath, word: String) {
        self.path = path
        self.word = word
    }
}

/// What a scan found to differ from the known tree. All lists are in the order of the paths.
package struct ScanResult: Sendable {
    /// Regular files that are new, or whose stamp is not the known one.
    package var candidates: [ScanCandidate] = []
    /// Directories and symlinks that are new or differ (kind, mode, target; of a symlink also the
    /// stamp, so that the manifest can keep the new one), and files whose mode alone differs.
    package var changed: [ScanChange] = []
    /// Known paths that are gone, and whose folder was read without an error; all that was below
    /// them too. A path that is something special now is not missing: it is in ``blocked``.
    package var missing: [RelativePath] = []
    /// Fifos, sockets and devices.
    package var specials: [ScanSpecial] = []
    /// Known paths that the filter now leaves out: they, and what is below them, are neither missing
    /// nor changed.
    package var ignored: [RelativePath] = []
    /// What could not be read, and names that cannot be synced.
    package var problems: [Problem] = []
    /// Files and folders about which, and below which, nothing can be said.
    package var blocked: [RelativePath] = []
    /// Known folders with a new stamp, because they are on another device than the known stamp says.
    package var restamped: [KnownFile] = []
    /// Folders on another device than the folder above, seen for the first time on that device.
    package var mountPoints: [RelativePath] = []
    /// Folders that are not known and hold the state of another replica.
    package var replicas: [RelativePath] = []
    /// The number of regular files seen, without those left out.
    package var fileCount = 0
    /// The number of directories seen, without the root and those left out.
    package var directoryCount = 0

    package init() {}

    /// Adds what another part of the scan found.
    mutating func merge(_ other: ScanResult) {
        candidates += other.candidates
        changed += other.changed
        missing += other.missing
        specials += other.specials
        ignored += other.ignored
        problems += other.problems
        blocked += other.blocked
        restamped += other.restamped
        mountPoints += other.mountPoints
        replicas += other.replicas
        fileCount += other.fileCount
        directoryCount += other.directoryCount
    }

    /// Drops what was found at some paths, apart from problems.
    mutating func drop(_ isDropped: (RelativePath) -> Bool) {
        candidates.removeAll { isDropped($0.path) }
        changed.removeAll { isDropped($0.path) }
        missing.removeAll(where: isDropped)
        specials.removeAll { isDropped($0.path) }
        ignored.removeAll(where: isDropped)
        restamped.removeAll { isDropped($0.path) }
    }

    mutating func sort() {
        candidates.sort { compare($0.path.bytes, $1.path.bytes) < 0 }
        changed.sort { compare($0.path.bytes, $1.path.bytes) < 0 }
        missing.sort { compare($0.bytes, $1.bytes) < 0 }
        specials.sort { compare($0.path.bytes, $1.path.bytes) < 0 }
        ignored.sort { compare($0.bytes, $1.bytes) < 0 }
        problems.sort { compare($0.path.bytes, $1.path.bytes) < 0 }
        blocked.sort { compare($0.bytes, $1.bytes) < 0 }
        mountPoints.sort { compare($0.bytes, $1.bytes) < 0 }
        replicas.sort { compare($0.bytes, $1.bytes) < 0 }
    }
}
