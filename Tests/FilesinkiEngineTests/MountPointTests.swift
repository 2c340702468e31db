import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

/// File systems that are mounted inside a root, and go away.
@Suite("File systems below the root", .serialized)
struct MountPointTests {
    /// A replica `a` with a disk at `a/disk`, another one `b`, and the disk.
    private func pair() async throws -> (world: World, a: Machine, b: Machine, disk: MemoryDisk)? {
        let world = try World()
        guard let disk = MemoryDisk(at: world.folder.path("source")) else { return nil }
        let (a, b) = try await world.pair(["disk": .directory(), "plain": .file("p")])
        return (world, a, b, disk)
    }

    private static let tree: TreeFixture = [
        "disk": .directory(["f": .file("1"), "d": .directory(["g": .file("2")])])
    ]

    @Test("E2.2 a mount point is reported once, and its files are synced")
    func firstSight() async throws {
        guard let (world, a, b, disk) = try await pair() else { return }
        defer { withExtendedLifetime(world) {} }
        try await disk.shown(at: a.at("disk")) {
            try a.write(Self.tree)
            let first = try await a.sync()
            #expect(first.notices.map { "\($0.path) \($0.failure.code)" } == ["disk mount-point"])
            #expect(try await a.sync().notices.isEmpty)
            try await b.sync()
            #expect(b.text("disk/d/g") == "2")
        }
    }

    @Test(
        "E2.2 an unmounted folder is a problem and not a deletion, and nothing is written in its place"
    )
    func unmounted() async throws {
        guard let (world, a, b, disk) = try await pair() else { return }
        defer { withExtendedLifetime(world) {} }
        try await disk.shown(at: a.at("disk")) {
            try a.write(Self.tree)
            try await a.sync()
            try await b.sync()
        }
        try b.write(["disk": .directory(["f": .file("edited"), "new": .file("3")])])
        try await b.sync()
        let gone = try await a.sync()
        #expect(gone.problems.map { "\($0.path)" } == ["disk"])
        #expect(gone.problems.first?.failure.message.contains("not mounted") == true)
        #expect(gone.publishedCommits == 0)
        #expect(try a.names == ["disk", "plain"])
        // Runs for single paths, as a watch makes them, and commands for one path.
        let heard = try await a.syncChanges("disk/f", "disk/d/g", folders: ["disk"], hinted: true)
        #expect(heard.report.publishedCommits == 0)
        #expect(!heard.report.problems.isEmpty)
        _ = try? await a.with { replica in
            try await replica.load(RelativePath("disk/f"), isOffline: false, SyncOptions()) { _ in }
        }
        #expect(a.text("disk/new") == nil && a.text("disk/f") == nil)
        try await b.sync()
        #expect(b.text("disk/f") == "edited" && b.text("disk/d/g") == "2")
        try await disk.shown(at: a.at("disk")) {
            // What comes is staged on the root's file system, and cannot be renamed onto this one.
            let back = try await a.sync()
            #expect(back.problems.allSatisfy { !$0.failure.message.contains("not mounted") })
            #expect(back.publishedCommits == 0 && back.notices.isEmpty)
            #expect(a.text("disk/f") == "1" && a.text("disk/d/g") == "2")
        }
    }

    @Test("E2.2 another disk in its place deletes and publishes nothing")
    func otherDisk() async throws {
        guard let (world, a, b, disk) = try await pair(),
            let other = MemoryDisk(at: world.folder.path("other"))
        else { return }
        defer { withExtendedLifetime(world) {} }
        try await disk.shown(at: a.at("disk")) {
            try a.write(Self.tree)
            try await a.sync()
            try await b.sync()
        }
        try await other.shown(at: a.at("disk")) {
            try a.write(["disk": .directory(["f": .file("another")])])
            let report = try await a.sync()
            #expect(report.problems.map { "\($0.path)" } == ["disk"])
            #expect(report.publishedCommits == 0)
        }
        try await b.sync()
        #expect(b.text("disk/f") == "1" && b.text("disk/d/g") == "2")
    }

    @Test("E2.2 a file that is deleted on a mounted disk is a deletion")
    func deletedOnDisk() async throws {
        guard let (world, a, b, disk) = try await pair() else { return }
        defer { withExtendedLifetime(world) {} }
        try await disk.shown(at: a.at("disk")) {
            try a.write(Self.tree)
            try await a.sync()
            a.remove("disk/d")
            #expect(try await a.sync().problems.isEmpty)
            try await b.sync()
            #expect(b.text("disk/d/g") == nil && b.text("disk/f") == "1")
        }
    }

    @Test(
        "E2.2 the files of a disk that is gone for good are deleted by name",
        arguments: [true, false])
    func deletedByName(_ isFolderThere: Bool) async throws {
        guard let (world, a, b, disk) = try await pair() else { return }
        defer { withExtendedLifetime(world) {} }
        try await disk.shown(at: a.at("disk")) {
            try a.write(Self.tree)
            try await a.sync()
            try await b.sync()
        }
        if !isFolderThere { a.remove("disk") }
        #expect(try await a.sync().problems.count == 1)
        _ = try await a.with { replica in
            try await replica.delete([RelativePath("disk")], recursive: true, SyncOptions())
        }
        #expect(try await a.sync().problems.isEmpty)
        try await b.sync()
        #expect(try b.names == ["plain"])
    }
}
