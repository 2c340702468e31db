package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The status of a local path, without its content.
package struct FileStatus: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case file
        case directory
        case symlink
        /// A fifo, a socket or a device: reported, never read and never synced.
        case special
    }

    package var kind: Kind
    package var stamp: FileStamp
    /// Permission bits, 0 to 0o777. Higher bits (setuid, setgid, sticky) are dropped.
    package var mode: UInt16
    /// The last modification of a live file's content, in the file or in its log; nil for other
    /// files, and if the content was not read.
    package var contentModified: Timestamp?

    package init(kind: Kind, stamp: FileStamp, mode: UInt16) {
        self.kind = kind
        self.stamp = stamp
        self.mode = mode
    }

    /// Whether a later change is certain to change the stamp. False if the last change was less
    /// than 20 ms before `now` or after it: another one may fall into the same tick of the kernel's
    /// clock (4 ms or 10 ms before Linux 6.13).
    ///
    /// Store an unsettled stamp as unknown, so that the next scan reads the file again.
    package func isSettled(at now: Timestamp) -> Bool {
        let (limit, overflow) = now.nanoseconds.subtractingReportingOverflow(20_000_000)
        return !overflow && stamp.changed.nanoseconds < limit
    }
}

extension FileStatus {
    init(_ record: stat) {
        kind = Self.kind(ofMode: record.st_mode)
        mode = UInt16(record.st_mode & 0o777)
        stamp = FileStamp(record)
    }

    private static func kind(ofMode mode: mode_t) -> Kind {
        switch mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        case S_IFLNK: .symlink
        default: .special
        }
    }

    /// The name of a special file's kind, such as `fifo`.
    static func specialWord(ofMode mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFIFO: "fifo"
        case S_IFSOCK: "socket"
        case S_IFCHR: "character device"
        case S_IFBLK: "block device"
        default: "unknown kind"
        }
    }
}
