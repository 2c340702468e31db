import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// Live files of the simplest kind: their first bytes are `LIVE`, and what was committed since is in
/// the log, as plain text.
private struct TextLives: LiveFiles {
    func isLive(_ header: [UInt8]) -> Bool { header.starts(with: "LIVE".utf8) }

    func snapshot(at path: String) throws(Failure) -> (any LiveSnapshot)? {
        do {
            let copy = path.replacingLast("/", by: "/../snapshot-")
            try TemporaryTree.write(Self.content(path), absolute: copy)
            return TextSnapshot(path: copy)
        } catch {
            throw Failure(.corrupt, path: "elsewhere", "No live file.", remedy: "Leave it.")
        }
    }

    func replace(
        _ path: String, with content: String, isExpected: (String) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        guard let snapshot = try snapshot(at: path) else { return false }
        defer { unlink(snapshot.path) }
        guard try isExpected(snapshot.path) else { return false }
        do {
            try TemporaryTree.write(Self.content(content), absolute: path)
            unlink(path + "-wal")
            return true
        } catch {
            throw Failure(.io, path: "elsewhere", "Cannot write it.", remedy: "Run again.")
        }
    }

    private static func content(_ path: String) throws -> [UInt8] {
        let file = try FileHandle(path, O_RDONLY).readAll(expecting: 100)
        if file.contains(UInt8(ascii: "!")) { throw SystemError(EIO) }
        let log = try? FileHandle(path + "-wal", O_RDONLY).readAll(expecting: 100)
        return file + (log ?? [])
    }
}

private struct TextSnapshot: LiveSnapshot { var path: String }

extension String {
    fileprivate func replacingLast(_ letter: Character, by text: String) -> String {
        guard let place = lastIndex(of: letter) else { return self }
        return self[..<place] + text + self[index(after: place)...]
    }
}

/// Files that programs have open: their content is a snapshot, and a program finds the new content in
/// the file that it has open.
@Suite struct LiveFileTests {
    let tree: TemporaryTree

    init() throws { tree = try TemporaryTree(live: TextLives()) }

    private func scan(_ known: BaseSnapshot = BaseSnapshot([])) throws -> [String] {
        try words(Scanner(root: tree.root, filter: EverythingFilter()).scan(known))
    }

    private func content(_ path: String) throws -> String {
        String(
            decoding: try tree.root.readWhole(RelativePath(path), limit: 100).bytes, as: UTF8.self)
    }

