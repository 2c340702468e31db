import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The synced local folder, kept open.
///
/// Every path is resolved beneath the open folder without following symlinks, so that nothing
/// outside is read or written even if the tree changes meanwhile (openat2(2) with `RESOLVE_BENEATH
/// | RESOLVE_NO_SYMLINKS`). A path through a symlink is rejected with code
/// ``FilesinkiModel/Failure/Code/badPath``. All methods may be called from several threads.
package final class RootFolder: Sendable {
    /// The path that the folder was opened by.
    package let path: String
    /// Opened with `O_PATH`. It remains the same folder when the path is moved or mounted over.
    let descriptor: FileHandle
    /// Reads and replaces live files; nil treats all files as plain files.
    let live: (any LiveFiles)?
    /// Whether the configuration of another replica names the store of this root; nil if nobody knows.
    let sharesStore: (@Sendable (_ configuration: [UInt8]) -> Bool)?
    let spellings = Spellings()

    /// Opens the folder.
    ///
    /// - Parameters:
    ///   - live: Reads and replaces live files.
    ///   - sharesStore: Whether the configuration of another replica names the store of this root.
    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/notFound`` when the folder
    ///   does not exist.
    package init(
        path: String, live: (any LiveFiles)? = nil,
        sharesStore: (@Sendable (_ configuration: [UInt8]) -> Bool)? = nil
    ) throws(Failure) {
        do { descriptor = try FileHandle(path, fsk_path_only | O_DIRECTORY) } catch {
            guard error.isMissing else { throw error.failure("open the root", path, of: .local) }
            throw Failure(
                .notFound, path: path, "The root is missing or is not a folder.",
                remedy: "Mount it or create it; nothing was treated as deleted.", cause: error)
        }
        self.path = path
        self.live = live
        self.sharesStore = sharesStore
    }

    /// The status of a path, without following a symlink; nil when it is absent, or listed under
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

    /// The status of a path; nil also where a symlink has taken the place of a folder above it.
    package func statusIfThere(_ path: RelativePath) throws(Failure) -> FileStatus? {
        do { return try status(path) } catch {
            if error.code == .badPath { return nil }
            throw error
        }
    }

    /// Whether something is at the path. Nothing is where a symlink has taken the place of a folder above it.
    package func holds(_ path: RelativePath) throws(Failure) -> Bool {
        try statusIfThere(path) != nil
    }

    /// The status of the root.
    package func status() throws(Failure) -> FileStatus {
        do { return try descriptor.status() } catch {
            throw error.failure("examine the root", path, of: .local)
        }
    }

    /// The target of a symlink.
    package func readLink(_ path: RelativePath) throws(Failure) -> [UInt8] {
        guard let link = FileHandle(openBeneath(path, fsk_path_only | O_NOFOLLOW)) else {
            throw SystemError.last.failure(opening: path)
        }
        do { return try FilesinkiFileSystem.readLink(link.raw, "") } catch {
            throw error.failure("read the symlink", path)
        }
    }

    /// Whether the root contains nothing but the replica's state: its disk is not mounted, or the
    /// folder was emptied.
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

    /// Opens a path beneath the root; -1 and `errno` on failure.
    func openBeneath(_ path: RelativePath, _ flags: Int32) -> Int32 {
        path.bytes.withCString { fsk_open_beneath(descriptor.raw, $0, flags, 0) }
    }

    /// Opens the root again, for example to read its names; -1 and `errno` on failure.
    func openItself(_ flags: Int32) -> Int32 { fsk_open_beneath(descriptor.raw, ".", flags, 0) }

    /// Opens the parent folder of a path, for `*at` calls on its name.
    ///
    /// - Throws: Code ``FilesinkiModel/Failure/Code/exists`` when a folder on the path is listed
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
    /// Opens the parent folder of a path; nil when it does not exist.
    func openParentIfThere(of path: RelativePath) throws(Failure) -> OpenFile? {
        do throws(Failure) { return OpenFile(try openParent(of: path)) } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }
}

/// The target of a symlink; with an empty name, of the symlink that `folder` is.
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

/// The file `.filesinki/root`, which contains the replica's id. A root without it is not the known
/// one, for example the empty folder under a mount point, so nothing missing counts as deleted.
package struct RootMarker: Sendable {
    package enum Diagnosis: Hashable, Sendable {
        /// The marker contains the replica's id.
        case ok
        /// There is no marker.
        case missing
        /// The marker belongs to another replica, or is invalid.
        case other
    }

    private static let name = Array("root".utf8)
    private let root: RootFolder

    package init(root: RootFolder) { self.root = root }

    /// Checks whether the root belongs to the replica.
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

    /// Marks the root as the replica's, durably. Creates `.filesinki` (0700) if missing.
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
