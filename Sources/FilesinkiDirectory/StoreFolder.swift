import FilesinkiModel
import FilesinkiRemote
import Glibc
import Synchronization

/// The folder that holds a store, and the way from it to a key: name by name, through no symlink.
final class StoreFolder: Sendable {
    let path: String
    /// Device and inode of the folder as first seen: see ``open()``.
    private let identity = Mutex<(device: UInt64, inode: UInt64)?>(nil)

    init(path: String) { self.path = path }

    /// Opens the folder itself, anew for each operation, so that no disk is held.
    ///
    /// A folder that is not the one of the first operation is refused: when a disk goes, its mount
    /// point stays as an empty folder, which must not be read or filled as an empty store.
    ///
    /// - Throws: `Failure` with code `away` when the folder is not there or is another one, and
    ///   `not-allowed` when it may not be entered.
    func open() throws(Failure) -> Descriptor {
        let number = unlessInterrupted { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard number >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { throw away("is not there (unmounted?)") }
            throw failure(errno, "The folder of the store could not be opened", path)
        }
        let folder = Descriptor(number)
        let status = try folder.status(path)
        let seen = (device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        let isSame = identity.withLock { known in
            let first = known ?? seen
            known = first
            return first == seen
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
    func descend(_ names: ArraySlice<String>, _ key: String) throws(Failure) -> Descriptor? {
        var folder = try open()
        for name in names {
            guard let next = folder.open(name, O_RDONLY | O_DIRECTORY) else {
                try refuseUnlessAbsent(errno, name, in: folder, key)
                return nil
            }
            folder = next
        }
        return folder
    }

    /// Opens a folder below, and makes those on the way that are missing.
    func make(_ names: ArraySlice<String>, _ key: String) throws(Failure) -> Descriptor {
        var folder = try open()
        for name in names { folder = try makeOne(name, in: folder, key) }
        return folder
    }

    private func makeOne(
        _ name: String, in folder: borrowing Descriptor, _ key: String
    ) throws(Failure) -> Descriptor {
        // A deletion may take the emptied folder away at any moment, but not for ever.
        for _ in 0..<8 {
            if let next = folder.open(name, O_RDONLY | O_DIRECTORY) { return next }
            try refuseUnlessAbsent(errno, name, in: folder, key)
            if mkdirat(folder.number, name, 0o777) == 0 {
                try folder.syncFolder(key)
            } else if errno == EEXIST {
                if folder.status(of: name)?.isFolder == false { throw strangeFailure(key) }
            } else if errno == ENOENT {
                throw vanished(key)
            } else {
                throw failure(errno, "Cannot create a folder in the store", key)
            }
        }
        throw vanished(key)
    }

    /// Two who make and remove one folder met too often.
    func vanished(_ key: String) -> Failure {
        Failure(
            .busy, path: key, "A folder of the store was removed while it was filled.",
            remedy: "Run again when no other device prunes the store.")
    }

    /// Passes when `error` says that there is nothing of the wanted kind at `name`.
    func refuseUnlessAbsent(
        _ error: Int32, _ name: String, in folder: borrowing Descriptor, _ key: String
    ) throws(Failure) {
        switch error {
        case ENOENT: return
        case ENXIO: throw strangeFailure(key)
        case ENOTDIR, ELOOP:
            if folder.status(of: name)?.isSymlink == true { throw symlinkFailure(key) }
        default: throw failure(error, "The store could not be read", key)
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
