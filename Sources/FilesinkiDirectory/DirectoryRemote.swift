package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// A remote that is a folder: on a disk, a stick, or a share that several machines mount.
///
/// Keys are files below the folder, created with the permissions that the umask leaves, so that a group
/// can share it. Unfinished objects have names that begin with a dot and are never listed. No symlink
/// inside the folder is followed.
///
/// A slot `a/b/c` is the folder `a/b` with the one member `c`: see ``SlotWriter``. An *empty* folder in
/// its place counts as absent.
package struct DirectoryRemote: LocalRemote {
    let folder: StoreFolder
    private let idleWatches = IdleWatches()

    /// - Parameter path: The folder, which need not exist yet. If it is a symlink, it is followed.
    package init(path: String) {
        folder = StoreFolder(path: path)
    }

    /// Creates the folder, and its parents that are missing.
    ///
    /// - Throws: `Failure`: `not-allowed`, `full`, `io`; `exists` when a file is in the way.
    package static func create(path: String) throws(Failure) -> DirectoryRemote {
        var made = path.hasPrefix("/") ? "/" : ""
        for name in path.split(separator: "/") {
            made += made.isEmpty || made == "/" ? name : "/" + name
            guard mkdir(made, 0o777) != 0, errno != EEXIST else { continue }
            let error = errno
            var status = stat()
            if stat(made, &status) == 0, status.isFolder { continue }
            throw SystemError(error).failure("create the store's folder", inStore: made)
        }
        var status = stat()
        guard stat(path, &status) == 0, status.isFolder else {
            throw Failure(
                .exists, path: path, "Cannot create the store's folder: a file is in its place.",
                remedy: "Choose another folder, or move the file away.")
        }
        return DirectoryRemote(path: path)
    }

    package var address: String { folder.path }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await offload { try folder.readObject(key, range: range) }
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await offload { try SlotWriter(folder: folder).fill(slot, with: bytes) }
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await offload { try store(bytes, at: key) }
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await offload {
            var listing = DirectoryListing(prefix: prefix, after: after, limit: limit)
            return try listing.readPage(in: folder)
        }
    }

    package func stamp(ofFolder prefix: String) async throws -> FolderStamp? {
        try await offload { try folder.stamp(ofFolder: prefix) }
    }

    package func delete(_ key: ObjectKey) async throws {
        _ = try await remove(key)
    }

    package func wait(prefix: String, timeout: Duration) async throws {
        try await idleWatches.wait(folder, prefix: prefix, timeout: timeout)
    }

    /// Writes the bytes beside their place and moves them there, replacing equal or damaged ones.
    private func store(_ bytes: [UInt8], at key: ObjectKey) throws(Failure) {
        let path = key.description
        for _ in 0..<StoreFolder.maximumTries {
            let parent = try folder.createFolder(key.folders, for: path)
            let staged = Array(TemporaryName.make().utf8)
            do throws(SystemError) {
                return try DurableFile.replace(
                    key.name.utf8, in: parent.raw, staged: staged, with: bytes, mode: 0o666)
            } catch {
                // Another process removed the empty folder: create it again.
                if error.number == ENOENT || error.number == EEXIST { continue }
                throw error.failure("write a file in the store", inStore: path)
            }
        }
        throw .folderRemoved(path)
    }

    /// Removes the object, and the folders that this leaves empty.
    ///
    /// - Returns: Its size; 0 if it was absent.
    private func removeNow(_ key: ObjectKey) throws(Failure) -> Int64 {
        let path = key.description
        var folders = key.folders
        guard let parent = try folder.openFolder(folders, for: path) else { return 0 }
        var size = parent.status(of: key.name).map { Int64($0.st_size) } ?? 0
        if unlinkat(parent.raw, key.name, 0) != 0 {
            let error = errno
            // A folder is no object.
            let isAbsent =
                error == ENOENT || error == EISDIR
                || (error == EPERM && parent.status(of: key.name)?.isFolder == true)
            guard isAbsent else {
                throw SystemError(error).failure("delete the file", inStore: path)
            }
            size = 0
        }
        while let name = folders.popLast() {
            guard let parent = try folder.openFolder(folders, for: path),
                unlinkat(parent.raw, name, AT_REMOVEDIR) == 0
            else { break }
        }
        return size
    }
}

// What `filesinki serve` needs beside the requests of a remote.
extension DirectoryRemote {
    /// One key of a batch.
    package enum BatchEntry: Sendable {
        case absent
        /// All bytes of a small object.
        case bytes([UInt8])
        /// A larger object, to be read in pieces.
        case large(StoredObject)
    }

    /// Whether the store's folder exists and can be opened.
    package func exists() async -> Bool {
        let opened: Bool? = try? await offload {
            _ = try folder.open()
            return true
        }
        return opened ?? false
    }

    /// Deletes an object.
    ///
    /// - Returns: How many bytes it had; 0 if it was absent.
    /// - Throws: As ``delete(_:)`` does.
    package func remove(_ key: ObjectKey) async throws -> Int64 {
        try await offload { try removeNow(key) }
    }

    /// Opens an object; nil when it is absent.
    ///
    /// - Throws: `Failure`: `corrupt` when something else than a file has its name, `away`, `io`.
    package func open(_ key: ObjectKey) async throws -> StoredObject? {
        try await offload { try folder.openObject(key) }
    }

    /// Opens several objects on one thread, in the order of the keys.
    ///
    /// - Parameters:
    ///   - small: Objects of up to this many bytes are read at once.
    ///   - budget: The batch ends when this many bytes have been read.
    ///   - untilAbsent: Whether the batch ends with the first absent key.
    /// - Returns: An entry for each key up to the end of the batch; at least one.
    /// - Throws: As ``open(_:)`` does.
    package func readBatch(
        _ keys: [ObjectKey], small: Int, budget: Int, untilAbsent: Bool = false
    ) async throws -> [BatchEntry] {
        try await offload {
            var entries: [BatchEntry] = []
            var read = 0
            for key in keys {
                let entry = try readEntry(key, small: small)
                entries.append(entry)
                switch entry {
                case .bytes(let bytes): read += bytes.count
                case .absent: if untilAbsent { return entries }
                case .large: break
                }
                if read >= budget { break }
            }
            return entries
        }
    }

    private func readEntry(_ key: ObjectKey, small: Int) throws(Failure) -> BatchEntry {
        guard let object = try folder.openObject(key) else { return .absent }
        guard object.size <= Int64(small) else { return .large(object) }
        return .bytes(try object.readNow(from: 0, count: Int(object.size)))
    }

    /// Whether each key is present, in the order of the keys.
    ///
    /// - Throws: `Failure`: `away`, `io`, `corrupt` when a symlink is in the way.
    package func has(_ keys: [ObjectKey]) async throws -> [Bool] {
        try await offload { try keys.map { key throws(Failure) in try isPresent(key) } }
    }

    private func isPresent(_ key: ObjectKey) throws(Failure) -> Bool {
        guard let parent = try folder.openFolder(key.folders, for: key.description) else {
            return false
        }
        return try reported("examine the object", key.description) { () throws(SystemError) in
            try parent.record(of: key.name.utf8)?.isRegularFile ?? false
        }
    }
}

extension RemoteAddress {
    /// Creates the folder of a store, if the address is a folder's and its parent exists.
    ///
    /// Only for a replica that has not used its store yet: if the folder of a known store is missing, its
    /// disk is most likely not mounted. If the folder cannot be created, opening the store reports it as
    /// missing.
    package func makeFolder() {
        if case .folder(let path) = self { mkdir(path, 0o777) }
    }
}
