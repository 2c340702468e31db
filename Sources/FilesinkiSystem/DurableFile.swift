package import Glibc
import Synchronization

/// A file that takes its place only when it is whole: written beside it, synced, renamed over what is
/// there, and the folder synced. Unless it is committed, nothing of it is left.
package final class DurableFile: Sendable {
    /// What has to be on the disk when ``commit(_:)`` returns.
    package enum Durability: Sendable {
        /// Nothing: a cache that can be made anew.
        case none
        /// The bytes; the old or the new file has the name after a crash.
        case content
        /// The bytes and the name.
        case full
    }

    package let handle: FileHandle
    private let folder: Int32
    private let path: [UInt8]
    private let staged: [UInt8]
    private let isCommitted = Atomic<Bool>(false)

    /// Tells the staged names of this process apart.
    private static let counter = Atomic<UInt64>(0)

    /// Makes the file beside its place.
    ///
    /// - Parameters:
    ///   - path: Its place: absolute, relative to the process's folder, or a name in `folder`.
    ///   - folder: An open folder, which outlives the value.
    ///   - staged: What it is called until it is whole; nil for a name that nobody else uses.
    ///   - mode: The permissions, less those that the umask takes.
    package init(
        _ path: some Collection<UInt8>, in folder: Int32 = AT_FDCWD, staged: [UInt8]? = nil,
        mode: mode_t = 0o600
    ) throws(SystemError) {
        self.path = Array(path)
        self.folder = folder
        var name = staged ?? Self.freeName(path)
        while true {
            let number = name.withCString { name in
                unlessInterrupted {
                    openat(
                        folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
                }
            }
            if let handle = FileHandle(number) {
                self.handle = handle
                break
            }
            let error = SystemError.last
            // Left by a killed process that had the same number.
            guard error.number == EEXIST, staged == nil else { throw error }
            name = Self.freeName(path)
        }
        self.staged = name
    }

    private static func freeName(_ path: some Collection<UInt8>) -> [UInt8] {
        let number = counter.add(1, ordering: .relaxed).newValue
        return Array(path) + Array(".\(getpid())-\(number).new".utf8)
    }

    deinit {
        if !isCommitted.load(ordering: .relaxed) {
            _ = staged.withCString { unlinkat(folder, $0, 0) }
        }
    }

    /// Puts the file in its place; nothing may be written after it.
    package func commit(_ durability: Durability = .full) throws(SystemError) {
        if durability != .none { try handle.sync() }
        let moved = staged.withCString { old in
            path.withCString { renameat(folder, old, folder, $0) }
        }
        guard moved == 0 else { throw .last }
        isCommitted.store(true, ordering: .relaxed)
        guard durability == .full else { return }
        let parent = FileHandle.folder(of: path)
        let opened = parent.withCString { openat(folder, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let parent = FileHandle(opened) else {
            let error = SystemError.last
            // A folder that may be written and not read cannot be synced.
            if error.number == EACCES { return }
            throw error
        }
        try parent.syncFolder()
    }

    /// Replaces a file by one with these bytes.
    package static func replace(
        _ path: some Collection<UInt8>, in folder: Int32 = AT_FDCWD, staged: [UInt8]? = nil,
        with bytes: [UInt8], mode: mode_t = 0o600, _ durability: Durability = .full
    ) throws(SystemError) {
        let file = try DurableFile(path, in: folder, staged: staged, mode: mode)
        try file.handle.write(bytes)
        try file.commit(durability)
    }
}
