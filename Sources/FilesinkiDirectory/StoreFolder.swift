import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc
import Synchronization

/// The folder that contains a store, and the way from it to a key: name by name, through no symlink.
final class StoreFolder: Sendable {
    let path: String
    /// Device and inode of the folder as first seen: see ``open()``.
    private let identity = Mutex<FileStamp?>(nil)

    /// How often an operation is repeated because another process removed a folder that it needs.
    ///
    /// A busy machine can interrupt it at the same point each time: eight tries were too few for one of
    /// some thousand writes beside a process that removes the folders without a pause.
    static let maximumTries = 100

    init(path: String) { self.path = path }

    /// Opens the folder itself, anew for each operation, so that the disk can be unmounted in between.
    ///
    /// Fails if it is not the folder of the first operation: the mount point of an unmounted disk is an
    /// empty folder, and must not be read or filled as an empty store.
    ///
    /// - Throws: `Failure` with code `away` when the folder is missing or another one, and `not-allowed`
    ///   when it may not be entered.
    func open() throws(Failure) -> FileHandle {
        let folder: FileHandle
        do { folder = try FileHandle(path, O_RDONLY | O_DIRECTORY) } catch {
            if error.number == ENOTDIR, access(path, F_OK) == 0 {
                throw unreachable("was not found: a file is in its place")
            }
            if error.isMissing { throw unreachable("was not found (unmounted?)") }
            throw error.failure("open the folder of the store", inStore: path)
        }
        let seen: FileStamp
        do { seen = try folder.stamp() } catch {
            throw error.failure("examine the folder of the store", inStore: path)
        }
        let isSame = identity.withLock { known in
            let first = known ?? seen
            known = first
            return first.isSameInode(as: seen)
        }
        guard isSame else {
            throw unreachable("is another one than before (unmounted or replaced?)")
        }
        return folder
    }

    private func unreachable(_ reason: String) -> Failure {
        Failure(
            .away, path: path, "The folder of the store \(reason).",
            remedy:
                "Mount the disk or share that contains it, or set its new address with filesinki remote set URL. "
                + Failure.lostStoreRemedy
        )
    }

    /// Opens a subfolder; nil when it or one of its parents is missing or a file.
    ///
    /// - Parameter key: The key for messages.
    func openFolder(_ names: ArraySlice<String>, for key: String) throws(Failure) -> FileHandle? {
        var folder = try open()
        for name in names {
            do { folder = try folder.open(name, O_RDONLY | O_DIRECTORY) } catch {
                try throwUnlessAbsent(error, name, in: folder, key)
                return nil
            }
        }
        return folder
    }

    /// The state of a subfolder; nil when it does not exist.
    func stamp(ofFolder prefix: String) throws(Failure) -> FolderStamp? {
        let names = prefix.split(separator: "/").map(String.init)
        guard let folder = try openFolder(names[...], for: prefix) else { return nil }
        return try reported("examine the folder", prefix) { () throws(SystemError) in
            let record = try folder.record()
            return FolderStamp(FileStamp(record), links: UInt64(record.st_nlink))
        }
    }

    /// Opens a subfolder, and creates it and its parents if they are missing.
    func createFolder(_ names: ArraySlice<String>, for key: String) throws(Failure) -> FileHandle {
        for _ in 0..<Self.maximumTries {
            if let folder = try createFolders(names, key) { return folder }
        }
        // A file system such as /proc refuses a new folder as if the one above were gone.
        if try !open().isRemoved {
            throw SystemError(ENOENT).failure("create a folder in the store", inStore: key)
        }
        throw .folderRemoved(key)
    }

    /// Nil when another process has removed one of the folders meanwhile.
    private func createFolders(
        _ names: ArraySlice<String>, _ key: String
    ) throws(Failure) -> FileHandle? {
        var folder = try open()
        for name in names {
            guard let next = try createFolder(name, in: folder, key) else { return nil }
            folder = next
        }
        return folder
    }

    private func createFolder(
        _ name: String, in folder: borrowing FileHandle, _ key: String
    ) throws(Failure) -> FileHandle? {
        for _ in 0..<Self.maximumTries {
            do { return try folder.open(name, O_RDONLY | O_DIRECTORY) } catch {
                try throwUnlessAbsent(error, name, in: folder, key)
            }
            if mkdirat(folder.raw, name, 0o777) == 0 {
                try Self.sync(folder, key)
                continue
            }
            let error = SystemError.last
            switch error.number {
            case EEXIST:
                if folder.status(of: name)?.isFolder == false { throw notARegularFile(key) }
            case ENOENT: return nil
            default: throw error.failure("create a folder in the store", inStore: key)
            }
        }
        return nil
    }

    /// Makes the names in a folder of the store durable.
    static func sync(_ folder: borrowing FileHandle, _ key: String) throws(Failure) {
        do { try folder.syncFolder() } catch {
            throw error.failure("sync the folder", inStore: key)
        }
    }

