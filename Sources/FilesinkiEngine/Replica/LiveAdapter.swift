import FilesinkiFileSystem
import FilesinkiLiveDatabase
import FilesinkiModel

/// SQLite databases as the live files of a replica.
struct LiveAdapter: LiveFiles {
    private let databases: LiveDatabases

    /// - Parameter scratch: The folder for private copies, which the next writing run empties.
    init(scratch: String) { databases = LiveDatabases(scratch: scratch) }

    func isLive(_ header: [UInt8]) -> Bool { LiveDatabases.isDatabase(header) }

    func snapshot(at path: String) throws(Failure) -> (any LiveSnapshot)? {
        guard let file = try databases.snapshot(of: path) else { return nil }
        return Snapshot(file: file)
    }

    func replace(
        _ path: String, with content: String, isExpected: (String) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        try databases.replace(path, with: content, isExpected: isExpected)
    }

    private struct Snapshot: LiveSnapshot {
        let file: ScratchFile

        var path: String { file.path }
    }
}
