import FilesinkiModel
import FilesinkiSystem
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// One thing done to a tree, and what a scan makes of it.
struct ScanCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var act: @Sendable (TemporaryTree) throws -> Void
    var expected: [String]

    init(
        _ name: String, _ expected: [String],
        _ act: @escaping @Sendable (TemporaryTree) throws -> Void
    ) {
        testDescription = name
        self.expected = expected
        self.act = act
    }

    static let all: [ScanCase] = [
        ScanCase("nothing", []) { _ in },
        ScanCase("a new file", ["read d/new"]) { try $0.write("n", to: "d/new") },
        ScanCase("an edit", ["read d/f"]) { try $0.write("edited", to: "d/f") },
        ScanCase("an edit of the same size with the old time", ["read d/f"]) { tree in
            let times = [
                try tree.stamp("d/f").modified.timespec, try tree.stamp("d/f").modified.timespec,
            ]
            try tree.write("F", to: "d/f")
            guard utimensat(AT_FDCWD, tree.absolute("d/f"), times, 0) == 0 else {
                throw SystemError.last
            }
        },
        ScanCase("another mode", ["read d/f"]) { tree in
            guard chmod(tree.absolute("d/f"), 0o600) == 0 else { throw SystemError.last }
        },
        ScanCase("a deletion", ["missing d/f"]) { $0.remove("d/f") },
        ScanCase(
            "a folder deleted",
            [
                "missing d", "missing d-e", "missing d/f", "missing d/l", "missing d/s",
                "missing d/s/g",
            ]
        ) {
            $0.remove("d")
            $0.remove("d-e")
        },
        ScanCase("a new folder", ["directory n", "directory n/m", "read n/m/x"]) {
            try $0.makeFolder("n")
            try $0.makeFolder("n/m")
            try $0.write("x", to: "n/m/x")
        },
        ScanCase("a folder's mode", ["directory d"]) { tree in
            guard chmod(tree.absolute("d"), 0o700) == 0 else { throw SystemError.last }
        },
        ScanCase("a folder's time alone", []) { tree in
            guard utimensat(AT_FDCWD, tree.absolute("d"), nil, 0) == 0 else {
                throw SystemError.last
            }
        },
        ScanCase("another target", ["symlink d/l -> elsewhere"]) {
            $0.remove("d/l")
            try $0.link("elsewhere", at: "d/l")
        },
        ScanCase("a file becomes a folder", ["directory d/f", "read d/f/x"]) {
            $0.remove("d/f")
            try $0.makeFolder("d/f")
            try $0.write("x", to: "d/f/x")
        },
        ScanCase("a file becomes a symlink", ["symlink d/f -> t"]) {
            $0.remove("d/f")
            try $0.link("t", at: "d/f")
        },
        ScanCase("a symlink becomes a file", ["read d/l"]) {
            $0.remove("d/l")
            try $0.write("x", to: "d/l")
        },
        ScanCase("a folder becomes a file", ["missing d/s/g", "read d/s"]) {
            $0.remove("d/s")
            try $0.write("x", to: "d/s")
        },
        ScanCase("a folder becomes a symlink to one", ["missing d/s/g", "symlink d/s -> ../d-e"]) {
            $0.remove("d/s")
            try $0.link("../d-e", at: "d/s")
        },
        ScanCase("a fifo", ["fifo p"]) { tree in
            guard mkfifo(tree.absolute("p"), 0o600) == 0 else { throw SystemError.last }
        },
        ScanCase("a file becomes a fifo", ["blocked d/f", "fifo d/f"]) { tree in
            tree.remove("d/f")
            guard mkfifo(tree.absolute("d/f"), 0o600) == 0 else { throw SystemError.last }
        },
        ScanCase("the replica's own state", []) {
            try $0.makeFolder(".filesinki")
            try $0.write("x", to: ".filesinki/x")
        },
        ScanCase("a name that could be taken for it", ["problem .FILESINKI"]) {
            try $0.makeFolder(".FILESINKI")
        },
        ScanCase("the state of a replica below the root", ["problem d/s/.Filesinki"]) {
            try $0.makeFolder("d/.filesinki")
            try $0.write("x", to: "d/.filesinki/config.toml")
            try $0.makeFolder("d/s/.Filesinki")
        },
    ]
}

