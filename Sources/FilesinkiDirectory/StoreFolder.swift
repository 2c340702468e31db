import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc
import Synchronization

/// The folder that holds a store, and the way from it to a key: name by name, through no symlink.
final class StoreFolder: Sendable {
    let path: String
    /// Device and inode of the folder as first seen: see ``open()``.
    private let identity = Mutex<FileStamp?>(nil)

    init(path: String) { self.path = path }

    /// Opens the folder itself, anew for each operation, so that no disk is held.
    ///
    /// A folder that is not the one of the first operation is refused: when a disk goes, its mount
    /// point stays as an empty folder, which must not be read or filled as an empty store.
    ///
    /// - Throws: `Failure` with code `away` when the folder is not there or is another one, and
    ///   `not-allowed` when it may not be entered.
    func open() throws(Failure) -> FileHandle {
        let folder: FileHandle
        do { folder = try FileHandle(path, O_RDONLY | O_DIRECTORY) } catch {
            if error.isMissing { throw away("is not there (unmounted?)") }
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
        guard isSame else { throw away("is not the one it was (unmounted or replaced?)") }
        return folder
    }

    private func away(_ what: String) -> Failure {
        Failure(
            .away, path: path, "The folder of the store \(what).",
            remedy: "Mount the disk or the share that holds it, or correct the remote's address.")
    }

    /// Opens a folder below; nil when it, or one on the way, is absent or a file.
    func descend(_ names: ArraySlice<String>, _ key: String) throws(Failure) -> FileHandle? {
        var folder = try open()
        for name in names {
            do { folder = try folder.open(name, O_RDONLY | O_DIRECTORY) } catch {
                try refuseUnlessAbsent(error, name, in: folder, key)
                return nil
            }
        }
        return folder
    }

    /// Opens a folder below, and makes those on the way that are missing.
    func make(_ names: ArraySlice<String>, _ key: String) throws(Failure) -> FileHandle {
        var folder = try open()
        for name in names { folder = try makeOne(name, in: folder, key) }
        return folder
    }

    private func makeOne(
        _ name: String, in folder: borrowing FileHandle, _ key: String
    ) throws(Failure) -> FileHandle {
        // A deletion may take the emptied folder away at any moment, but not for ever.
        for _ in 0..<8 {
            do { return try folder.open(name, O_RDONLY | O_DIRECTORY) } catch {
                try refuseUnlessAbsent(error, name, in: folder, key)
            }
            if mkdirat(folder.raw, name, 0o777) == 0 {
                try Self.sync(folder, key)
                continue
            }
            let error = SystemError.last
            switch error.number {
            case EEXIST:
                if folder.status(of: name)?.isFolder == false { throw strangeFailure(key) }
            case ENOENT: throw vanished(key)
            default: throw error.failure("create a folder in the store", inStore: key)
            }
        }
        throw vanished(key)
    }

    /// Waits until the disk holds the names in a folder of the store.
    static func sync(_ folder: borrowing FileHandle, _ key: String) throws(Failure) {
        do { try folder.syncFolder() } catch {
            throw error.failure("sync the folder", inStore: key)
        }
    }

    /// Two who make and remove one folder met too often.
    func vanished(_ key: String) -> Failure {
        Failure(
            .busy, path: key, "A folder of the store was removed while it was filled.",
            remedy: "Run again when no other device prunes the store.")
    }

    /// Passes when `error` says that there is nothing of the wanted kind at `name`.
    func refuseUnlessAbsent(
        _ error: SystemError, _ name: String, in folder: borrowing FileHandle, _ key: String
    ) throws(Failure) {
        switch error.number {
        case ENOENT: return
        case ENXIO: throw strangeFailure(key)
        case ENOTDIR, ELOOP:
            if folder.status(of: name)?.isSymlink == true { throw symlinkFailure(key) }
        default: throw error.failure("read the store", inStore: key)
        }
    }
}

extension ObjectKey {
    /// The names of the folders on the way to the object.
    var folders: ArraySlice<String> { names.dropLast() }

    /// The object's own name.
    var name: String { names.last ?? description }

    private var names: [String] { description.split(separator: "/").map(String.init) }
}

/// A name for what is not finished. It begins with a dot, which no key does, and so is never listed.
func temporaryName() -> String {
    // Chance only keeps two writers apart here: the name is gone before anybody could depend on it.
    var name = String(UInt64.random(in: 0...UInt64.max), radix: 16)
    name = String(repeating: "0", count: 16 - name.count) + name
    return ".t-" + name
}

/// Whether `name` is one that ``temporaryName()`` gives.
func isTemporary(_ name: String) -> Bool {
    name.utf8.count == 19 && name.hasPrefix(".t-")
        && bytes(hexadecimal: name.dropFirst(3)) != nil
}
