import FilesinkiModel
import FilesinkiSystem
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// The root itself: what is at its paths, its marker, and replicas below it.
@Suite struct RootTests {
    let tree: TemporaryTree

    init() throws {
        tree = try TemporaryTree()
        try tree.makeFolder("d")
        try tree.write("x", to: "d/x")
        try tree.write("f", to: "f")
        try tree.link("d", at: "l")
        #expect(mkfifo(tree.absolute("p"), 0o600) == 0)
    }

    /// The kind, whether something is held there, and the code of a failure.
    private static let places: [(String, FileStatus.Kind?, Bool, Failure.Code?)] = [
        ("f", .file, true, nil), ("d", .directory, true, nil), ("d/x", .file, true, nil),
        ("l", .symlink, true, nil), ("p", .special, true, nil), ("none", nil, false, nil),
        ("none/x", nil, false, nil), ("f/x", nil, false, nil), ("l/x", nil, false, .badPath),
        ("l/none", nil, false, .badPath),
    ]

    @Test("what is at a path, without following a symlink", arguments: places)
    func status(_ name: String, _ kind: FileStatus.Kind?, _ holds: Bool, _ code: Failure.Code?)
        throws
    {
        let path = try RelativePath(name)
        #expect(try tree.root.holds(path) == holds)
        guard let code else {
            #expect(try tree.root.status(path)?.kind == kind)
            return
        }
        let failure = #expect(throws: Failure.self) { try tree.root.status(path) }
        #expect(failure?.code == code && failure?.path == path.bytes)
        #expect(failure?.message == "The path leads through a symlink.")
    }

    @Test(
        "the names of a folder are read, and of nothing else",
        arguments: [("f", nil), ("l", nil), ("p", nil), ("none", nil), ("d", ["x"])]
            as [(String, [String]?)])
    func names(_ name: String, _ expected: [String]?) throws {
        let path = try RelativePath(name)
        guard let expected else {
            let failure = #expect(throws: Failure.self) { try tree.root.names(in: path) }
            #expect(failure?.path == path.bytes)
            return
        }
        #expect(try tree.root.names(in: path) == expected.map { Array($0.utf8) })
        let all = try tree.root.names().map { String(decoding: $0, as: UTF8.self) }
        #expect(all.sorted() == ["d", "f", "l", "p"])
    }

