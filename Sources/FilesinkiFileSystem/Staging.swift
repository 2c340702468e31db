import CKernel
package import FilesinkiModel
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
    let folder: Descriptor
    private let path: String
    private let process = getpid()
    private let counter = Atomic<UInt64>(0)

    /// Opens the folder, and makes it (0700) when it is missing.
    ///
    /// - Parameter folder: The absolute path; the folder that holds it must be there.
    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/usage`` when it is on another
    ///   file system than the root.
    package init(root: RootFolder, folder path: String) throws(Failure) {
        let bytes = Array(path.utf8)
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw SystemError.last.failure("make the staging folder", bytes)
        }
        let flags = fsk_path_only | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        guard let folder = Descriptor(open(path, flags)) else {
            throw SystemError.last.failure("open the staging folder", bytes)
        }
        let device: UInt64
        do { device = try folder.status().stamp.device } catch {
            throw error.failure("look at the staging folder", bytes)
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
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        while true {
            let name = nextName()
            let raw = name.withCString { openat(folder.raw, $0, flags, mode_t(mode & 0o777)) }
            if let file = Descriptor(raw) {
                return StagedFile(name: name, staging: self, file: OpenFile(file))
            }
            guard errno == EEXIST else { throw failure(.last, "make a file to fill") }
        }
    }

    /// Takes in a file that was made ready elsewhere on the same file system; it stays there, too.
    ///
    /// - Throws: `Failure` also where the file system has no second names for a file.
    package func adopt(_ path: String) throws(Failure) -> StagedFile {
        while true {
            let name = nextName()
            let made = name.withCString { linkat(AT_FDCWD, path, folder.raw, $0, 0) }
            guard made == 0 else {
                if errno == EEXIST { continue }
                throw failure(.last, "take in a file")
            }
            guard let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) else {
                throw failure(.last, "open a file that was taken in")
            }
            return try StagedFile(name: name, staging: self, adopting: file)
        }
    }

    /// Makes a symlink ready.
    func makeSymlink(to target: [UInt8], modified: Timestamp) throws(Failure) -> StagedFile {
        while true {
            let name = nextName()
            let made = target.withCString { target in
                name.withCString { symlinkat(target, folder.raw, $0) }
            }
            if made == 0 { return try finishSymlink(name, modified) }
            guard errno == EEXIST else { throw failure(.last, "make a symlink") }
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
        do { staged.settle(try folder.status(of: name)) } catch {
            throw failure(error, "look at a symlink")
        }
        return staged
    }

    /// A name that nobody else in this process gets.
    func nextName() -> [UInt8] {
        let number = counter.add(1, ordering: .relaxed).newValue
        return Array("\(process)-\(number)".utf8)
    }

    func failure(_ error: SystemError, _ doing: String) -> Failure {
        error.failure("\(doing) in the staging folder", Array(path.utf8))
    }
}
