import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiWatch

@Suite("Notices of writes")
struct WriteNoticesTests {
    @Test("a write is reported, also one that happened before the wait")
    func write() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let notices = try #require(WriteNotices.stream(in: folder.path, prefix: "a.sqlite"))
        var iterator = notices.makeAsyncIterator()
        for _ in 0..<2 {
            let file = open(
                folder.path("a.sqlite-wal"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            #expect(Glibc.write(file, "x", 1) == 1)
            close(file)
            #expect(await iterator.next() != nil)
        }
    }

    @Test(
        "only names with the prefix count, and the kernel's overflow",
        arguments: [
            ("a.sqlite", IN_MODIFY, true), ("a.sqlite-wal", IN_MODIFY, true),
            ("b.sqlite", IN_MODIFY, false), ("a", IN_MODIFY, false), ("", IN_Q_OVERFLOW, true),
        ] as [(String, Int32, Bool)])
    func prefix(name: String, mask: Int32, isMeant: Bool) {
        let event = InotifyEvent(
            watch: 1, mask: UInt32(mask), cookie: 0, name: Array(name.utf8))
        #expect(WriteNotices.isAbout("a.sqlite", event) == isMeant)
    }

    @Test("a missing folder cannot be watched")
    func missing() throws {
        let folder = try TemporaryFolder(inMemory: true)
        #expect(WriteNotices.stream(in: folder.path("none"), prefix: "") == nil)
    }
}
