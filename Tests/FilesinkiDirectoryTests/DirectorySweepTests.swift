import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiDirectory

/// What is removed of a store in a folder, and what it takes on the disk.
@Suite struct DirectorySweepTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func sweep(isDryRun: Bool = false) -> DirectorySweep {
        DirectorySweep(folder: StoreFolder(path: folder.path), isDryRun: isDryRun)
    }

    private func plant(_ tree: TreeFixture) throws { try tree.write(to: folder.path) }

    /// Sets the time of a file or a folder, in seconds.
    private func setTime(_ name: String, _ seconds: Int) {
        let times = [
            timespec(tv_sec: seconds, tv_nsec: 999_999_999),
            timespec(tv_sec: seconds, tv_nsec: 999_999_999),
        ]
        #expect(utimensat(AT_FDCWD, folder.path(name), times, AT_SYMLINK_NOFOLLOW) == 0)
    }

    @Test(
        "an object that was last written at the bound or before is removed, a later one is not",
        arguments: [(999, 1), (1_000, 1), (1_001, 0)])
    func bounds(_ seconds: Int, _ removed: Int) throws {
        try plant(["packs": .directory([".t-00000000000000aa": .file("torn")])])
        setTime("packs/.t-00000000000000aa", seconds)
        #expect(try sweep(isDryRun: true).removeUnfinished(notAfter: 1_000) == removed)
        // Counting removes nothing.
        #expect(access(folder.path("packs/.t-00000000000000aa"), F_OK) == 0)
        #expect(try sweep().removeUnfinished(notAfter: 1_000) == removed)
        #expect((access(folder.path("packs/.t-00000000000000aa"), F_OK) != 0) == (removed == 1))
    }

    @Test func `only names of the store's own form are taken for unfinished objects`() throws {
        let tree: TreeFixture = [
            ".t-00000000000000a": .file("x"), ".t-00000000000000aaa": .file("x"),
            "t-00000000000000aa": .file("x"),
            ".t-00000000000000ag": .file("x"),
        ]
        try plant(tree)
        #expect(try sweep().removeUnfinished(notAfter: .max) == 0)
        #expect(try TreeFixture.read(folder.path) == tree)
    }

    @Test func `a hidden folder is not of the store, and a symlink leads out of it`() throws {
        let outside = try TemporaryFolder()
        let left: TreeFixture = [".t-00000000000000aa": .file("x")]
        try left.write(to: outside.path)
        let tree: TreeFixture = [".hidden": .directory(left), "link": .symlink(outside.path)]
        try plant(tree)
        #expect(try sweep().removeUnfinished(notAfter: .max) == 0)
        #expect(try TreeFixture.read(folder.path) == tree)
        #expect(try TreeFixture.read(outside.path) == left)
    }

    @Test func `an unfinished slot that holds a folder was not written by a store, and stays`()
        throws
    {
        let tree: TreeFixture = [
            ".t-00000000000000aa": .directory(["inner": .directory(["f": .file("x")])])
        ]
        try plant(tree)
        #expect(try sweep().removeUnfinished(notAfter: .max) == 0)
        #expect(try TreeFixture.read(folder.path) == tree)
    }

    @Test func `the size is that of all files, unfinished and hidden ones too, and of no link`()
        throws
    {
        #expect(try sweep().usedBytes() == 0)
        try plant([
            "a": .file("1"),
            "d": .directory(["b": .file("22"), "e": .directory(["c": .file("333")])]),
            ".t-00000000000000aa": .file("4444"), ".h": .directory(["f": .file("55555")]),
            "link": .symlink("d"), "pipe": .special,
        ])
        #expect(try sweep().usedBytes() == 1 + 2 + 3 + 4 + 5)
    }

    @Test func `the time is that of the store's disk, and leaves no file`() throws {
        let (before, found, after) = (time(nil), try sweep().currentTime(), time(nil))
        // A disk may be a tick behind.
        #expect(found >= Int64(before) - 1 && found <= Int64(after) + 1)
        #expect(try TreeFixture.read(folder.path) == [:])
    }

    @Test func `a folder that is not there is away, and has no size`() throws {
        let missing = DirectorySweep(folder: StoreFolder(path: folder.path("none")))
        for call in [
            { _ = try missing.usedBytes() }, { _ = try missing.removeUnfinished(notAfter: .max) },
            { _ = try missing.currentTime() },
        ] as [() throws -> Void] {
            let failure = #expect(throws: Failure.self) { try call() }
            #expect(failure?.code == .away)
        }
    }
}
