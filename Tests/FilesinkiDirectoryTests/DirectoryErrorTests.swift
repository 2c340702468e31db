import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Glibc
import Testing

/// Errors of a disk, and unexpected files in a store.
@Suite struct DirectoryErrorTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func codes(_ remote: DirectoryRemote) async throws -> Set<Failure.Code?> {
        let key = try ObjectKey("packs/a")
        let requests: [() async throws -> Void] = [
            { _ = try await remote.get(key, range: nil) }, { try await remote.put([1], to: key) },
            { _ = try await remote.publish([1], to: slot(1)) }, { try await remote.delete(key) },
            { _ = try await remote.list(prefix: "", after: nil, limit: 9) },
            { try await remote.wait(prefix: "", timeout: .zero) }, { try await remote.sweep() },
        ]
        var codes: Set<Failure.Code?> = []
        for request in requests {
            do {
                try await request()
                codes.insert(nil)
            } catch { codes.insert((error as? Failure)?.code) }
        }
        return codes
    }

    @Test func `a missing folder is 'away', and never an empty store`() async throws {
        #expect(try await codes(DirectoryRemote(path: folder.path("store"))) == [.away])
        let tree: TreeFixture = ["store": .file("a file")]
        try tree.write(to: folder.path)
        #expect(try await codes(DirectoryRemote(path: folder.path("store"))) == [.away])
    }

    @Test
    func `another folder in its place is 'away': a disk was unmounted, its mount point stayed`()
        async throws
    {
        let remote = try DirectoryRemote.create(path: folder.path("store"))
        #expect(try await remote.publish([1], to: slot(1)) == .mine)
        #expect(rename(folder.path("store"), folder.path("gone")) == 0)
        #expect(mkdir(folder.path("store"), 0o755) == 0)
        #expect(try await codes(remote) == [.away])
        #expect(try TreeFixture.read(folder.path("store")) == [:])
        #expect(rmdir(folder.path("store")) == 0)
        #expect(rename(folder.path("gone"), folder.path("store")) == 0)
        #expect(try await remote.get(slot(1), range: nil) == [1])
    }

    @Test func `creates the parent folders, and refuses a file in its place`() async throws {
        let made = try DirectoryRemote.create(path: folder.path("a/b//c/"))
        try await made.put([1], to: ObjectKey("x"))
        _ = try DirectoryRemote.create(path: folder.path("a/b/c"))
        #expect(throws: Failure.self) { try DirectoryRemote.create(path: folder.path("a/b/c/x")) }
        #expect(throws: Failure.self) { try DirectoryRemote.create(path: folder.path("a/b/c/x/y")) }
    }

    @Test
    func `leftovers of killed writers are not listed, disturb no writer, and are removed when old`()
        async throws
    {
        let left: TreeFixture = [
            "zones": .directory([
                "main": .directory([
                    "log": .directory([
                        ".t-00000000000000aa": .directory(["c": .file("torn")]),
                        ".t-00000000000000bb": .directory(),
                    ])
                ])
            ]),
            "packs": .directory([".t-00000000000000cc": .file("torn"), ".t-mine": .file("kept")]),
        ]
        try left.write(to: folder.path)
        let remote = DirectoryRemote(path: folder.path)
        #expect(try await remote.list(prefix: "", after: nil, limit: 9).isEmpty)
        #expect(try await remote.publish([0x61], to: slot(1)) == .mine)
        #expect(try await remote.sweep() == 0, "they are young")
        #expect(try await remote.sweep(olderThan: .zero, isDryRun: true) == 3)
        #expect(try await remote.sweep(olderThan: .zero) == 3)
        #expect(try await remote.list(prefix: "", after: nil, limit: 9).map(\.key) == [slot(1)])
        #expect(
            try TreeFixture.read(folder.path)["packs"]
                == .directory([".t-mine": .file("kept")]))
    }

    @Test func `deleting the last object removes the emptied folders, and no others`()
        async throws
    {
        let remote = DirectoryRemote(path: folder.path)
        _ = try await remote.publish([0x61], to: slot(1))
        try await remote.put([0x62], to: ObjectKey("zones/other"))
        try await remote.delete(slot(1))
        #expect(try TreeFixture.read(folder.path) == ["zones": .directory(["other": .file("b")])])
        try await remote.delete(ObjectKey("zones/other"))
        #expect(try TreeFixture.read(folder.path) == [:])
    }

    @Test func `a slot needs a folder of its own`() async throws {
        let failure = await #expect(throws: Failure.self) {
            _ = try await DirectoryRemote(path: folder.path).publish([1], to: ObjectKey("c"))
        }
        #expect(failure?.code == .badPath)
    }

    @Test func `created files have the permissions that the umask leaves`() async throws {
        let mask = umask(0)
        umask(mask)
        let remote = DirectoryRemote(path: folder.path)
        _ = try await remote.publish([0x61], to: ObjectKey("log/1/c"))
        try await remote.put([0x62], to: ObjectKey("packs/a"))
        let file = UInt16(0o666 & ~mask)
        let directory = UInt16(0o777 & ~mask)
        let wanted: TreeFixture = [
            "log": .directory(
                ["1": .directory(["c": .file("a", mode: file)], mode: directory)], mode: directory),
            "packs": .directory(["a": .file("b", mode: file)], mode: directory),
        ]
        #expect(try TreeFixture.read(folder.path) == wanted)
    }

    @Test func `a file larger than the process may write is reported as full`() async throws {
        // A limit stands in for a full disk, which would need a file system of its own.
        #expect(
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                let remote = DirectoryRemote(path: folder.path)
                signal(SIGXFSZ, SIG_IGN)
                var bound = rlimit(rlim_cur: 1000, rlim_max: 1000)
                guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &bound) == 0 else {
                    exit(2)
                }
                let content = [UInt8](repeating: 1, count: 2000)
                do {
                    try await remote.put(content, to: ObjectKey("packs/a"))
                    exit(3)
                } catch let failure as Failure {
                    guard failure.code == .full, failure.path == Array("packs/a".utf8) else {
                        exit(4)
                    }
                }
                do {
                    _ = try await remote.publish(content, to: ObjectKey("log/1/c"))
                    exit(5)
                } catch let failure as Failure { guard failure.code == .full else { exit(6) } }
                let left: TreeFixture = ["packs": .directory(), "log": .directory()]
                guard try TreeFixture.read(folder.path) == left else { exit(7) }
            } != nil)
    }
}