@Suite struct ScannerTests {
    let tree: TemporaryTree

    /// `d` with file, symlink and subfolder; `d-e` sorts between `d` and `d/f`.
    init() throws {
        tree = try TemporaryTree()
        try tree.makeFolder("d")
        try tree.makeFolder("d/s")
        try tree.write("f", to: "d/f")
        try tree.write("g", to: "d/s/g")
        try tree.link("target", at: "d/l")
        try tree.write("e", to: "d-e")
    }

    @Test("detects changes", arguments: ScanCase.all)
    func differences(_ example: ScanCase) throws {
        let known = try tree.known()
        try example.act(tree)
        let result = try Scanner(root: tree.root, filter: EverythingFilter()).scan(known)
        #expect(words(result) == example.expected.sorted())
    }

    @Test func `another folder of the same name has its own stamp`() throws {
        let known = try tree.known()
        try tree.makeFolder("n")
        tree.remove("d/s")
        #expect(rename(tree.absolute("n"), tree.absolute("d/s")) == 0)
        let result = try Scanner(root: tree.root, filter: EverythingFilter()).scan(known)
        #expect(result.restamped.map(\.path.description) == ["d/s"])
        #expect(try result.restamped.first?.stamp?.inode == tree.stamp("d/s").inode)
    }

    @Test func `the first scan of a tree lists all of it in order`() throws {
        let result = try Scanner(root: tree.root, filter: EverythingFilter()).scan(BaseSnapshot([]))
        #expect(result.candidates.map(\.path.description) == ["d-e", "d/f", "d/s/g"])
        #expect(result.changed.map(\.path.description) == ["d", "d/l", "d/s"])
        #expect(result.fileCount == 3)
    }

    @Test(
        "an error in a folder reports nothing below it",
        arguments: [("d", ["blocked d", "problem d"]), ("d/s", ["blocked d/s", "problem d/s"])])
    func unreadable(_ folder: String, _ expected: [String]) throws {
        let known = try tree.known()
        tree.remove("d/s/g")
        let path = try RelativePath(folder)
        var scanner = Scanner(root: tree.root, filter: EverythingFilter())
        scanner.injection.fault = { $0 == path ? SystemError(EIO) : nil }
        #expect(try words(scanner.scan(known)) == expected)
    }

    @Test func `an error in the root is an error of the scan`() throws {
        var scanner = Scanner(root: tree.root, filter: EverythingFilter())
        scanner.injection.fault = { $0 == nil ? SystemError(EIO) : nil }
        let known = try tree.known()
        #expect(throws: Failure.self) { try scanner.scan(known) }
    }

