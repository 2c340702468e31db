package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// Compares the local tree with what is known of it, reading names and status but no content.
///
/// Folders are shared out to threads. A folder that cannot be read completely says nothing: it is
/// blocked, and nothing below it counts as missing.
package struct Scanner: Sendable {
    private let root: RootFolder
    private let filter: any ScanFilter
    private let workers: Int
    /// The device that the root was on when the known tree was seen; nil when that is not known.
    private let rootDevice: UInt64?
    /// What tests put in place of the system's answers.
    var injection = ScanInjection()

    /// - Parameters:
    ///   - filter: The filter for the names directly inside the root.
    ///   - workers: How many threads read folders, at least 1.
    ///   - rootDevice: The device that the root was on when the known tree was seen.
    package init(
        root: RootFolder, filter: any ScanFilter, workers: Int = 2, rootDevice: UInt64? = nil
    ) {
        self.root = root
        self.filter = filter
        self.workers = workers
        self.rootDevice = rootDevice
    }

    /// Scans the whole root, or one path and all below it.
    ///
    /// - Parameter below: A file or folder to look at alone, whether or not it is there; nil for the
    ///   whole root.
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
        whole.recordUnlistedMissing(below: below)
        whole.blockUnmounted()
        whole.result.sort()
        return whole.result
    }
}

/// What all threads of a scan add up to.
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

/// A folder that waits to be scanned.
struct FolderTask: Sendable {
    /// nil for the root.
    var folder: RelativePath?
    /// For the root its own filter, else that of the folder above.
    var filter: any ScanFilter
    /// The number of the device that it is on.
    var device: UInt64
    /// The number in the folder's known stamp.
    var knownDevice: UInt64?
    /// Whether the folder was unknown before this scan.
    var isNew = false
}

/// What tests put in place of the system's answers; nothing otherwise.
struct ScanInjection: Sendable {
    /// Gives an error in place of reading a folder.
    var fault: @Sendable (RelativePath?) -> SystemError? = { _ in nil }
    /// Gives the device number of a path; nil for the system's own. The root is nil.
    var device: @Sendable (RelativePath?) -> UInt64? = { _ in nil }
    /// Whether ``device`` is to be asked about each path.
    var hasDevices = false
}

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
