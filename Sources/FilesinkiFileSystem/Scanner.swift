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
        whole.settleUnlisted(below: below)
        whole.settleDevices()
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