    /// Opens an object; nil when it is absent.
    ///
    /// - Throws: `Failure`: `corrupt` when something else than a file has its name, `away`, `io`.
    func openObject(_ key: ObjectKey) throws(Failure) -> StoredObject? {
        let path = key.description
        guard let parent = try openFolder(key.folders, for: path) else { return nil }
        do throws(SystemError) {
            // Without O_NONBLOCK, opening a named pipe would block forever.
            let file = try parent.open(key.name, O_RDONLY | O_NONBLOCK)
            let status = try file.record()
            if status.isFolder { return nil }
            if status.isRegularFile { return StoredObject(file, status, path: path) }
        } catch {
            try throwUnlessAbsent(error, key.name, in: parent, path)
            return nil
        }
        throw notARegularFile(path)
    }

    /// The object's bytes, or those of `range` clamped to its size; nil when it is absent.
    func readObject(_ key: ObjectKey, range: Range<Int64>? = nil) throws(Failure) -> [UInt8]? {
        guard let object = try openObject(key) else { return nil }
        let whole = 0..<object.size
        let wanted = (range ?? whole).clamped(to: whole)
        guard Int64(wanted.count) <= ObjectKey.maximumObjectSize else {
            throw .objectTooLarge(key.description)
        }
        return try object.readNow(from: wanted.lowerBound, count: wanted.count)
    }

    /// Returns if `error` means that there is no file or folder of the wanted kind at `name`.
    private func throwUnlessAbsent(
        _ error: SystemError, _ name: String, in folder: borrowing FileHandle, _ key: String
    ) throws(Failure) {
        switch error.number {
        case ENOENT: return
        case ENXIO: throw notARegularFile(key)
        case ENOTDIR, ELOOP:
            if folder.status(of: name)?.isSymlink == true {
                throw SystemError(ELOOP).failure("", inStore: key)
            }
        default: throw error.failure("read the store", inStore: key)
        }
    }
}

/// A name in a folder of the store, with its kind.
struct FolderEntry {
    var name: String
    var isFolder: Bool
    var isFile: Bool
}

/// The names in a folder that are UTF-8, as all names of a store are; in no order.
///
/// - Parameter isWanted: Leaves names out before anything is asked about them.
/// - Throws: `Failure` when the folder cannot be read to its end; a partial result is never returned.
func entries(
    of folder: borrowing FileHandle, _ path: String,
    where isWanted: (ArraySlice<UInt8>) -> Bool = { _ in true }
) throws(Failure) -> [FolderEntry] {
    var found: [FolderEntry] = []
    try forEachEntry(of: folder, path, where: isWanted) { found.append($0) }
    return found
}

/// Calls `body` with what ``entries(of:_:where:)`` returns, one after the other: of a folder with very many names only these
/// are in memory.
func forEachEntry(
    of folder: borrowing FileHandle, _ path: String,
    where isWanted: (ArraySlice<UInt8>) -> Bool, _ body: (FolderEntry) -> Void
) throws(Failure) {
    let listing: FolderListing
    do throws(SystemError) {
        listing = try FolderListing(try folder.open(".", O_RDONLY | O_DIRECTORY))
    } catch {
        if error.number == ENOENT { return }
        throw error.failure("read the folder", inStore: path)
    }
    for entry in listing.entries {
        let bytes = listing.name(entry)
        guard isWanted(bytes), let name = String(validating: bytes, as: UTF8.self) else { continue }
        body(
            FolderEntry(
                name: name, isFolder: listing.isFolder(entry, in: folder),
                isFile: listing.isRegularFile(entry, in: folder)))
    }
}

/// Calls `body`, and turns its ``FilesinkiSystem/SystemError`` into the failure for a file of a store.
///
/// - Parameters:
///   - action: What was tried, as it follows "Cannot".
///   - path: The key or the folder for the message.
func reported<Result: ~Copyable>(
    _ action: String, _ path: String, _ body: () throws(SystemError) -> Result
) throws(Failure) -> Result {
    try SystemError.reported(action, path.utf8, of: .store, body)
}

extension SystemError {
    func failure(_ action: String, inStore path: String) -> Failure {
        failure(action, path, of: .store)
    }
}

/// Something else than a file or a folder has the name of a key.
func notARegularFile(_ path: String) -> Failure { SystemError(EISDIR).failure("", inStore: path) }

extension FileHandle {
    /// Whether the folder has no name any more.
    var isRemoved: Bool { (try? record().st_nlink) == 0 }

    /// Opens a name in this folder, never through a symlink.
    func open(
        _ name: String, _ flags: Int32, mode: mode_t = 0
    ) throws(SystemError) -> FileHandle { try open(name.utf8, flags, mode: mode) }

    /// The status of a name in this folder, of a symlink itself; nil if it is absent or cannot be read.
    func status(of name: String) -> stat? { try? record(of: name.utf8) }
}
