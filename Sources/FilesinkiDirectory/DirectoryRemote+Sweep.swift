import FilesinkiModel
import FilesinkiRemote
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
    func present(in top: borrowing Descriptor) throws(Failure) -> Int64 {
        let name = temporaryName()
        guard let file = top.open(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600) else {
            throw failure(errno, "Cannot create a file in the store", folder.path)
        }
        unlinkat(top.number, name, 0)
        return Int64(try file.status(folder.path).st_mtim.tv_sec)
    }

    private func sweep(_ top: borrowing Descriptor, _ bound: Int64) throws(Failure) -> Int {
        var count = 0
        for entry in try names(in: top, folder.path) {
            if isTemporary(entry.name) {
                count += removeUnfinished(entry, in: top, bound) ? 1 : 0
            } else if entry.isFolder, !entry.name.hasPrefix("."),
                let next = top.open(entry.name, O_RDONLY | O_DIRECTORY)
            {
                count += try sweep(next, bound)
            }
        }
        return count
    }

    private func removeUnfinished(
        _ entry: FolderName, in top: borrowing Descriptor, _ bound: Int64
    ) -> Bool {
        guard let status = top.status(of: entry.name), Int64(status.st_mtim.tv_sec) <= bound else {
            return false
        }
        guard entry.isFolder else { return unlinkat(top.number, entry.name, 0) == 0 }
        if let staged = top.open(entry.name, O_RDONLY | O_DIRECTORY),
            let members = try? names(in: staged, folder.path)
        {
            for member in members where member.isFile { unlinkat(staged.number, member.name, 0) }
        }
        return unlinkat(top.number, entry.name, AT_REMOVEDIR) == 0
    }
}
