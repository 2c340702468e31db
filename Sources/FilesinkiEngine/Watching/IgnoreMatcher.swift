import FilesinkiFileSystem
package import FilesinkiModel
import Synchronization

/// Tells, from any thread, which paths the rules leave out. It goes by the rules as they were when it
/// was made.
package final class IgnoreMatcher: Sendable {
    private let paths: Mutex<IgnoredPaths>

    init(root: RootFolder, filter: any ScanFilter) {
        paths = Mutex(IgnoredPaths(root: root, filter: filter))
    }

    package func ignores(_ path: RelativePath, isDirectory: Bool) -> Bool {
        paths.withLock { $0.contains(path, isDirectory: isDirectory) }
    }
}
