import CKernel
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

extension DirectoryRemote {
    /// Begins an upload.
    ///
    /// - Parameters:
    ///   - name: What it can be continued by: letters and digits; nil when nobody comes back for it.
    ///   - offset: How many bytes of it are kept; more than are there is a failure.
    /// - Throws: `Failure`: `differs` when the upload is not as long as `offset`; what writing to a disk
    ///   can meet.
    package func stage(_ name: String?, offset: Int64 = 0) async throws -> StagedUpload {
        try await offload { try stageNow(name, offset: offset) }
    }

    private func stageNow(_ name: String?, offset: Int64) throws(Failure) -> StagedUpload {
        let folder = try folder.make([StagedUpload.place], StagedUpload.place)
        let path = name ?? temporaryName()
        let flags = name == nil ? O_EXCL : 0
        let file = try reported("create a file in the store", path) { () throws(SystemError) in
            try folder.open(path, O_RDWR | O_CREAT | flags, mode: 0o666)
        }
        let size = try lock(file, path, in: folder)
        guard offset <= size else { throw wrongOffset(path) }
        guard ftruncate(file.raw, off_t(offset)) == 0 else {
            throw SystemError.last.failure("write a file in the store", inStore: path)
        }
        return StagedUpload(self, path, isNamed: name != nil, file, count: offset)
    }

    /// Makes sure that nobody else writes to the upload, or moves it to its place, where its bytes
    /// must not change any more.
    ///
    /// - Returns: Its size.
    private func lock(
        _ file: borrowing FileHandle, _ name: String, in folder: borrowing FileHandle
    ) throws(Failure) -> Int64 {
        let (own, opened) = try reported("lock the file", name) { () throws(SystemError) in
            (try file.lock(waits: false), try file.record())
        }
        guard own, let named = folder.status(of: name), named.st_ino == opened.st_ino else {
            throw Failure(
                .busy, path: name, "Another request is at work on this upload.",
                remedy: "Ask again in a moment.")
        }
        return Int64(opened.st_size)
    }

    private func wrongOffset(_ name: String) -> Failure {
        Failure(
            .differs, path: name, "The upload is not as long as its continuation says.",
            remedy: "Ask how much of it is there.")
    }

    /// How many bytes of an upload are there; nil when there is none of this name.
    package func stagedBytes(_ name: String) async throws -> Int64? {
        try await offload {
            guard let uploads = try folder.descend([StagedUpload.place], StagedUpload.place),
                let status = uploads.status(of: name), status.isRegularFile
            else { return nil }
            return Int64(status.st_size)
        }
    }

    func removeUpload(_ name: String) {
        guard let uploads = try? folder.descend([StagedUpload.place], StagedUpload.place) else {
            return
        }
        unlinkat(uploads.raw, name, 0)
    }

    /// Removes uploads that nobody came back for.
    ///
    /// - Parameter age: Only what is older is removed, by the clock of the store's file system.
    /// - Throws: As ``sweep(olderThan:)`` does.
    package func sweepUploads(olderThan age: Duration) async throws {
        try await offload {
            let top = try folder.open()
            guard let uploads = try? top.open(StagedUpload.place, O_RDONLY | O_DIRECTORY) else {
                return
            }
            let bound = try present(in: top) - age.components.seconds
            for entry in try names(in: uploads, StagedUpload.place) {
                if let status = uploads.status(of: entry.name), status.isRegularFile,
                    Int64(status.st_mtim.tv_sec) <= bound
                {
                    unlinkat(uploads.raw, entry.name, 0)
                }
            }
        }
    }

    /// Moves a sealed upload to the place of a key, unless something is there.
    ///
    /// - Returns: False when something is there.
    func move(_ upload: String, to key: ObjectKey) throws(Failure) -> Bool {
        let path = key.description
        for _ in 0..<8 {
            let parent = try folder.make(key.folders, path)
            guard let uploads = try folder.descend([StagedUpload.place], path) else { break }
            let error = fillFreeName(uploads, upload, parent, key.name)
            switch error {
            case 0:
                try StoreFolder.sync(parent, path)
                return true
            case EEXIST: return false
            // Somebody's deletion took the emptied folder away: make it again.
            case ENOENT where uploads.status(of: upload) != nil: continue
            default: throw SystemError(error).failure("move the file to its place", inStore: path)
            }
        }
        throw folder.vanished(path)
    }

    /// Renames a file to a free name.
    ///
    /// - Returns: 0, or an error number; `EEXIST` when the name is not free.
    private func fillFreeName(
        _ uploads: borrowing FileHandle, _ upload: String, _ parent: borrowing FileHandle,
        _ name: String
    ) -> Int32 {
        if fsk_rename(uploads.raw, upload, parent.raw, name, fsk_rename_new) == 0 { return 0 }
        guard errno == EINVAL || errno == ENOSYS else { return errno }
        // A file system that does not know the flag. A link does not replace anything either.
        if linkat(uploads.raw, upload, parent.raw, name, 0) == 0 {
            unlinkat(uploads.raw, upload, 0)
            return 0
        }
        guard [EPERM, EOPNOTSUPP, ENOSYS, EIO, EINVAL].contains(errno) else { return errno }
        // Nor links: then whoever serves the folder looks and renames one after the other.
        _ = try? uploads.lock(waits: true)
        defer { uploads.unlock() }
        if parent.status(of: name) != nil { return EEXIST }
        return renameat(uploads.raw, upload, parent.raw, name) == 0 ? 0 : errno
    }
}
