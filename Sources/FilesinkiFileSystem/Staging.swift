import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// The folder in which files are prepared before they are installed in the tree, and into which
/// replaced files are moved. It is on the same file system as the root.
///
/// *A kill at any point loses no user's save.* At every moment each file in this folder is either
/// - a prepared file that is not in the tree yet, which may be removed; or
/// - a file that was moved out of the tree, with an ``Intent`` beside it. The intent was written
///   before the move. It contains the path, the replacement and what the plan expected there.
///
/// ``recover()`` reads the intents of a killed run and restores every file that is neither a
/// prepared one nor what the plan meant to replace.
package final class Staging: Sendable {
    let root: RootFolder
    /// Opened with `O_PATH`.
    let folder: FileHandle
    private let path: String
    private let process = getpid()
    /// Distinguishes our names from those of other values and of earlier processes with the same
    /// id.
    private let token = hexadecimal((0..<4).map { _ in UInt8.random(in: 0...255) })
    private let counter = Atomic<UInt64>(0)
    let calls: NameCalls
    /// Whether the file system lacks RENAME_EXCHANGE or RENAME_NOREPLACE.
    let lacksExchange = Atomic<Bool>(false)
    let lacksFreeRename = Atomic<Bool>(false)

    /// Opens the folder. Creates it (0700) if missing.
    ///
    /// - Parameter folder: The absolute path. Its parent must exist.
    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/usage`` when it is on a
    ///   different file system than the root.
    package convenience init(root: RootFolder, folder path: String) throws(Failure) {
        try self.init(root: root, folder: path, calls: NameCalls())
    }

    /// - Parameter calls: The system calls for renames; tests replace them.
    init(root: RootFolder, folder path: String, calls: NameCalls) throws(Failure) {
        self.calls = calls
        let bytes = Array(path.utf8)
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw SystemError.last.failure("create the staging folder", bytes, of: .local)
        }
        let folder: FileHandle
        do { folder = try FileHandle(path, fsk_path_only | O_DIRECTORY | O_NOFOLLOW) } catch {
            throw error.failure("open the staging folder", bytes, of: .local)
        }
        let device: UInt64
        do { device = try folder.stamp().device } catch {
            throw error.failure("examine the staging folder", bytes, of: .local)
        }
        guard try device == root.status().stamp.device else {
            throw Failure(
                .usage, path: bytes, "The staging folder is on another file system than the root.",
                remedy: "Choose a state folder on the root's file system.")
        }
        self.root = root
        self.folder = folder
        self.path = path
    }

    /// Creates an empty staged file.
    ///
    /// - Parameter mode: The permission bits until ``StagedFile/finish(mode:modified:sync:)``.
    package func makeFile(mode: UInt16 = 0o600) throws(Failure) -> StagedFile {
        while true {
            let name = nextName()
            do {
                let file = try folder.open(
                    name, O_WRONLY | O_CREAT | O_EXCL, mode: mode_t(mode & 0o777))
                return StagedFile(name: name, staging: self, file: OpenFile(file))
            } catch {
                guard error.number == EEXIST else { throw failure(error, "create a file") }
            }
        }
    }

    /// Links a file that was prepared elsewhere on the same file system. The original stays.
    ///
    /// Copies it if the file system has no hard links.
    package func adopt(_ path: String) throws(Failure) -> StagedFile {
        while true {
            let name = nextName()
            let isFree: Bool?
            do { isFree = try link(AT_FDCWD, Array(path.utf8), folder.raw, name) } catch {
                throw failure(error, "link a file")
            }
            guard let isFree else { return try copy(path) }
            if !isFree { continue }
            let file: FileHandle
            do { file = try FileHandle(path, O_RDONLY | O_NOFOLLOW) } catch {
                throw failure(error, "open a linked file")
            }
            return try StagedFile(name: name, staging: self, adopting: file)
        }
    }

    private func copy(_ path: String) throws(Failure) -> StagedFile {
        let copy = try makeFile()
        do {
            let file = try FileHandle(path, O_RDONLY | O_NOFOLLOW)
            _ = try file.forEachPiece(capacity: 1 << 20) { try copy.write($0) }
        } catch let failure as Failure {
            throw failure
        } catch { throw failure(error as? SystemError ?? SystemError(EIO), "copy a file") }
        return copy
    }

    /// Creates a staged symlink.
    func makeSymlink(to target: [UInt8], modified: Timestamp) throws(Failure) -> StagedFile {
        while true {
            let name = nextName()
            let made = target.withCString { target in
                name.withCString { symlinkat(target, folder.raw, $0) }
            }
            if made == 0 { return try finishSymlink(name, modified) }
            guard errno == EEXIST else { throw failure(.last, "create a symlink") }
        }
    }

    private func finishSymlink(_ name: [UInt8], _ modified: Timestamp) throws(Failure) -> StagedFile
    {
        let times = [timespec(tv_sec: 0, tv_nsec: Int(fsk_time_omit)), modified.timespec]
        let staged = StagedFile(name: name, staging: self, file: nil)
        guard name.withCString({ utimensat(folder.raw, $0, times, AT_SYMLINK_NOFOLLOW) }) == 0
        else {
            throw failure(.last, "set a symlink's time")
        }
        do { staged.setStatus(try folder.status(of: name)) } catch {
            throw failure(error, "examine a symlink")
        }
        return staged
    }

    /// A unique name, also across processes. It starts with the process id, by which
    /// ``clearDead()`` finds the owner.
    func nextName() -> [UInt8] {
        let number = counter.add(1, ordering: .relaxed).newValue
        return Array("\(process)-\(token)-\(number)".utf8)
    }

    func failure(_ error: SystemError, _ doing: String) -> Failure {
        error.failure("\(doing) in the staging folder", path, of: .local)
    }
}
