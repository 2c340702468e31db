import FilesinkiModel
import FilesinkiSystem
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// A step at a path that has something else than a file, or nothing.
struct RefusedStep: Sendable, CustomTestStringConvertible {
    typealias Act = @Sendable (TemporaryTree, RelativePath) throws -> InstallOutcome
    var testDescription: String
    /// What becomes of the step at each of ``paths``: `-` surprised, `!` not found, `y` done.
    var expected: String
    var act: Act

    /// Nothing, nothing in nothing, something below a file, a fifo, a symlink to a folder, a folder that is not empty.
    static let paths = ["none", "none/x", "f/x", "p", "l", "d"]

    init(_ name: String, _ expected: String, _ act: @escaping Act) {
        testDescription = name
        self.expected = expected
        self.act = act
    }

    private static let modified = Timestamp(nanoseconds: 7)

    static let all = [
        RefusedStep("remove a file", "------") { try $0.writer.remove($1, expecting: .absent) },
        RefusedStep("remove a link", "------") {
            try $0.writer.remove($1, expecting: .link(Array("other".utf8)))
        },
        RefusedStep("remove a folder", "------") { try $0.writer.removeDirectory($1) },
        RefusedStep("move a file", "------") {
            try $0.writer.move(from: $1, to: RelativePath("free"), expecting: .absent)
        },
        RefusedStep("move a link", "------") {
            try $0.writer.move(
                from: $1, to: RelativePath("free"), expecting: .link(Array("other".utf8)))
        },
        RefusedStep("move to it", "y!!---") {
            let outcome = try $0.writer.move(from: RelativePath("f"), to: $1, expecting: .any)
            if outcome != .surprised { rename($0.absolute("none"), $0.absolute("f")) }
            return outcome
        },
        RefusedStep("install a new file", "y!!---") {
            let outcome = try $0.writer.install($0.staged("new"), at: $1, expecting: .absent)
            $0.remove("none")
            return outcome
        },
        RefusedStep("replace a file", "-!!---") { tree, path in
            try tree.writer.install(
                tree.staged("new"), at: path, expecting: .stamp(tree.stamp("f")))
        },
        RefusedStep("replace by a link", "-!!---") { tree, path in
            try tree.writer.makeSymlink(
                target: [97], at: path, modified: modified, expecting: .stamp(tree.stamp("f")))
        },
        RefusedStep("make a folder", "y!!--y") {
            let outcome = try $0.writer.makeDirectory($1, mode: 0o755)
            rmdir($0.absolute("none"))
            return outcome
        },
        RefusedStep("set attributes", "-!!---") {
            try $0.writer.setAttributes($1, mode: 0o755, modified: modified, expecting: .absent)
        },
        RefusedStep("set attributes of a link", "-!!---") {
            try $0.writer.setAttributes(
                $1, mode: 0o755, modified: modified, expecting: .link(Array("other".utf8)))
        },
    ]
}

/// What a step leaves alone, and what it refuses with a reason.
@Suite struct RefusedStepTests {
    let tree: TemporaryTree

    init() throws {
        tree = try TemporaryTree()
        try tree.makeFolder("d")
        try tree.write("x", to: "d/x")
        try tree.write("f", to: "f")
        try tree.link("d", at: "l")
        #expect(mkfifo(tree.absolute("p"), 0o600) == 0)
    }

    @Test("a step leaves alone what it does not expect", arguments: RefusedStep.all)
    func refuses(_ step: RefusedStep) throws {
        for (path, expected) in zip(RefusedStep.paths, step.expected) {
            let before = try kinds()
            var found = "-"
            do {
                if try step.act(tree, RelativePath(path)) != .surprised { found = "y" }
            } catch let failure as Failure {
                found = failure.code == .notFound ? "!" : "\(failure)"
            }
            #expect(found == String(expected), "\(path)")
            #expect(try kinds() == before, "\(path)")
            #expect(try tree.read("f") == "f" && tree.read("d/x") == "x", "\(path)")
        }
        #expect(try tree.leftovers().isEmpty)
    }

    private func kinds() throws -> [String] {
        try tree.names().map { "\($0) \(try tree.root.status(RelativePath($0))?.kind as Any)" }
    }

