package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// Compares the local tree with the known tree. Reads names and status, but no content.
///
/// Several threads read the folders. A folder that cannot be read completely is blocked, and
/// nothing below it counts as missing.
package struct Scanner: Sendable {
    private let root: RootFolder
    private let filter: any ScanFilter
    private let workers: Int
    /// The device of the root at the last scan; nil if unknown.
    private let rootDevice: UInt64?
    /// Replaces answers of the system in tests.
    var injection = ScanInjection()

    /// - Parameters:
    ///   - filter: The filter for the names directly inside the root.
    ///   - workers: The number of threads, at least 1.
    ///   - rootDevice: The device of the root at the last scan.
    package init(
        root: RootFolder, filter: any ScanFilter, workers: Int = 2, rootDevice: UInt64? = nil
    ) {
        self.root = root
        self.filter = filter
        self.workers = workers
        self.rootDevice = rootDevice
    }

    /// Scans the whole root, or one path and everything below it.
    ///
    /// - Parameter below: The path of a file or folder, which may be absent; nil for the whole
    ///   root.
    /// - Throws: `Failure` when the root itself, or the way to `below`, cannot be read.
    package func scan(
        _ known: BaseSnapshot, below: RelativePath? = nil
    ) throws(Failure) -> ScanResult {
        var first = FolderScan(root: root, known: known, injection: injection)
        let device = try first.presentDevice(ofFolder: nil)
        if let rootDevice { first.devices.same.insert(.init(known: rootDevice, present: device)) }
        var tasks: [FolderTask] = []
        if let below {
            if let task = try first.start(at: below, filter) { tasks = [task] }
        } else {
            tasks = try first.scan(FolderTask(folder: nil, filter: filter, device: device))
        }
        let shared = Shared(first)
        let queue = WorkQueue(tasks)
        onThreads(tasks.isEmpty ? 1 : workers) { [root, injection] in
            var part = FolderScan(root: root, known: known, injection: injection)
            queue.drain { part.scanOrBlock($0) }
            shared.add(part)
        }
        var whole = shared.value
        try whole.recordUnlistedMissing(below: below, filter)
        whole.blockUnmounted()
        whole.result.sort()
        return whole.result
    }
}

/// The combined results of all threads.
private final class Shared: Sendable {
    private let sum: Mutex<FolderScan>

    init(_ first: FolderScan) { sum = Mutex(first) }

    var value: FolderScan { sum.withLock { $0 } }

    func add(_ part: FolderScan) {
        sum.withLock { sum in
            sum.result.merge(part.result)
            sum.enteredUnlisted.formUnion(part.enteredUnlisted)
            sum.devices.merge(part.devices)
        }
    }
}

/// A folder to be scanned.
struct FolderTask: Sendable {
    /// nil for the root.
    var folder: RelativePath?
    /// The filter of the parent folder; for the root its own.
    var filter: any ScanFilter
    /// Its device number.
    var device: UInt64
    /// The device number in the folder's known stamp.
    var knownDevice: UInt64?
    /// Whether the folder was unknown before this scan.
    var isNew = false
}

/// Replaces answers of the system in tests.
struct ScanInjection: Sendable {
    /// Returns an error in place of reading a folder.
    var fault: @Sendable (RelativePath?) -> SystemError? = { _ in nil }
    /// Returns the device number of a path; nil for the real one. The root is nil.
    var device: @Sendable (RelativePath?) -> UInt64? = { _ in nil }
    /// Whether ``device`` is to be asked about each path.
    var hasDevices = false
}

/// A regular file that is new or may have changed. Its content must be read to know.
package struct ScanCandidate: Sendable {
    package var path: RelativePath
    package var status: FileStatus
    /// The row, or -1. A first sync has a candidate for each file: their size counts.
    private let row: Int32

    /// The row of the path in the known tree; nil for a new path.
    package var knownRow: Int? { row < 0 ? nil : Int(row) }

    package init(path: RelativePath, status: FileStatus, knownRow: Int?) {
        self.path = path
        self.status = status
        row = knownRow.map { Int32(clamping: $0) } ?? -1
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

/// A special file: neither file, directory nor symlink.
package struct ScanSpecial: Sendable {
    package var path: RelativePath
    /// The kind, such as `fifo`, `socket` or `block device`.
    package var word: String

    package init(path: RelativePath, word: String) {
        self.path = path
        self.word = word
    }
}

/// The differences between the tree and the known tree. All lists are sorted by path.
package struct ScanResult: Sendable {
    /// Regular files that are new, or whose stamp differs.
    package var candidates: [ScanCandidate] = []
    /// Directories and symlinks that are new or differ (kind, mode, target; of a symlink also the
    /// stamp, so that the manifest can keep the new one), and files whose mode alone differs.
    package var changed: [ScanChange] = []
    /// Known paths that are absent and whose folder was read without an error, including everything
    /// below them. A path that is a special file now is not missing but in ``blocked``.
    package var missing: [RelativePath] = []
    /// Fifos, sockets and devices.
    package var specials: [ScanSpecial] = []
    /// Known paths that the filter ignores now. They and everything below them are neither missing
    /// nor changed.
    package var ignored: [RelativePath] = []
    /// Paths that could not be read, and names that cannot be synced.
    package var problems: [Problem] = []
    /// Paths whose state is unknown, including everything below them.
    package var blocked: [RelativePath] = []
    /// Known folders with a new stamp, because their device number changed, or another folder has their name now.
    package var restamped: [BaseRow] = []
    /// Folders on another device than their parent, found there for the first time.
    package var mountPoints: [RelativePath] = []
    /// Unknown folders that contain the state of another replica.
    package var replicas: [RelativePath] = []
    /// Folders that are replicas of the same store, if they, or what was known in them, are left for the first time.
    package var ownReplicas: [RelativePath] = []
    /// The number of regular files, without ignored ones.
    package var fileCount = 0

    package init() {}

    /// Adds the result of another part of the scan.
    mutating func merge(_ other: ScanResult) {
        // Those of the first part, perhaps a million, are not copied.
        if candidates.isEmpty {
            candidates = other.candidates
        } else {
            candidates += other.candidates
        }
        changed += other.changed
        missing += other.missing
        specials += other.specials
        ignored += other.ignored
        problems += other.problems
        blocked += other.blocked
        restamped += other.restamped
        mountPoints += other.mountPoints
        replicas += other.replicas
        ownReplicas += other.ownReplicas
        fileCount += other.fileCount
    }

    /// Removes the results for some paths, except problems.
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
        ownReplicas.sort { compare($0.bytes, $1.bytes) < 0 }
    }
}