    private func age(_ path: String, to seconds: Int) {
        let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, tree.absolute(path), times, 0) == 0)
    }

    // MARK: Scanning

    @Test func `the companions of a live file are never synced`() throws {
        try tree.write("LIVE", to: "x.db")
        for name in ["x.db-wal", "x.db-shm", "x.db-journal", "film", "m", "-wal"] {
            try tree.write("1", to: name)
        }
        #expect(try scan() == ["read -wal", "read film", "read m", "read x.db"])
    }

    @Test func `files of those names beside any other file are files`() throws {
        try tree.write("text", to: "x.db")
        for name in ["x.db-wal", "x.db-shm", "x.db-journal", "y-wal"] {
            try tree.write("1", to: name)
        }
        try tree.makeFolder("LIVE")
        try tree.write("1", to: "LIVE-wal")
        #expect(
            try scan() == [
                "directory LIVE", "read LIVE-wal", "read x.db", "read x.db-journal",
                "read x.db-shm", "read x.db-wal", "read y-wal",
            ])
    }

    @Test func `a companion that was synced once is ignored, not deleted`() throws {
        try tree.write("LIVE", to: "x.db")
        try tree.write("1", to: "x.db-wal")
        let entry = Entry.file(
            ContentHasher.hash([]), size: 0, mode: 0o644, modified: Timestamp(nanoseconds: 0))
        let row = BaseRow(path: try RelativePath("x.db-wal"), entry: entry, version: 1, stamp: nil)
        #expect(try scan(BaseSnapshot([row])) == ["ignored x.db-wal", "read x.db"])
    }

    @Test("a commit into the log changes the stamp", arguments: [nil, "x.db"])
    func stamp(_ below: String?) throws {
        try tree.write("LIVE", to: "x.db")
        let before = try tree.stamp("x.db")
        let scanner = Scanner(root: tree.root, filter: EverythingFilter())
        let cases: [(String, Int, Timestamp)] = [
            ("", 4_000_000_000, before.changed),
            ("commit", 4_000_000_000, Timestamp(nanoseconds: 4_000_000_000_000_000_000)),
            // Older than the file.
            ("commit", 1, before.changed),
        ]
        for (text, time, expected) in cases {
            try tree.write(text, to: "x.db-wal")
            age("x.db-wal", to: time)
            let path = try below.map { try RelativePath($0) }
            let found = try scanner.scan(BaseSnapshot([]), below: path).candidates
            #expect(found.map(\.path.description) == ["x.db"])
            #expect(found.first?.status.stamp.changed == expected)
        }
        tree.remove("x.db-wal")
        try tree.makeFolder("x.db-wal")
        let found = try scanner.scan(BaseSnapshot([]), below: RelativePath("x.db")).candidates
        #expect(found.first?.status.stamp.changed == before.changed)
    }

    // MARK: Reading

    @Test func `the content of a live file is its snapshot, which is removed`() throws {
        try tree.write("LIVE", to: "x.db")
        #expect(try content("x.db") == "LIVE")
        try tree.write(" commit", to: "x.db-wal")
        #expect(try content("x.db") == "LIVE commit")
        #expect(try TemporaryTree.names(tree.base) == ["root", "staging"])
    }

    @Test(
        "a live file is as new as the newer of the file and its log",
        arguments: [(5, nil, 5), (5, 3, 5), (5, 9, 9)])
    func modified(_ file: Int, _ log: Int?, _ expected: Int64) throws {
        try tree.write("LIVE", to: "x.db")
        age("x.db", to: file)
        if let log {
            try tree.write("1", to: "x.db-wal")
            age("x.db-wal", to: log)
        }
        let status = try tree.root.readWhole(RelativePath("x.db"), limit: 100).status
        #expect(status.contentModified == Timestamp(nanoseconds: expected * 1_000_000_000))
        #expect(try tree.stamp("x.db").modified.seconds == file)
    }

    @Test func `a live file that cannot be read is named`() throws {
        try tree.write("LIVE!", to: "x.db")
        let failure = #expect(throws: Failure.self) { try content("x.db") }
        #expect(failure?.code == .corrupt && failure?.path == Array("x.db".utf8))
    }

    @Test("whether a file is live and has a log") func facts() throws {
        try tree.write("LIVE", to: "x")
        try tree.write("text", to: "y")
        try tree.makeFolder("d")
        let plain = try TemporaryTree()
        try plain.write("LIVE", to: "x")
        try plain.write("log", to: "x-wal")
        for name in ["x", "y", "d", "none", "none/x"] {
            #expect(try tree.root.isLive(RelativePath(name)) == (name == "x"))
            #expect(try !tree.root.hasLog(RelativePath(name)))
            #expect(try !plain.root.isLive(RelativePath(name)))
            #expect(try !plain.root.hasLog(RelativePath(name)))
        }
        try tree.write("", to: "x-wal")
        #expect(try !tree.root.hasLog(RelativePath("x")))
        try tree.write("log", to: "x-wal")
        #expect(try tree.root.hasLog(RelativePath("x")))
        tree.remove("x-wal")
        try tree.makeFolder("x-wal")
        #expect(try !tree.root.hasLog(RelativePath("x")))
    }

    // MARK: Replacing

    enum Seen: CaseIterable { case any, stamp, content, otherStamp, otherContent, absent, link }

    @Test("a live file is replaced in place if it is the expected one", arguments: Seen.allCases)
    func replaces(_ seen: Seen) throws {
        try tree.write("LIVE", to: "x.db", mode: 0o600)
        let first = try tree.stamp("x.db")
        try tree.write(" commit", to: "x.db-wal")
        age("x.db-wal", to: 4_000_000_000)
        let now = try #require(
            Scanner(root: tree.root, filter: EverythingFilter()).scan(BaseSnapshot([]))
                .candidates.first?.status.stamp)
        let expected: Expected =
            switch seen {
            case .any: .any
            case .stamp: .stamp(now)
            case .content: .content(ContentHasher.hash(Array("LIVE commit".utf8)), size: 11)
            case .otherStamp: .stamp(first)
            case .otherContent: .content(ContentHasher.hash(Array("LIVE".utf8)), size: 4)
            case .absent: .absent
            case .link: .link([97])
            }
        let outcome = try tree.writer.install(
            tree.staged("LIVE new", mode: 0o640, modified: 7_000_000_000),
            at: RelativePath("x.db"), expecting: expected)
        guard [Seen.any, .stamp, .content].contains(seen) else {
            #expect(outcome == .surprised)
            #expect(try content("x.db") == "LIVE commit")
            return
        }
        guard case .done(let status) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try tree.read("x.db") == "LIVE new")
        #expect(status.stamp.inode == first.inode)
        #expect(status.mode == 0o640 && status.stamp.modified.seconds == 7)
        #expect(try tree.stamp("x.db") == status.stamp)
        #expect(try tree.leftovers().isEmpty)
    }

    @Test("the failure of a replacement names the file") func failing() throws {
        try tree.write("LIVE!", to: "x.db")
        let failure = #expect(throws: Failure.self) {
            try tree.writer.install(
                tree.staged("LIVE new"), at: RelativePath("x.db"), expecting: .any)
        }
        #expect(failure?.path == Array("x.db".utf8))
        #expect(try tree.read("x.db") == "LIVE!")
    }

    @Test(
        "any other file is replaced as a whole, with the companions of the former one",
        arguments: [true, false])
    func replacedByText(_ byContent: Bool) throws {
        try tree.write("LIVE", to: "x")
        for name in ["x-wal", "x-shm"] { try tree.write("1", to: name) }
        let old = Expected.content(ContentHasher.hash(Array("LIVE1".utf8)), size: 5)
        let outcome = try tree.writer.install(
            tree.staged("text"), at: RelativePath("x"), expecting: byContent ? old : .any)
        #expect(outcome != .surprised)
        #expect(try tree.read("x") == "text")
        #expect(try tree.names() == ["x"])
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "a new live file is not placed beside the log of another one",
        arguments: [("x-wal", true), ("x-journal", true), ("x-shm", false), ("y-wal", false)])
    func orphans(_ name: String, _ isRefused: Bool) throws {
        try tree.write("log", to: name)
        let path = try RelativePath("x")
        if isRefused {
            let failure = #expect(throws: Failure.self) {
                try tree.writer.install(tree.staged("LIVE"), at: path, expecting: .absent)
            }
            #expect(failure?.code == .exists && failure?.path == path.bytes)
            #expect(failure?.remedy.contains(name) == true)
            #expect(try tree.names() == [name])
            // A file that is not live takes no harm.
            #expect(
                try tree.writer.install(tree.staged("text"), at: path, expecting: .absent)
                    != .surprised)
        } else {
            #expect(
                try tree.writer.install(tree.staged("LIVE"), at: path, expecting: .absent)
                    != .surprised)
        }
        #expect(try tree.names() == ["x", name].sorted())
    }

    // MARK: Removing

    @Test func `a live file is removed with its companions`() throws {
        try tree.write("LIVE", to: "x")
        for name in ["x-wal", "x-shm", "x-journal"] { try tree.write("1", to: name) }
        let old = Expected.content(ContentHasher.hash(Array("LIVE1".utf8)), size: 5)
        #expect(try tree.writer.remove(RelativePath("x"), expecting: old) != .surprised)
        #expect(try tree.names().isEmpty)
        #expect(try tree.leftovers().isEmpty)
    }

    @Test(
        "a commit while a live file is removed keeps it, with its companions",
        arguments: ["x-wal", "x-journal"])
    func commitMeanwhile(_ companion: String) throws {
        try tree.write("LIVE", to: "x")
        try tree.write("1", to: "x-wal")
        let tree = tree
        var writer = tree.writer
        writer.probe = { step in
            if step == .allowed { try? tree.write("2", to: companion) }
        }
        #expect(try writer.remove(RelativePath("x"), expecting: .any) == .surprised)
        #expect(try tree.read("x") == "LIVE")
        #expect(try tree.read(companion) == "2")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test func `a folder in the place of a log keeps the live file`() throws {
        try tree.write("LIVE", to: "x")
        try tree.makeFolder("x-wal")
        #expect(try tree.writer.remove(RelativePath("x"), expecting: .any) == .surprised)
        #expect(try tree.names() == ["x", "x-wal"])
    }

    @Test func `mode and time are set if the snapshot has the expected content`() throws {
        try tree.write("LIVE", to: "x", mode: 0o600)
        try tree.write("1", to: "x-wal")
        for (text, isExpected) in [("LIVE", false), ("LIVE1", true)] {
            let content = ContentHasher.hash(Array(text.utf8))
            let outcome = try tree.writer.setAttributes(
                RelativePath("x"), mode: 0o640, modified: Timestamp(nanoseconds: 5),
                expecting: .content(content, size: Int64(text.utf8.count)))
            #expect((outcome != .surprised) == isExpected)
            #expect(try tree.root.status(RelativePath("x"))?.mode == (isExpected ? 0o640 : 0o600))
        }
    }
}
