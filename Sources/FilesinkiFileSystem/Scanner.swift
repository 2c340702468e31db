package import FilesinkiModel
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
    /// Gives an error in place of reading a folder; for tests.
    var fault: @Sendable (RelativePath?) -> SystemError? = { _ in nil }

    /// - Parameters:
    ///   - filter: The filter for the names directly inside the root.
    ///   - workers: How many threads read folders, at least 1.
    package init(root: RootFolder, filter: any ScanFilter, workers: Int = 2) {
        self.root = root
        self.filter = filter
        self.workers = workers
    }

    /// Scans the whole root, or one path and all below it.
    ///
    /// - Parameter below: A file or folder to look at alone, whether or not it is there; nil for the
    ///   whole root.
    /// - Throws: `Failure` when the root itself, or the way to `below`, cannot be read.
    package func scan(
        _ known: KnownTree, below: RelativePath? = nil
    ) throws(Failure) -> ScanResult {
        var first = FolderScan(root: root, known: known, fault: fault)
        var tasks: [FolderTask] = []
        if let below {
            if let task = try first.start(at: below, filter) { tasks = [task] }
        } else {
            tasks = try first.scan(FolderTask(folder: nil, filter: filter))
        }
        let shared = Shared(first)
        let queue = WorkQueue(tasks)
        onThreads(tasks.isEmpty ? 1 : workers) { [root, fault] in
            var part = FolderScan(root: root, known: known, fault: fault)
            queue.drain { part.scanOrBlock($0) }
            shared.add(part)
        }
        var whole = shared.value
        whole.settleUnlisted(below: below)
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
        }
    }
}

/// A folder that waits to be scanned.
struct FolderTask: Sendable {
    /// nil for the root.
    var folder: RelativePath?
    /// For the root its own filter, else that of the folder above.
    var filter: any ScanFilter
}
