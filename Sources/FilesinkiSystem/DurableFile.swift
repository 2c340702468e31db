package import Glibc
import Synchronization

/// Writes a file atomically: to a temporary name beside it, which is synced and renamed over the
/// old file; then the folder is synced. Without a commit the temporary file is removed.
package final class DurableFile: Sendable {
    /// What is on disk when ``commit(_:)`` returns.
    package enum Durability: Sendable {
        /// Nothing; for a cache.
        case none
        /// The bytes. After a crash the name has the old or the new file.
        case content
        /// The bytes and the name.
        case full
    }

    package let handle: FileHandle
    private let folder: Int32
    private let path: [UInt8]
    private let staged: [UInt8]
    private let isCommitted = Atomic<Bool>(false)

    /// Makes the temporary names of this process unique.
    private static let counter = Atomic<UInt64>(0)

    /// Creates the temporary file.
    ///
    /// - Parameters:
    ///   - path: The file to write: absolute, relative to the working directory, or a name in
    ///     `folder`.
    ///   - folder: An open folder, which must stay open until the commit.
    ///   - staged: The temporary name; nil for a unique one.
    ///   - mode: The permissions before the umask.
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
            // A killed process with the same id left it.
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

    /// Renames the file to its final name. Nothing may be written afterwards.
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
            // A folder that is not readable cannot be synced.
            if error.number == EACCES { return }
            throw error
        }
        try parent.syncFolder()
    }

    /// Replaces the content of a file atomically.
    package static func replace(
        _ path: some Collection<UInt8>, in folder: Int32 = AT_FDCWD, staged: [UInt8]? = nil,
        with bytes: [UInt8], mode: mode_t = 0o600, _ durability: Durability = .full
    ) throws(SystemError) {
        let file = try DurableFile(path, in: folder, staged: staged, mode: mode)
        try file.handle.write(bytes)
        try file.commit(durability)
    }
}
