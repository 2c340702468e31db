import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

extension DirectoryRemote {
    /// Removes what killed writers left unfinished.
    ///
    /// Age is measured by the clock of the store's own file system, as a new file there shows it: a
    /// device whose clock is wrong would else take away what another is writing now.
    ///
    /// - Parameter age: Only what is older is removed.
    /// - Returns: How many unfinished objects were removed.
    /// - Throws: `Failure`: `not-allowed` in a read-only folder, `away`, `io`.
    @discardableResult
    package func sweep(olderThan age: Duration = .seconds(86_400)) async throws -> Int {
        try await offload {
            let top = try folder.open()
            let bound = try present(in: top) - age.components.seconds
            return try sweep(top, bound)
        }
    }

    /// The time of the file system, in seconds since 1970.
    func present(in top: borrowing FileHandle) throws(Failure) -> Int64 {
        let name = temporaryName()
        return try reported("create a file in the store", folder.path) { () throws(SystemError) in
            let file = try top.open(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            try? top.unlink(name.utf8)
            return try file.stamp().modified.seconds
        }
    }

    private func sweep(_ top: borrowing FileHandle, _ bound: Int64) throws(Failure) -> Int {
        var count = 0
        for entry in try names(in: top, folder.path) {
            if isTemporary(entry.name) {
                count += removeUnfinished(entry, in: top, bound) ? 1 : 0
            } else if entry.isFolder, !entry.name.hasPrefix("."),
                let next = try? top.open(entry.name, O_RDONLY | O_DIRECTORY)
            {
                count += try sweep(next, bound)
            }
        }
        return count
    }

    private func removeUnfinished(
        _ entry: FolderName, in top: borrowing FileHandle, _ bound: Int64
    ) -> Bool {
        guard let status = top.status(of: entry.name), Int64(status.st_mtim.tv_sec) <= bound else {
            return false
        }
        guard entry.isFolder else { return unlinkat(top.raw, entry.name, 0) == 0 }
        if let staged = try? top.open(entry.name, O_RDONLY | O_DIRECTORY),
            let members = try? names(in: staged, folder.path)
        {
            for member in members where member.isFile { unlinkat(staged.raw, member.name, 0) }
        }
        return unlinkat(top.raw, entry.name, AT_REMOVEDIR) == 0
    }
}
