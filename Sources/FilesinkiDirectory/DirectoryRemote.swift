package import FilesinkiModel
package import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// A remote that is a folder: on a disk, a stick, or a share that several machines mount.
///
/// Keys are files below the folder, made with the permissions that the umask leaves, so that a group
/// can share it. What is not finished has a name that begins with a dot and is never listed. No
/// symlink inside the folder is followed.
///
/// A slot `a/b/c` is the folder `a/b` with the one member `c`. It is staged as a folder beside its
/// place and moved there by rename(2), which cannot replace a folder that holds something. An *empty*
/// folder at the place counts as absent: rename(2) replaces it.
package struct DirectoryRemote: LocalRemote {
    let folder: StoreFolder
    private let notices = DirectoryNotices()

    /// The largest object that ``get(_:range:)`` returns at once, in bytes: more is nothing that the
    /// store wrote, and would only fill the memory.
    package static let maximumObjectSize: Int64 = 1 << 30

    /// - Parameter path: Where the folder is; it need not be there yet. A symlink is followed here.
    package init(path: String) {
        folder = StoreFolder(path: path)
    }

    /// Makes the folder, and those above it that are missing.
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
                .exists, path: path, "A file is where the folder of the store should be.",
                remedy: "Choose another folder, or move the file away.")
        }
        return DirectoryRemote(path: path)
    }

    package var address: String { folder.path }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await offload { try read(key, range: range) }
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await offload { try fill(slot, with: bytes) }
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await offload { try store(bytes, at: key) }
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await offload {
            var listing = DirectoryListing(prefix: prefix, after: after, limit: limit)
            return try listing.run(in: folder)
        }
    }

    package func delete(_ key: ObjectKey) async throws {
        try await offload { try remove(key) }
    }

    package func wait(prefix: String, timeout: Duration) async throws {
        try await notices.wait(folder, prefix: prefix, timeout: timeout)
    }
}

extension DirectoryRemote {
    /// The object's bytes; nil when it is known to be absent.
    func read(_ key: ObjectKey, range: Range<Int64>? = nil) throws(Failure) -> [UInt8]? {
        guard let object = try openNow(key) else { return nil }
        let whole = 0..<object.size
        let wanted = (range ?? whole).clamped(to: whole)
        guard Int64(wanted.count) <= Self.maximumObjectSize else {
            throw Failure(
                .limit, path: key.description,
                "The object is larger than any that the store writes.",
                remedy: "The store may be damaged; run filesinki check.")
        }
        return try object.readNow(from: wanted.lowerBound, count: wanted.count)
    }

    /// Stages the bytes beside their place and moves them there, replacing equal or damaged ones.
    func store(_ bytes: [UInt8], at key: ObjectKey) throws(Failure) {
        let path = key.description
        for _ in 0..<8 {
            let parent = try folder.make(key.folders, path)
            let staged = Array(temporaryName().utf8)
            do throws(SystemError) {
                return try DurableFile.replace(
                    key.name.utf8, in: parent.raw, staged: staged, with: bytes, mode: 0o666)
            } catch {
                // Somebody's deletion took the emptied folder away: make it again.
                if error.number == ENOENT || error.number == EEXIST { continue }
                throw error.failure("write a file in the store", inStore: path)
            }
        }
        throw folder.vanished(path)
    }

    /// Removes the object, and the folders that this leaves empty.
    func remove(_ key: ObjectKey) throws(Failure) {
        let path = key.description
        var folders = key.folders
        guard let parent = try folder.descend(folders, path) else { return }
        if unlinkat(parent.raw, key.name, 0) != 0 {
            let error = errno
            // Of a folder there are only the members to delete.
            let isAbsent =
                error == ENOENT || error == EISDIR
                || (error == EPERM && parent.status(of: key.name)?.isFolder == true)
            guard isAbsent else {
                throw SystemError(error).failure("delete the file", inStore: path)
            }
        }
        while let name = folders.popLast() {
            guard let parent = try folder.descend(folders, path),
                unlinkat(parent.raw, name, AT_REMOVEDIR) == 0
            else { return }
        }
    }
}
