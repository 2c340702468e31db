import CKernel
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// The folder `.uploads` of a store, which contains unfinished uploads. No key leads into it.
struct UploadFolder {
    static let name = ".uploads"

    let folder: StoreFolder

    /// Starts or continues an upload: see ``DirectoryRemote/stage(_:offset:)``.
    func stage(_ name: String?, offset: Int64) throws(Failure) -> StagedUpload {
        let uploads = try folder.createFolder([Self.name], for: Self.name)
        let path = name ?? TemporaryName.make()
        let flags = name == nil ? O_EXCL : 0
        let file = try reported("create a file in the store", path) { () throws(SystemError) in
            try uploads.open(path, O_RDWR | O_CREAT | flags, mode: 0o666)
        }
        let size = try lock(file, path, in: uploads)
        guard offset <= size else {
            throw Failure(
                .differs, path: path, "The upload is shorter than the requested offset.",
                remedy: "Ask for its current length.")
        }
        guard ftruncate(file.raw, off_t(offset)) == 0 else {
            throw SystemError.last.failure("write a file in the store", inStore: path)
        }
        return StagedUpload(self, path, isNamed: name != nil, file, count: offset)
    }

    /// Locks the upload, so that no other process writes to it or moves it to its place.
    ///
    /// - Returns: Its size.
    private func lock(
        _ file: borrowing FileHandle, _ name: String, in uploads: borrowing FileHandle
    ) throws(Failure) -> Int64 {
        let (isLocked, opened) = try reported("lock the file", name) { () throws(SystemError) in
            (try file.lock(waits: false), try file.record())
        }
        guard isLocked, let named = uploads.status(of: name), named.st_ino == opened.st_ino else {
            throw Failure(
                .busy, path: name, "Another request is writing this upload.",
                remedy: "Try again in a moment.")
        }
        return Int64(opened.st_size)
    }

    /// The length of an upload in bytes; nil when there is no upload of this name.
    func size(of name: String) throws(Failure) -> Int64? {
        guard let uploads = try folder.openFolder([Self.name], for: Self.name),
            let status = uploads.status(of: name), status.isRegularFile
        else { return nil }
        return Int64(status.st_size)
    }

    func remove(_ name: String) {
        guard let uploads = try? folder.openFolder([Self.name], for: Self.name) else { return }
        unlinkat(uploads.raw, name, 0)
    }

    /// Removes uploads last written longer than `age` seconds ago.
    func sweep(olderThan age: Int64) throws(Failure) {
        let top = try folder.open()
        guard let uploads = try? top.open(Self.name, O_RDONLY | O_DIRECTORY) else { return }
        let bound = try DirectorySweep(folder: folder).currentTime() - age
        for entry in try entries(of: uploads, Self.name) {
            if let status = uploads.status(of: entry.name), status.isRegularFile,
                Int64(status.st_mtim.tv_sec) <= bound
            {
                unlinkat(uploads.raw, entry.name, 0)
            }
        }
    }

    /// Moves a complete upload to the place of a key, unless the key exists.
    ///
    /// - Returns: False when the key exists.
    func move(_ upload: String, to key: ObjectKey) throws(Failure) -> Bool {
        let path = key.description
        for _ in 0..<StoreFolder.maximumTries {
            let parent = try folder.createFolder(key.folders, for: path)
            guard let uploads = try folder.openFolder([Self.name], for: path) else { break }
            let error = renameToFreeName(uploads, upload, parent, key.name)
            switch error {
            case 0:
                try StoreFolder.sync(parent, path)
                return true
            case EEXIST: return false
            // Another process removed the empty folder: create it again.
            case ENOENT where uploads.status(of: upload) != nil: continue
            default: throw SystemError(error).failure("move the file to its place", inStore: path)
            }
        }
        throw .folderRemoved(path)
    }

    /// Renames a file unless the new name exists.
    ///
    /// - Returns: 0, or an error number; `EEXIST` when the name exists.
    private func renameToFreeName(
        _ uploads: borrowing FileHandle, _ upload: String, _ parent: borrowing FileHandle,
        _ name: String
    ) -> Int32 {
        if fsk_rename(uploads.raw, upload, parent.raw, name, fsk_rename_new) == 0 { return 0 }
        guard errno == EINVAL || errno == ENOSYS else { return errno }
        // The file system does not support the flag. A link does not replace a file either.
        if linkat(uploads.raw, upload, parent.raw, name, 0) == 0 {
            unlinkat(uploads.raw, upload, 0)
            return 0
        }
        guard [EPERM, EOPNOTSUPP, ENOSYS, EIO, EINVAL].contains(errno) else { return errno }
        // It does not support links either: check and rename under a lock that all servers take.
        _ = try? uploads.lock(waits: true)
        defer { uploads.unlock() }
        if parent.status(of: name) != nil { return EEXIST }
        return renameat(uploads.raw, upload, parent.raw, name) == 0 ? 0 : errno
    }
}

extension DirectoryRemote {
    private var uploads: UploadFolder { UploadFolder(folder: folder) }

    /// Starts or continues an upload.
    ///
    /// - Parameters:
    ///   - name: Letters and digits by which it can be continued; nil if it need not be.
    ///   - offset: How many of its bytes are kept.
    /// - Throws: `Failure`: `differs` when the upload is shorter than `offset`, `busy` when another
    ///   request writes it, and the failures of writing to a disk.
    package func stage(_ name: String?, offset: Int64 = 0) async throws -> StagedUpload {
        try await offload { try uploads.stage(name, offset: offset) }
    }

    /// The length of an upload in bytes; nil when there is no upload of this name.
    package func stagedBytes(_ name: String) async throws -> Int64? {
        try await offload { try uploads.size(of: name) }
    }

    /// Removes abandoned uploads.
    ///
    /// - Parameter age: Remove only older ones, by the clock of the store's file system.
    /// - Throws: As ``sweep(olderThan:)`` does.
    package func sweepUploads(olderThan age: Duration) async throws {
        try await offload { try uploads.sweep(olderThan: age.components.seconds) }
    }
}
