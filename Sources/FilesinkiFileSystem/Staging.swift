import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// The folder in which files are made ready before they take their place in the tree, and into
/// which what they replace comes out. It is on the same file system as the root.
///
/// *No kill point loses a user's save.* What is in this folder is at every moment one of
/// - a file of ours that is not in the tree (yet): nobody misses it;
/// - something taken out of the tree, and then an ``Intent`` lies beside it, written before it was
///   taken out, which says where it belongs, what we put there, and what the plan saw there.
///
/// ``recover()`` reads the intents a killed run left and brings back everything that is neither
/// ours nor what the plan meant to replace.
package final class Staging: Sendable {
    let root: RootFolder
    /// Opened with `O_PATH`.
    let folder: FileHandle
    private let path: String
    private let process = getpid()
    /// Tells our names from those of another value, and of an earlier process with the same number.
    private let token = hexadecimal((0..<4).map { _ in UInt8.random(in: 0...255) })
    private let counter = Atomic<UInt64>(0)
    let calls: NameCalls
    /// Whether the file system was found not to know RENAME_EXCHANGE or RENAME_NOREPLACE.
    let lacksExchange = Atomic<Bool>(false)
    let lacksFreeRename = Atomic<Bool>(false)

    /// Opens the folder, and makes it (0700) when it is missing.
    ///
    /// - Parameter folder: The absolute path; the folder that holds it must be there.
    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/usage`` when it is on another
    ///   file system than the root.
    package convenience init(root: RootFolder, folder path: String) throws(Failure) {
        try self.init(root: root, folder: path, calls: NameCalls())
    }

    /// - Parameter calls: How files get other names; for tests.
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

    /// Makes an empty file to be filled.
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

    /// Takes in a file that was made ready elsewhere on the same file system; it stays there, too.
    ///
    /// Where the file system has no second names for files, it is copied.
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

    /// Makes a symlink ready.
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

    /// A name that nobody else gets, here or in another process. It begins with the process's number,
    /// by which ``clearDead()`` knows whose it is.
    func nextName() -> [UInt8] {
        let number = counter.add(1, ordering: .relaxed).newValue
        return Array("\(process)-\(token)-\(number)".utf8)
    }

    func failure(_ error: SystemError, _ doing: String) -> Failure {
        error.failure("\(doing) in the staging folder", path, of: .local)
    }
}
