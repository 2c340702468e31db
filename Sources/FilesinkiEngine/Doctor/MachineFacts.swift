import FilesinkiFileSystem
package import FilesinkiModel
import Glibc

/// What an examination wants to know of the machine; a test makes up its own.
package struct MachineFacts: Sendable {
    /// Whose process it is.
    package var user: UInt32
    /// How many folders a user may watch at once; nil when that is not known.
    package var watchLimit: @Sendable () -> Int?
    /// The bytes that are free for the user, and all that there are, where a path is.
    package var space: @Sendable (String) -> (free: Int64, total: Int64)?
    /// What the file system of a folder can do.
    package var traits: @Sendable (String) throws -> FileSystemTraits
    /// When a file that is made in a folder now was made, by the clock of the file system.
    package var fileTime: @Sendable (String) throws -> Timestamp

    package init(
        user: UInt32, watchLimit: @escaping @Sendable () -> Int?,
        space: @escaping @Sendable (String) -> (free: Int64, total: Int64)?,
        traits: @escaping @Sendable (String) throws -> FileSystemTraits,
        fileTime: @escaping @Sendable (String) throws -> Timestamp
    ) {
        self.user = user
        self.watchLimit = watchLimit
        self.space = space
        self.traits = traits
        self.fileTime = fileTime
    }

    /// Those of this machine.
    package static var real: MachineFacts {
        MachineFacts(
            user: geteuid(), watchLimit: readWatchLimit, space: readSpace,
            traits: { try FileSystemProbe(in: $0).traits() },
            fileTime: { try FileSystemProbe(in: $0).time() })
    }

    @Sendable private static func readWatchLimit() -> Int? {
        guard let file = fopen("/proc/sys/fs/inotify/max_user_watches", "r") else { return nil }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 32)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
        return Int(strtol(buffer, nil, 10))
    }

    @Sendable private static func readSpace(_ path: String) -> (free: Int64, total: Int64)? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let unit = Int64(clamping: status.f_frsize)
        let free = unit.multipliedReportingOverflow(by: Int64(clamping: status.f_bavail))
        let total = unit.multipliedReportingOverflow(by: Int64(clamping: status.f_blocks))
        return (
            free.overflow ? .max : free.partialValue, total.overflow ? .max : total.partialValue
        )
    }
}