    @Test("any file may be replaced, removed and moved, but no fifo", arguments: ["f", "l", "p"])
    func anything(_ name: String) throws {
        let path = try RelativePath(name)
        let isRefused = name == "p"
        let writer = tree.writer
        #expect(
            try
                (writer.setAttributes(
                    path, mode: 0o600, modified: Timestamp(nanoseconds: 7), expecting: .any)
                == .surprised) == isRefused)
        #expect(
            try (writer.move(from: path, to: RelativePath("m"), expecting: .any) == .surprised)
                == isRefused)
        let now = isRefused ? path : try RelativePath("m")
        #expect(
            try (writer.install(tree.staged("new"), at: now, expecting: .any) == .surprised)
                == isRefused)
        #expect(try (writer.remove(now, expecting: .any) == .surprised) == isRefused)
        #expect(try tree.names() == ["d", "f", "l", "p"].filter { $0 != name || isRefused })
        #expect(try tree.leftovers().isEmpty)
    }

    @Test("a symlink has a target without NUL", arguments: [[], [0], [97, 0], [97, 0, 98]])
    func targets(_ target: [UInt8]) throws {
        let failure = #expect(throws: Failure.self) {
            try tree.writer.makeSymlink(
                target: target, at: RelativePath("new"), modified: Timestamp(nanoseconds: 0),
                expecting: .absent)
        }
        #expect(failure?.code == .badPath && failure?.path == Array("new".utf8))
        #expect(failure?.message == "The symlink has no valid target.")
        #expect(failure?.remedy == "Create it again on the device that it came from.")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test("what has its mode and time already is not touched", arguments: ["f", "d", "l"])
    func untouched(_ name: String) throws {
        let path = try RelativePath(name)
        let before = try #require(try tree.root.status(path))
        let outcome = try tree.writer.setAttributes(
            path, mode: before.mode, modified: before.stamp.modified, expecting: .any)
        #expect(outcome == .done(before))
        #expect(try tree.root.status(path) == before)
        guard name == "d" else { return }
        #expect(try tree.writer.makeDirectory(path, mode: before.mode) == .done(before))
        #expect(try tree.root.status(path) == before)
    }

    @Test func `a staged file is written, finished and installed in this order`() throws {
        let file = try tree.staging.makeFile(mode: 0o7640)
        let path = try RelativePath("new")
        let early = #expect(throws: Failure.self) {
            try tree.writer.install(file, at: path, expecting: .absent)
        }
        #expect(early?.code == .usage && early?.path == path.bytes)
        #expect(early?.message == "The file to install is not finished.")
        #expect(file.status == nil)
        let name = String(decoding: file.name, as: UTF8.self)
        #expect(name.hasPrefix("\(getpid())-"))
        var record = stat()
        #expect(lstat("\(tree.base)/staging/\(name)", &record) == 0)
        #expect(record.st_mode & 0o7777 & ~0o640 == 0)
        try file.finish(mode: 0o4750, modified: Timestamp(nanoseconds: 7), sync: true)
        #expect(file.status?.mode == 0o750 && file.status?.stamp.modified.nanoseconds == 7)
        let late = #expect(throws: Failure.self) {
            try file.finish(mode: 0o600, modified: Timestamp(nanoseconds: 8), sync: false)
        }
        #expect(late?.code == .io && late?.path == Array("\(tree.base)/staging".utf8))
        #expect(try file.reader().next() == nil)
        #expect(try tree.writer.install(file, at: path, expecting: .absent) != .surprised)
        #expect(try tree.stamp("new").modified.nanoseconds == 7)
    }

    @Test(
        "a file from elsewhere is staged, and stays where it is",
        arguments: [NameAbility.all, .noFlagsNoLinks])
    func adopted(_ ability: NameAbility) throws {
        let tree = try TemporaryTree(calls: ability.calls)
        try tree.write("given", to: "given")
        let file = try tree.staging.adopt(tree.absolute("given"))
        let reader = try file.reader()
        #expect(try reader.next() == Array("given".utf8))
        let isLinked = try reader.finish().stamp.inode == tree.stamp("given").inode
        #expect(isLinked == (ability == .all))
        #expect(file.header == Array("given".utf8))
        #expect(try tree.read("given") == "given")
        let failure = #expect(throws: Failure.self) {
            _ = try tree.staging.adopt(tree.absolute("none"))
        }
        #expect(failure?.path == Array("\(tree.base)/staging".utf8))
        #expect(try tree.leftovers() == [String(decoding: file.name, as: UTF8.self)])
    }

    @Test func `the staging folder is private, and on the file system of the root`() throws {
        var record = stat()
        #expect(lstat(tree.base + "/staging", &record) == 0 && record.st_mode & 0o777 == 0o700)
        let other = "/dev/shm/filesinki-staging-\(getpid())"
        guard let there = FileStamp(at: "/dev/shm"), try there.device != tree.stamp("f").device
        else {
            print("left out: there is no other file system")
            return
        }
        defer { rmdir(other) }
        let failure = #expect(throws: Failure.self) {
            _ = try Staging(root: tree.root, folder: other)
        }
        #expect(failure?.code == .usage && failure?.path == Array(other.utf8))
        #expect(
            failure?.message == "The staging folder is on another file system than the root.")
        #expect(failure?.remedy == "Choose a state folder on the root's file system.")
    }
}
