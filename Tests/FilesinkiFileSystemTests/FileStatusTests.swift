import FilesinkiModel
import Glibc
import Testing

@testable import FilesinkiFileSystem

@Suite struct FileStatusTests {
    private static let times: [(Int64, Int64, Bool)] = [
        (0, 20_000_000, false), (0, 20_000_001, true), (0, 19_999_999, false),
        (5_000_000_000, 5_000_000_000, false), (5_000_000_000, 1, false),
        (.min, .min + 1, false), (.min, 0, true),
    ]

    @Test("a stamp is settled 20 ms after the last change", arguments: times)
    func settled(_ changed: Int64, _ now: Int64, _ isSettled: Bool) {
        let stamp = FileStamp(
            device: 1, inode: 1, size: 0, modified: Timestamp(nanoseconds: 0),
            changed: Timestamp(nanoseconds: changed))
        let status = FileStatus(kind: .file, stamp: stamp, mode: 0o644)
        #expect(status.isSettled(at: Timestamp(nanoseconds: now)) == isSettled)
    }

    @Test(
        "a special file is named by its kind",
        arguments: [
            (S_IFIFO, "fifo"), (S_IFSOCK, "socket"), (S_IFCHR, "character device"),
            (S_IFBLK, "block device"), (S_IFREG, "unknown kind"),
        ])
    func words(_ mode: mode_t, _ word: String) {
        #expect(FileStatus.specialWord(ofMode: mode | 0o644) == word)
    }
}
