import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// Walks through a whole store: removes what killed writers left, and measures its size.
struct DirectorySweep {
    let folder: StoreFolder
    /// Whether unfinished objects are counted only.
    var isDryRun = false

    /// No key has more names, because each takes two bytes.
    private static let maximumDepth = 256

    /// The time of the store's file system in seconds since 1970, as a new file shows it. A device with a
    /// wrong clock would otherwise remove what another device is writing.
    func currentTime() throws(Failure) -> Int64 {
        let top = try folder.open()
        let name = TemporaryName.make()
        return try reported("create a file in the store", folder.path) { () throws(SystemError) in
            let file = try top.open(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            try? top.unlink(name.utf8)
            return try file.stamp().modified.seconds
        }
    }

    /// Removes unfinished objects last written at `bound` or before, in seconds since 1970.
    ///
    /// - Returns: The number of removed objects.
    func removeUnfinished(notAfter bound: Int64) throws(Failure) -> Int {
        try removeUnfinished(in: try folder.open(), bound)
    }

    private func removeUnfinished(
        in top: borrowing FileHandle, _ bound: Int64
    ) throws(Failure) -> Int {
        var count = 0
        for entry in try entries(of: top, folder.path) {
            if TemporaryName.matches(entry.name) {
                count += removeEntry(entry, in: top, bound) ? 1 : 0
            } else if entry.isFolder, !entry.name.hasPrefix("."),
                let next = try? top.open(entry.name, O_RDONLY | O_DIRECTORY)
            {
                count += try removeUnfinished(in: next, bound)
            }
        }
        return count
    }

    private func removeEntry(
        _ entry: FolderEntry, in top: borrowing FileHandle, _ bound: Int64
    ) -> Bool {
        guard let status = top.status(of: entry.name), Int64(status.st_mtim.tv_sec) <= bound else {
            return false
        }
        if isDryRun { return true }
        guard entry.isFolder else { return unlinkat(top.raw, entry.name, 0) == 0 }
        if let staged = try? top.open(entry.name, O_RDONLY | O_DIRECTORY),
            let members = try? entries(of: staged, folder.path)
        {
            for member in members where member.isFile { unlinkat(staged.raw, member.name, 0) }
        }
        return unlinkat(top.raw, entry.name, AT_REMOVEDIR) == 0
    }

    /// The size of all files in bytes, including unfinished ones.
    func usedBytes() throws(Failure) -> Int64 {
        try usedBytes(in: try folder.open(), depth: 0)
    }

    private func usedBytes(
        in top: borrowing FileHandle, depth: Int
    ) throws(Failure) -> Int64 {
        var sum: Int64 = 0
        for entry in try entries(of: top, folder.path) {
            if entry.isFile, let status = top.status(of: entry.name) {
                sum += max(0, Int64(status.st_size))
            } else if entry.isFolder, depth < Self.maximumDepth,
                let next = try? top.open(entry.name, O_RDONLY | O_DIRECTORY)
            {
                sum += try usedBytes(in: next, depth: depth + 1)
            }
        }
        return sum
    }
}

extension DirectoryRemote: SweepableRemote {
    /// Reads every folder, which costs little here.
    package func sweep(
        _ folders: [String], olderThan age: Duration, isDryRun: Bool
    ) async throws -> Int {
        try await sweep(olderThan: age, isDryRun: isDryRun)
    }

    /// Removes what killed writers left unfinished.
    ///
    /// - Parameters:
    ///   - age: Remove only older objects, by the clock of the store's file system.
    ///   - isDryRun: Count the objects, and remove none.
    /// - Returns: The number of removed objects.
    /// - Throws: `Failure`: `not-allowed` in a read-only folder, `away`, `io`.
    @discardableResult
    package func sweep(
        olderThan age: Duration = .seconds(86_400), isDryRun: Bool = false
    ) async throws -> Int {
        try await offload {
            let sweep = DirectorySweep(folder: folder, isDryRun: isDryRun)
            return try sweep.removeUnfinished(
                notAfter: try sweep.currentTime() - age.components.seconds)
        }
    }

    /// The size of all files of the store in bytes, including unfinished ones. Reads every folder.
    ///
    /// - Throws: `Failure`: `away`, `not-allowed`, `io`.
    package func usedBytes() async throws -> Int64 {
        try await offload { try DirectorySweep(folder: folder).usedBytes() }
    }
}