    @Test func `known paths that are now ignored are neither missing nor changed`() throws {
        let known = try tree.known()
        tree.remove("d/s")
        try tree.write("edited", to: "d/f")
        let scanner = Scanner(root: tree.root, filter: NameFilter(names: ["f", "s", "new"]))
        try tree.write("n", to: "d/new")
        #expect(try words(scanner.scan(known)) == ["ignored d/f", "ignored d/s"])
        tree.remove("d")
        #expect(
            try words(scanner.scan(known)) == [
                "ignored d/f", "ignored d/s", "missing d", "missing d/l",
            ])
    }

    @Test func `a filter reads its rules from the folder it enters`() throws {
        try tree.write("g", to: "d/s/.rules")
        let scanner = Scanner(root: tree.root, filter: NameFilter(names: [], rules: ".rules"))
        let result = try scanner.scan(BaseSnapshot([]))
        #expect(result.candidates.map(\.path.description) == ["d-e", "d/f", "d/s/.rules"])
    }

    @Test(
        "a scan below a path reads nothing else",
        arguments: [
            ("d/s", ["directory d/s", "read d/s/g"]), ("d/f", ["read d/f"]), ("d/none", []),
            ("none/x", []), ("d/f/x", []), ("d/l/x", []),
        ])
    func below(_ path: String, _ expected: [String]) throws {
        let scanner = Scanner(root: tree.root, filter: EverythingFilter())
        #expect(try words(scanner.scan(BaseSnapshot([]), below: RelativePath(path))) == expected)
    }

    @Test("a scan below a path asks the rules of folders about those above it")
    func belowIgnoredFolder() throws {
        let filter = FolderFilter(name: "d")
        let found = try Scanner(root: tree.root, filter: filter)
            .scan(tree.known(), below: RelativePath("d/s/g"))
        #expect(words(found) == ["ignored d/s/g"])
    }

    @Test func `a scan below a path that was deleted finds it missing`() throws {
        let known = try tree.known()
        tree.remove("d")
        let scanner = Scanner(root: tree.root, filter: EverythingFilter())
        #expect(
            try words(scanner.scan(known, below: RelativePath("d/s"))) == [
                "missing d/s", "missing d/s/g",
            ])
    }

    @Test func `a path of 4096 bytes is scanned, a longer one is a problem`() throws {
        let name = String(repeating: "n", count: 240)
        var folder = open(tree.absolute(""), O_RDONLY | O_DIRECTORY)
        for _ in 0..<16 {
            #expect(mkdirat(folder, name, 0o755) == 0)
            let next = openat(folder, name, O_RDONLY | O_DIRECTORY)
            close(folder)
            folder = next
        }
        // What has a longer path than a call takes is removed from folder to folder.
        defer { TreeRemoval.remove(tree.absolute(name)) }
        defer { close(folder) }
        for end in [name, name + "n"] {
            close(openat(folder, end, O_WRONLY | O_CREAT, 0o644))
        }
        let scanner = Scanner(root: tree.root, filter: EverythingFilter())
        let result = try scanner.scan(BaseSnapshot([]))
        #expect(result.candidates.map(\.path.bytes.count).max() == 4096)
        #expect(result.problems.map(\.path.bytes.count) == [4097])
        #expect(result.blocked.map(\.bytes.count) == [4097])
    }

    @Test func `rows whose folder has no row are compared, too`() throws {
        let known = BaseSnapshot(try tree.known().rows.filter { $0.path.description != "d" })
        #expect(
            try words(Scanner(root: tree.root, filter: EverythingFilter()).scan(known)) == [
                "directory d"
            ])
        tree.remove("d")
        #expect(
            try words(Scanner(root: tree.root, filter: EverythingFilter()).scan(known))
                == ["missing d/f", "missing d/l", "missing d/s", "missing d/s/g"])
    }

    @Test func `the order of the known rows does not matter`() throws {
        let known = BaseSnapshot(try tree.known().rows.reversed())
        #expect(known.rows.map(\.path.description) == ["d", "d-e", "d/f", "d/l", "d/s", "d/s/g"])
        #expect(known.slots(of: Array("d".utf8)).map(known.row(at:)) == [2, 3, 4])
        #expect(known.slots(of: []).map(known.row(at:)) == [0, 1])
        #expect(try words(Scanner(root: tree.root, filter: EverythingFilter()).scan(known)).isEmpty)
    }
}

/// All a scan found, a line for each thing.
func words(_ result: ScanResult) -> [String] {
    let changed = result.changed.map { change in
        switch change.entry.kind {
        case .symlink: "symlink \(change.path) -> \(printable(change.entry.target))"
        default: "\(change.entry.kind) \(change.path)"
        }
    }
    let lists = [
        result.candidates.map { "read \($0.path)" }, changed,
        result.missing.map { "missing \($0)" },
        result.specials.map { "\($0.word) \($0.path)" }, result.ignored.map { "ignored \($0)" },
        result.problems.map { "problem \($0.path)" }, result.blocked.map { "blocked \($0)" },
    ]
    return lists.flatMap(\.self).sorted()
}

/// Leaves out folders of a name, and no files.
private struct FolderFilter: ScanFilter {
    var name: String

    func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool {
        isDirectory && name.elementsEqual(self.name.utf8)
    }

    func entering(
        _ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?
    ) rethrows -> any ScanFilter { self }
}

/// Leaves out some names everywhere, and in a folder what its file of rules names.
struct NameFilter: ScanFilter {
    var names: Set<String>
    var rules: String?

    func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool {
        names.contains(String(decoding: name, as: UTF8.self))
    }

    func entering(
        _ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?
    ) rethrows -> any ScanFilter {
        guard let rules, let bytes = try read(rules) else { return self }
        return NameFilter(
            names: names.union([String(decoding: bytes, as: UTF8.self)]), rules: rules)
    }
}