    @Test("the kinds of a folder's names are told with them")
    func kinds() throws {
        try tree.makeFolder("k")
        try tree.makeFolder("k/d")
        try tree.write("f", to: "k/f")
        try tree.link("d", at: "k/l")
        let found = try tree.root.kinds(in: RelativePath("k"))
        let folders = found.filter { $0.isFolder }
            .map { String(decoding: $0.name, as: UTF8.self) }
        #expect(found.count == 3 && folders == ["d"])
        let failure = #expect(throws: Failure.self) {
            _ = try tree.root.kinds(in: RelativePath("l"))
        }
        #expect(failure?.path == Array("l".utf8))
    }

    @Test("only a symlink has a target", arguments: ["f", "d", "p", "none"])
    func targets(_ name: String) throws {
        let path = try RelativePath(name)
        let failure = #expect(throws: Failure.self) { try tree.root.readLink(path) }
        #expect(failure?.code == .notFound && failure?.path == path.bytes)
        let long = String(repeating: "t", count: 4095)
        try tree.link(long, at: "long")
        #expect(try tree.root.readLink(RelativePath("long")) == Array(long.utf8))
    }

    @Test func `a root that was moved is the same root`() throws {
        #expect(rename(tree.base + "/root", tree.base + "/moved") == 0)
        #expect(mkdir(tree.base + "/root", 0o755) == 0)
        #expect(try tree.root.readWhole(RelativePath("f"), limit: 10).bytes == Array("f".utf8))
        let outcome = try tree.writer.install(
            tree.staged("new"), at: RelativePath("new"), expecting: .absent)
        #expect(outcome != .surprised)
        #expect(try TemporaryTree.names(tree.base + "/root").isEmpty)
        #expect(try TemporaryTree.names(tree.base + "/moved") == ["d", "f", "l", "new", "p"])
    }

    @Test func `a file is no root`() {
        let path = tree.absolute("f")
        let failure = #expect(throws: Failure.self) { try RootFolder(path: path) }
        #expect(failure?.code == .notFound && failure?.path == Array(path.utf8))
        #expect(failure?.message == "The root is missing or is not a folder.")
        #expect(failure?.remedy == "Mount it or create it; nothing was treated as deleted.")
    }

    @Test("a fifo is not replaced by a save") func modeToKeep() throws {
        let failure = #expect(throws: Failure.self) {
            try tree.root.modeToKeep(at: RelativePath("p"))
        }
        #expect(failure?.code == .exists && failure?.path == Array("p".utf8))
        #expect(failure?.message == "A FIFO, a socket or a device is there.")
        #expect(failure?.remedy == "Choose another path, or remove it first.")
    }

    // MARK: The marker

    private static let id = [UInt8](repeating: 0xAB, count: 16)
    private static let digits = String(repeating: "ab", count: 16)

    private static let markers: [(String, RootMarker.Diagnosis)] = [
        (digits + "\n", .ok), (digits, .other), ("", .other), (digits + "\n\n", .other),
        (digits.uppercased() + "\n", .other), (String(digits.dropLast(2)) + "\n", .other),
    ]

    @Test("the marker is the id, and nothing else", arguments: markers)
    func marker(_ text: String, _ expected: RootMarker.Diagnosis) throws {
        let marker = RootMarker(root: tree.root)
        try tree.makeFolder(".filesinki")
        #expect(try marker.check(Self.id) == .missing)
        try tree.write(text, to: ".filesinki/root")
        #expect(try marker.check(Self.id) == expected)
        try marker.write(Self.id)
        #expect(try tree.read(".filesinki/root") == Self.digits + "\n")
    }

    @Test("a marker behind a symlink is not read, and not written") func linkedMarker() throws {
        let marker = RootMarker(root: tree.root)
        try tree.write(Self.digits + "\n", to: "d/root")
        try tree.link("d", at: ".filesinki")
        #expect(throws: Failure.self) { try marker.check(Self.id) }
        let failure = #expect(throws: Failure.self) { try marker.write([1]) }
        #expect(failure?.path == Array(".filesinki".utf8))
        #expect(try tree.read("d/root") == Self.digits + "\n")
        tree.remove(".filesinki")
        try tree.write("x", to: ".filesinki")
        #expect(try marker.check(Self.id) == .missing)
        #expect(throws: Failure.self) { try marker.write(Self.id) }
        tree.remove(".filesinki")
        try marker.write(Self.id)
        var record = stat()
        #expect(stat(tree.absolute(".filesinki"), &record) == 0)
        #expect(record.st_mode & 0o777 == 0o700)
    }

    // MARK: Replicas of the same store

    /// Makes a replica with a configuration in a folder.
    private func makeReplica(in folder: String, _ configuration: String) throws {
        try tree.makeFolder(folder)
        try tree.makeFolder(folder + "/.filesinki")
        try tree.write(configuration, to: folder + "/.filesinki/replica")
        try tree.write("inner", to: folder + "/inner")
    }

    private func root(sharing configuration: String) throws -> RootFolder {
        try RootFolder(path: tree.base + "/root") { $0 == Array(configuration.utf8) }
    }

    @Test func `a replica of the store is known by its configuration alone`() throws {
        try makeReplica(in: "own", "ours")
        try makeReplica(in: "other", "theirs")
        try makeReplica(in: "linked", "x")
        #expect(unlink(tree.absolute("linked/.filesinki/replica")) == 0)
        try tree.link("../../own/.filesinki/replica", at: "linked/.filesinki/replica")
        try makeReplica(in: "fifo", "x")
        #expect(unlink(tree.absolute("fifo/.filesinki/replica")) == 0)
        #expect(mkfifo(tree.absolute("fifo/.filesinki/replica"), 0o600) == 0)
        let root = try root(sharing: "ours")
        for name in ["own", "other", "linked", "fifo", "d", "f", "none"] {
            let path = try RelativePath(name)
            #expect(root.holdsOwnStore(path) == (name == "own"), "\(name)")
            #expect(!tree.root.holdsOwnStore(path), "\(name)")
        }
    }

    @Test func `what is in a replica of the store is left alone, and it is named once`() throws {
        try makeReplica(in: "own", "ours")
        try tree.makeFolder("own/sub")
        try makeReplica(in: "other", "theirs")
        let scanner = Scanner(root: try root(sharing: "ours"), filter: EverythingFilter())
        let first = try scanner.scan(BaseSnapshot([]))
        #expect(first.ownReplicas.map(\.description) == ["own"])
        #expect(first.replicas.map(\.description) == ["other"])
        #expect(words(first).filter { $0.contains("own") } == ["directory own"])
        #expect(words(first).contains("read other/inner"))
        let folders = first.changed.filter { $0.entry.kind == .directory }.map {
            BaseRow(path: $0.path, entry: $0.entry, version: 1, stamp: $0.stamp)
        }
        let second = try scanner.scan(BaseSnapshot(folders))
        #expect(second.ownReplicas.isEmpty && second.replicas.isEmpty)
        // What is known in it is left, too, and that is said.
        let inner = try #require(
            try tree.root.status(RelativePath("own/inner")).map { status in
                BaseRow(
                    path: try RelativePath("own/inner"),
                    entry: .symlink(to: [97], modified: status.stamp.modified), version: 1,
                    stamp: status.stamp)
            })
        let third = try scanner.scan(BaseSnapshot(folders + [inner]))
        #expect(third.ownReplicas.map(\.description) == ["own"])
        #expect(words(third).contains("ignored own/inner"))
        let below = try scanner.scan(BaseSnapshot([]), below: RelativePath("own/inner"))
        #expect(words(below) == ["ignored own/inner"])
    }
}
