import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The local folder that is kept in step, held open.
///
/// Everything is reached beneath the open folder and without following a symlink, so that nothing
/// outside is ever read or written, whatever the tree becomes meanwhile (openat2(2) with
/// `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS`). A path that leads through a symlink is refused with
/// code ``FilesinkiModel/Failure/Code/badPath``. All methods may be called from several threads.
package final class RootFolder: Sendable {
    /// The path that the folder was opened by.
    package let path: String
    /// Opened with `O_PATH`: it stays the same folder when the path is moved or mounted over.
    let descriptor: FileHandle
    /// Who reads and replaces files that programs hold open; nil to take all files as they lie.
    let live: (any LiveFiles)?
    let spellings = Spellings()

    /// Opens the folder.
    ///
    /// - Parameter live: Who reads and replaces files that programs hold open.
    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/notFound`` when there is none.
    package init(path: String, live: (any LiveFiles)? = nil) throws(Failure) {
        do { descriptor = try FileHandle(path, fsk_path_only | O_DIRECTORY) } catch {
            guard error.isMissing else { throw error.failure("open the root", path, of: .local) }
            throw Failure(
                .notFound, path: path, "The root is missing or is not a folder.",
                remedy: "Mount it or create it; nothing was treated as deleted.", cause: error)
        }
        self.path = path
        self.live = live
    }

    /// What is at the path, of a symlink itself; nil when nothing is there, or when it is listed under
    /// another spelling, see ``twin(of:)``.
    package func status(_ path: RelativePath) throws(Failure) -> FileStatus? {
        guard let file = FileHandle(openBeneath(path, fsk_path_only | O_NOFOLLOW)) else {
            let error = SystemError.last
            guard error.number == ENOENT || error.number == ENOTDIR else {
                throw error.failure(opening: path)
            }
            return nil
        }
        guard try twin(of: path) == nil else { return nil }
        do { return try file.status() } catch { throw error.failure("examine it", path) }
    }

    /// What the root itself is.
    package func status() throws(Failure) -> FileStatus {
        do { return try descriptor.status() } catch {
            throw error.failure("examine the root", path, of: .local)
        }
    }

    /// What the symlink points at.
    package func readLink(_ path: RelativePath) throws(Failure) -> [UInt8] {
        guard let link = FileHandle(openBeneath(path, fsk_path_only | O_NOFOLLOW)) else {
            throw SystemError.last.failure(opening: path)
        }
        do { return try FilesinkiFileSystem.readLink(link.raw, "") } catch {
            throw error.failure("read the symlink", path)
        }
    }

    /// Whether the root holds nothing but the replica's own state: a disk that is not mounted, or
    /// a folder that somebody emptied.
    package func isEmpty() throws(Failure) -> Bool {
        let flags = O_RDONLY | O_DIRECTORY
        guard let folder = FileHandle(openItself(flags)) else {
            throw SystemError.last.failure("open the root", path, of: .local)
        }
        do {
            let listing = try FolderListing(folder)
            return listing.entries.allSatisfy { entry in
                listing.name(entry).elementsEqual(RelativePath.stateFolder.utf8)
            }
        } catch { throw error.failure("read the root", path, of: .local) }
    }

    /// Opens a path beneath the root; -1 and `errno` when that fails.
    func openBeneath(_ path: RelativePath, _ flags: Int32) -> Int32 {
        path.bytes.withCString { fsk_open_beneath(descriptor.raw, $0, flags, 0) }
    }

    /// Opens the root anew, as for reading its names; -1 and `errno` when that fails.
    func openItself(_ flags: Int32) -> Int32 { fsk_open_beneath(descriptor.raw, ".", flags, 0) }

    /// Opens the folder that holds the path, for `*at` calls on the path's last name.
    ///
    /// - Throws: Code ``FilesinkiModel/Failure/Code/exists`` when a folder above the path is listed
    ///   under another spelling.
    func openParent(of path: RelativePath) throws(Failure) -> FileHandle {
        try checkSpelling(above: path)
        let flags = fsk_path_only | O_DIRECTORY
        let raw =
            if let parent = path.parent { openBeneath(parent, flags) } else { openItself(flags) }
        guard let folder = FileHandle(raw) else {
            throw SystemError.last.failure(opening: path, "open its folder")
        }
        return folder
    }
}

extension RootFolder {
    /// Opens the folder that holds the path; nil when there is no such folder.
    func openParentIfThere(of path: RelativePath) throws(Failure) -> OpenFile? {
        do throws(Failure) { return OpenFile(try openParent(of: path)) } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }
}

/// What a symlink points at; with an empty name the symlink that `folder` is itself.
func readLink(_ folder: Int32, _ name: UnsafePointer<CChar>) throws(SystemError) -> [UInt8] {
    var target = [UInt8](repeating: 0, count: 4096)
    let count = target.withUnsafeMutableBytes { buffer in
        guard let base = buffer.assumingMemoryBound(to: CChar.self).baseAddress else { return -1 }
        return readlinkat(folder, name, base, buffer.count)
    }
    guard count >= 0 else { throw .last }
    target.removeLast(target.count - count)
    return target
}

/// The file `.filesinki/root` in a root, which holds the replica's id: without it a root is not
/// what it was, such as the empty folder over which a disk is mounted, and nothing missing in it
/// counts as deleted.
package struct RootMarker: Sendable {
    package enum Diagnosis: Hashable, Sendable {
        /// The marker holds the replica's id.
        case ok
        /// There is no marker.
        case missing
        /// The marker is that of another replica, or not understood.
        case other
    }

    private static let name = Array("root".utf8)
    private let root: RootFolder

    package init(root: RootFolder) { self.root = root }

    /// Looks whether the root is that of the replica.
    ///
    /// - Parameter replica: The replica's id, 16 bytes.
    package func check(_ replica: [UInt8]) throws(Failure) -> Diagnosis {
        let file = "\(RelativePath.stateFolder)/root"
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
        guard let marker = FileHandle(fsk_open_beneath(root.descriptor.raw, file, flags, 0)) else {
            let error = SystemError.last
            if error.number == ENOENT || error.number == ENOTDIR { return .missing }
            throw error.failure("open the root's marker", file, of: .local)
        }
        do {
            let bytes = try marker.readAll(expecting: 256)
            return bytes == Self.content(replica) ? .ok : .other
        } catch { throw error.failure("read the root's marker", file, of: .local) }
    }

    /// Marks the root as the replica's, durably; makes `.filesinki` (0700) when it is missing.
    package func write(_ replica: [UInt8]) throws(Failure) {
        let state = Array(RelativePath.stateFolder.utf8)
        if mkdirat(root.descriptor.raw, RelativePath.stateFolder, 0o700) != 0, errno != EEXIST {
            throw SystemError.last.failure("create the state folder", state, of: .local)
        }
        let flags = O_RDONLY | O_DIRECTORY
        let raw = fsk_open_beneath(root.descriptor.raw, RelativePath.stateFolder, flags, 0)
        guard let folder = FileHandle(raw) else {
            throw SystemError.last.failure("open the state folder", state, of: .local)
        }
        do throws(SystemError) {
            try DurableFile.replace(
                Self.name, in: folder.raw, with: Self.content(replica))
        } catch {
            throw error.failure("mark the root", state, of: .local)
        }
    }

    private static func content(_ replica: [UInt8]) -> [UInt8] {
        Array("\(hexadecimal(replica))\n".utf8)
    }
}
