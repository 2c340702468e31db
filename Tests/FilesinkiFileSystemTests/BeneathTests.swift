import FilesinkiModel
import FilesinkiSystem
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// Something done to a path that leads through a symlink out of the root.
struct Trap: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var act: @Sendable (TemporaryTree, RelativePath) throws -> Void

    init(
        _ name: String, _ act: @escaping @Sendable (TemporaryTree, RelativePath) throws -> Void
    ) {
        testDescription = name
        self.act = act
    }

    static let all: [Trap] = [
        Trap("status") { _ = try $0.root.status($1) },
        Trap("read whole") { _ = try $0.root.readWhole($1, limit: 100) },
        Trap("read in pieces") { _ = try $0.root.readChunks($1, bufferSize: 10) { _ in } },
        Trap("read a symlink") { _ = try $0.root.readLink($1) },
        Trap("install") {
            _ = try $0.writer.install($0.staged("ours"), at: $1, expecting: .any)
        },
        Trap("make a folder") { _ = try $0.writer.makeDirectory($1, mode: 0o755) },
        Trap("make a symlink") {
            _ = try $0.writer.makeSymlink(
                target: [65], at: $1, modified: Timestamp(nanoseconds: 0), expecting: .any)
        },
        Trap("remove") { _ = try $0.writer.remove($1, expecting: .any) },
        Trap("remove a folder") { _ = try $0.writer.removeDirectory($1) },
        Trap("set attributes") {
            _ = try $0.writer.setAttributes(
                $1, mode: 0o777, modified: Timestamp(nanoseconds: 0), expecting: .any)
        },
        Trap("set a folder's time") {
            try $0.writer.setModified(ofDirectory: $1, Timestamp(nanoseconds: 0))
        },
        Trap("move away") {
            _ = try $0.writer.move(from: $1, to: RelativePath("here"), expecting: .any)
        },
        Trap("move there") {
            try $0.write("x", to: "here")
            _ = try $0.writer.move(from: RelativePath("here"), to: $1, expecting: .any)
        },
    ]
}

@Suite struct BeneathTests {
    let tree: TemporaryTree
    let before: FileStamp

    /// `outside/canary` beside the root, and `d` in the root a symlink to `outside`.
    init() throws {
        tree = try TemporaryTree()
        #expect(mkdir(tree.base + "/outside", 0o755) == 0)
        try TemporaryTree.write(Array("canary".utf8), absolute: tree.base + "/outside/canary")
        try tree.link("../outside", at: "d")
        before = try Self.canary(tree)
    }

    @Test("refuses to go through a symlink, and nothing outside changes", arguments: Trap.all)
    func refuses(_ trap: Trap) throws {
        for name in ["d/canary", "d/new"] {
            let failure = #expect(throws: Failure.self) { try trap.act(tree, RelativePath(name)) }
            #expect(failure?.code == .badPath)
        }
        #expect(try Self.canary(tree) == before)
        #expect(try TemporaryTree.names(tree.base + "/outside") == ["canary"])
        #expect(try tree.leftovers().isEmpty)
    }

    @Test func `attributes of a symlink never reach its target`() throws {
        try tree.link("../outside/canary", at: "l")
        let outcome = try tree.writer.setAttributes(
            RelativePath("l"), mode: 0o777, modified: Timestamp(nanoseconds: 7), expecting: .any)
        #expect(outcome != .surprised)
        #expect(try tree.stamp("l").modified.nanoseconds == 7)
        #expect(try Self.canary(tree) == before)
    }

    @Test func `a scan does not follow a symlink to a folder`() throws {
        let scanner = Scanner(root: tree.root, filter: EverythingFilter())
        #expect(try words(scanner.scan(BaseSnapshot([]))) == ["symlink d -> ../outside"])
    }

    @Test func `a missing root is reported as such`() {
        let failure = #expect(throws: Failure.self) { try RootFolder(path: tree.base + "/none") }
        #expect(failure?.code == .notFound)
    }

    private static func canary(_ tree: TemporaryTree) throws -> FileStamp {
        var record = stat()
        guard stat(tree.base + "/outside/canary", &record) == 0 else { throw SystemError.last }
        return FileStatus(record).stamp
    }
}
