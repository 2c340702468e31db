import FilesinkiModel
import FilesinkiTesting
import FilesinkiWatch
import Glibc
import Synchronization
import Testing

/// A folder that is watched. The kernel queues an event before the call that causes it returns, so
/// nothing has to be waited for.
final class WatchedTree {
    let folder: TemporaryFolder
    let tree: TreeWatch

    init(
        bounds: TreeWatch.Bounds = TreeWatch.Bounds(), prepare: (String) -> Void = { _ in },
        ignores: @escaping @Sendable (RelativePath, Bool) -> Bool = { _, _ in false }
    ) throws {
        folder = try TemporaryFolder(inMemory: true)
        try #require(mkdir(folder.path("root"), 0o755) == 0)
        prepare(folder.path("root"))
        tree = try TreeWatch(root: folder.path("root"), bounds: bounds, ignores: ignores)
        tree.rescan()
    }

    func at(_ path: String) -> String { folder.path("root/" + path) }

    func write(_ path: String) {
        let file = open(at(path), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        #expect(file >= 0, "\(path)")
        #expect(Glibc.write(file, "x", 1) == 1)
        close(file)
    }

    func makeFolder(_ path: String) { #expect(mkdir(at(path), 0o755) == 0, "\(path)") }

    func move(_ old: String, _ new: String) { #expect(rename(at(old), at(new)) == 0) }

    /// The reported changes: path and kind of each, in order.
    func heard() -> [String] { tree.readChanges().changes.map { "\($0.path) \($0.kind)" } }

    /// The reported paths.
    func paths() -> Set<String> { Set(tree.readChanges().changes.map { "\($0.path)" }) }
}

@Suite("Watching a tree")
struct TreeWatchTests {
    @Test("files: created, written, touched, renamed, deleted")
    func files() throws {
        let watched = try WatchedTree()
        watched.write("a")
        #expect(watched.heard() == ["a created", "a unfinished", "a written"])
        chmod(watched.at("a"), 0o600)
        #expect(watched.heard() == ["a attributes"])
        watched.move("a", "b")
        let renamed = watched.tree.readChanges().changes
        #expect(renamed.map { "\($0.path) \($0.kind)" } == ["a gone", "b written"])
        #expect(renamed.map { $0.partner.map { "\($0)" } } == ["b", "a"])
        unlink(watched.at("b"))
        #expect(watched.heard() == ["b gone"])
        #expect(watched.heard().isEmpty)
    }

    @Test("nothing is missed in a chain of folders that is created faster than it is watched")
    func chain() throws {
        let watched = try WatchedTree()
        for path in ["a", "a/b", "a/b/c", "a/b/c/d"] { watched.makeFolder(path) }
        watched.write("a/b/c/d/early")
        // The report of the folder covers everything below it.
        #expect(watched.heard().contains("a folder"))
        #expect(watched.tree.count == 5)
        watched.write("a/b/c/d/late")
        #expect(watched.paths() == ["a/b/c/d/late"])
    }

    @Test("a renamed folder keeps the changes reported below it")
    func renamedFolder() throws {
        let watched = try WatchedTree(prepare: { root in
            for path in ["a", "a/b", "a/b/c"] { mkdir(root + "/" + path, 0o755) }
        })
        watched.move("a", "z")
        let changes = watched.tree.readChanges().changes
        #expect(changes.map { "\($0.path) \($0.kind)" } == ["a folder", "z folder"])
        #expect(changes.first?.partner == changes.last?.path)
        watched.write("z/b/c/f")
        #expect(watched.paths() == ["z/b/c/f"])
        #expect(watched.tree.count == 4)
    }

    @Test("a folder that left the tree is no longer watched; one that entered it is")
    func acrossTheBorder() throws {
        let watched = try WatchedTree(prepare: { mkdir($0 + "/a", 0o755) })
        #expect(rename(watched.at("a"), watched.folder.path("outside")) == 0)
        #expect(watched.heard() == ["a folder"])
        #expect(watched.tree.count == 1)
        let file = open(watched.folder.path("outside/f"), O_WRONLY | O_CREAT, 0o644)
        close(file)
        mkdir(watched.folder.path("outside/deep"), 0o755)
        #expect(watched.heard().isEmpty)
        #expect(rename(watched.folder.path("outside"), watched.at("b")) == 0)
        #expect(watched.heard() == ["b folder"])
        watched.write("b/deep/g")
        #expect(watched.paths() == ["b/deep/g"])
    }

    @Test("a folder that takes the name of another, also in an exchange")
    func exchanged() throws {
        let watched = try WatchedTree(prepare: { root in
            for path in ["a", "a/x", "b", "b/y"] { mkdir(root + "/" + path, 0o755) }
        })
        watched.move("a", "c")
        watched.move("b", "a")
        watched.move("c", "b")
        _ = watched.tree.readChanges()
        watched.write("b/x/1")
        watched.write("a/y/2")
        #expect(watched.paths() == ["b/x/1", "a/y/2"])
    }

    @Test("a folder that was deleted and created again is watched")
    func madeAgain() throws {
        let watched = try WatchedTree(prepare: { mkdir($0 + "/a", 0o755) })
        rmdir(watched.at("a"))
        watched.makeFolder("a")
        watched.makeFolder("a/b")
        #expect(watched.paths().contains("a"))
        watched.write("a/b/f")
        #expect(watched.paths() == ["a/b/f"])
        removeTree(Array(watched.at("a").utf8))
        #expect(watched.paths() == ["a", "a/b", "a/b/f"])
        #expect(watched.tree.count == 1)
    }

    @Test("symlinks are reported as files, wherever they point")
    func symlinks() throws {
        let watched = try WatchedTree(prepare: { root in
            mkdir(root + "/../elsewhere", 0o755)
            symlink("../elsewhere", root + "/link")
        })
        #expect(watched.tree.count == 1)
        close(open(watched.folder.path("elsewhere/f"), O_WRONLY | O_CREAT, 0o644))
        #expect(watched.heard().isEmpty)
        symlink("nowhere", watched.at("new"))
        #expect(watched.heard() == ["new created"])
    }

    @Test("names of any bytes")
    func names() throws {
        let name: [UInt8] = [0xFF, 0x0A, 0xC3, 0x28, 0x22]
        let watched = try WatchedTree()
        let root = Array(watched.at("").utf8)
        let made = (root + name + [0]).withUnsafeBytes {
            $0.assumingMemoryBound(to: CChar.self).baseAddress.map { mkdir($0, 0o755) }
        }
        #expect(made == 0)
        #expect(watched.tree.readChanges().changes.map(\.path.bytes) == [name])
        let file = (root + name + Array("/f".utf8) + [0]).withUnsafeBytes {
            $0.assumingMemoryBound(to: CChar.self).baseAddress.map {
                open($0, O_WRONLY | O_CREAT, 0o644)
            }
        }
        close(file ?? -1)
        let paths = Set(watched.tree.readChanges().changes.map(\.path.bytes))
        #expect(paths == [name + Array("/f".utf8)])
    }

    @Test("the state folder and ignored paths are not reported")
    func ignored() throws {
        let watched = try WatchedTree(
            prepare: { root in
                for path in [".filesinki", "build", "src"] { mkdir(root + "/" + path, 0o755) }
            }, ignores: { path, isFolder in isFolder ? path.bytes == Array("build".utf8) : false })
        #expect(watched.tree.count == 2)
        for path in [".filesinki/f", "build/f", "src/f"] { watched.write(path) }
        #expect(watched.paths() == ["src/f"])
        // A folder that is named otherwise now is not left out.
        watched.move("build", "kept")
        #expect(watched.heard() == ["kept folder"])
        watched.write("kept/g")
        #expect(watched.paths() == ["kept/g"])
        watched.move("kept", "build")
        #expect(watched.paths() == ["kept"])
        #expect(watched.tree.count == 2)
    }

    @Test("files created during the first scan are found or reported")
    func race() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let root = folder.path
        for path in ["a", "b"] { mkdir(root + "/" + path, 0o755) }
        let made = Mutex(false)
        let tree = try TreeWatch(root: root) { path, _ in
            // While one folder is looked at, the other one gets a new one.
            made.withLock { isMade in
                if !isMade { for path in ["a/new", "b/new"] { mkdir(root + "/" + path, 0o755) } }
                isMade = true
            }
            return false
        }
        tree.rescan()
        _ = tree.readChanges()
        #expect(tree.count == 5)
        for path in ["a/new/f", "b/new/f"] {
            close(open(root + "/" + path, O_WRONLY | O_CREAT, 0o644))
        }
        #expect(Set(tree.readChanges().changes.map { "\($0.path)" }) == ["a/new/f", "b/new/f"])
    }

    @Test("lost events are reported, and everything is watched again")
    func overflow() throws {
        let watched = try WatchedTree(bounds: TreeWatch.Bounds(events: 4))
        watched.makeFolder("a")
        watched.makeFolder("a/b")
        for number in 0..<5 { watched.write("f\(number)") }
        #expect(watched.tree.readChanges().isOverflown)
        #expect(watched.tree.count == 3)
        watched.write("a/b/f")
        let heard = watched.tree.readChanges()
        #expect(!heard.isOverflown)
        #expect(heard.changes.map { "\($0.path)" }.contains("a/b/f"))
    }

    @Test("used-up watches are reported, and added when some are free")
    func shortage() throws {
        let watched = try WatchedTree(
            bounds: TreeWatch.Bounds(folders: 2),
            prepare: { root in for name in ["a", "b"] { mkdir(root + "/" + name, 0o755) } })
        #expect(watched.tree.shortage == .watches)
        #expect(watched.tree.count == 2)
        rmdir(watched.at("a"))
        rmdir(watched.at("b"))
        _ = watched.tree.readChanges()
        watched.tree.rescan()
        #expect(watched.tree.shortage == nil)
        watched.write("f")
        #expect(watched.paths() == ["f"])
    }

    @Test("a removed root is reported", arguments: ["moved", "deleted"])
    func rootGone(_ how: String) throws {
        let watched = try WatchedTree()
        if how == "moved" {
            #expect(rename(watched.folder.path("root"), watched.folder.path("other")) == 0)
        } else {
            #expect(rmdir(watched.folder.path("root")) == 0)
        }
        #expect(watched.tree.readChanges().isRootGone)
    }

    @Test("a missing root is a failure")
    func noRoot() throws {
        let failure = #expect(throws: Failure.self) {
            _ = try TreeWatch(root: "/nowhere/at/all") { _, _ in false }
        }
        #expect(failure?.code == .notFound)
    }
}

@Suite("Watching mounted file systems", .serialized)
struct MountedTreeWatchTests {
    @Test("E2.2 an unmount is reported, and the bare folder is watched again")
    func unmounted() throws {
        var disk: MemoryDisk?
        let watched = try WatchedTree(prepare: { root in disk = MemoryDisk(at: root + "/disk") })
        guard disk != nil else { return }
        watched.write("disk/f")
        #expect(watched.paths() == ["disk/f"])
        disk = nil
        let heard = watched.tree.readChanges()
        #expect(heard.isUnmounted && !heard.isRootGone)
        #expect(watched.tree.count == 2)
        watched.write("disk/g")
        #expect(watched.paths() == ["disk/g"])
    }
}
