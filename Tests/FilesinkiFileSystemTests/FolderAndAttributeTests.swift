import FilesinkiModel
import FilesinkiSystem
import Glibc
import Testing

@testable import FilesinkiFileSystem

@Suite struct FolderAndAttributeTests {
    let tree: TemporaryTree

    init() throws { tree = try TemporaryTree() }

    @Test func `a folder is created with its mode, and an existing one gets it`() throws {
        for mode: UInt16 in [0o777, 0o700, 0o700] {
            let outcome = try tree.writer.makeDirectory(RelativePath("d"), mode: mode)
            #expect(outcome != .surprised)
            #expect(try tree.root.status(RelativePath("d"))?.mode == mode)
        }
    }

    @Test func `a folder does not replace a file`() throws {
        try tree.write("x", to: "d")
        #expect(try tree.writer.makeDirectory(RelativePath("d"), mode: 0o755) == .surprised)
        #expect(try tree.read("d") == "x")
    }

    @Test func `only an empty folder is removed`() throws {
        try tree.makeFolder("d")
        try tree.write("x", to: "d/x")
        #expect(try tree.writer.removeDirectory(RelativePath("d")) == .surprised)
        #expect(try tree.writer.removeDirectory(RelativePath("d/x")) == .surprised)
        tree.remove("d/x")
        #expect(try tree.writer.removeDirectory(RelativePath("d")) != .surprised)
        #expect(try tree.writer.removeDirectory(RelativePath("d")) == .surprised)
        #expect(try tree.names().isEmpty)
    }

    @Test func `a file is removed only if it is the expected one`() throws {
        try tree.write("x", to: "a")
        let stamp = try tree.stamp("a")
        try tree.save("y", to: "a")
        #expect(try tree.writer.remove(RelativePath("a"), expecting: .stamp(stamp)) == .surprised)
        #expect(try tree.read("a") == "y")
        let now = Expected.stamp(try tree.stamp("a"))
        #expect(try tree.writer.remove(RelativePath("a"), expecting: now) != .surprised)
        #expect(try tree.writer.remove(RelativePath("a"), expecting: now) == .surprised)
        #expect(try tree.names().isEmpty && tree.leftovers().isEmpty)
    }

    @Test func `mode and time are set only on the expected file`() throws {
        try tree.write("x", to: "a", mode: 0o600)
        let outcome = try tree.writer.setAttributes(
            RelativePath("a"), mode: 0o4444, modified: Timestamp(nanoseconds: 12),
            expecting: .stamp(tree.stamp("a")))
        guard case .done(let status) = outcome else { throw SystemError(EEXIST) }
        #expect(status.mode == 0o444 && status.stamp.modified.nanoseconds == 12)
        let old = status.stamp
        try tree.save("y", to: "a")
        let second = try tree.writer.setAttributes(
            RelativePath("a"), mode: 0o600, modified: Timestamp(nanoseconds: 13),
            expecting: .stamp(old))
        #expect(second == .surprised)
        #expect(try tree.root.status(RelativePath("a"))?.mode == 0o644)
    }

    @Test func `a folder's time is set`() throws {
        try tree.makeFolder("d")
        try tree.writer.setModified(ofDirectory: RelativePath("d"), Timestamp(nanoseconds: -5))
        #expect(try tree.stamp("d").modified.nanoseconds == -5)
    }

    @Test func `a move keeps the inode and never replaces`() throws {
        try tree.write("x", to: "a")
        try tree.write("taken", to: "b")
        let stamp = try tree.stamp("a")
        let from = try RelativePath("a")
        #expect(
            try tree.writer.move(from: from, to: RelativePath("b"), expecting: .stamp(stamp))
                == .surprised)
        #expect(try tree.read("b") == "taken")
        #expect(
            try tree.writer.move(from: from, to: RelativePath("c"), expecting: .stamp(stamp))
                != .surprised)
        #expect(try tree.stamp("c").inode == stamp.inode)
        #expect(try tree.names() == ["b", "c"])
    }

    @Test func `a folder moves with everything in it`() throws {
        try tree.makeFolder("d")
        try tree.write("x", to: "d/x")
        let outcome = try tree.writer.move(
            from: RelativePath("d"), to: RelativePath("e"), expecting: .stamp(tree.stamp("d")))
        #expect(outcome != .surprised)
        #expect(try tree.read("e/x") == "x")
    }

    @Test func `missing parent folders are created, others are left`() throws {
        try tree.makeFolder("d")
        #expect(chmod(tree.absolute("d"), 0o700) == 0)
        try tree.writer.makeFolders(above: RelativePath("d/e/f/x"))
        #expect(try tree.names("d") == ["e"])
        #expect(try tree.names("d/e") == ["f"])
        #expect(try tree.names("d/e/f").isEmpty)
        #expect(try tree.root.status(RelativePath("d"))?.mode == 0o700)
        #expect(try tree.root.status(RelativePath("d/e/f"))?.mode == 0o755)
    }

    @Test func `what is not a folder has no folder's time set`() throws {
        try tree.write("x", to: "a")
        for name in ["a", "none"] {
            try tree.writer.setModified(ofDirectory: RelativePath(name), Timestamp(nanoseconds: 5))
        }
        #expect(try tree.stamp("a").modified.nanoseconds != 5)
    }

    @Test(
        "of a folder only the inode is expected",
        arguments: [(Expected.any, true), (.absent, false), (.link([97]), false)])
    func folders(_ expected: Expected, _ isExpected: Bool) throws {
        try tree.makeFolder("d")
        let old = try tree.stamp("d")
        try tree.write("x", to: "d/x")
        let path = try RelativePath("d")
        let time = Timestamp(nanoseconds: 5)
        for (expected, isExpected) in [(expected, isExpected), (.stamp(old), true)] {
            let outcome = try tree.writer.setAttributes(
                path, mode: 0o700, modified: time, expecting: expected)
            #expect((outcome != .surprised) == isExpected)
            let moved = try tree.writer.move(from: path, to: RelativePath("e"), expecting: expected)
            #expect((moved != .surprised) == isExpected)
            if isExpected {
                #expect(
                    try tree.writer.move(from: RelativePath("e"), to: path, expecting: .any)
                        != .surprised)
            }
        }
        tree.remove("d")
        try tree.makeFolder("other")
        try tree.makeFolder("d")
        if try tree.stamp("d").inode != old.inode {
            let outcome = try tree.writer.setAttributes(
                path, mode: 0o700, modified: time, expecting: .stamp(old))
            #expect(outcome == .surprised)
        }
    }

    @Test func `every step can be made durable`() throws {
        let writer = TreeWriter(root: tree.root, staging: tree.staging, sync: .each)
        let path = try RelativePath("d/a")
        #expect(try writer.makeDirectory(RelativePath("d"), mode: 0o755) != .surprised)
        #expect(try writer.install(tree.staged("1"), at: path, expecting: .absent) != .surprised)
        #expect(try writer.install(tree.staged("2"), at: path, expecting: .any) != .surprised)
        #expect(try writer.remove(path, expecting: .any) != .surprised)
        #expect(try writer.removeDirectory(RelativePath("d")) != .surprised)
        try writer.flush()
    }
}
