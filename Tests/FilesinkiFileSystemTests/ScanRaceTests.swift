import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization
import Testing

@testable import FilesinkiFileSystem

/// A user changes a folder while it is scanned. What is not certain is blocked, never missing.
@Suite("Races of a scan")
struct ScanRaceTests {
    let tree: TemporaryTree

    /// `d` contains the file `f`, the symlink `l` and the folder `s`, in which is `g`.
    init() throws {
        tree = try TemporaryTree()
        for folder in ["d", "d/s"] { try tree.makeFolder(folder) }
        for file in ["d/f", "d/s/g"] { try tree.write("text", to: file) }
        try tree.link("target", at: "d/l")
    }

    /// What the user does, and what the scan finds.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: [String]
        /// Done before the scan, after the known tree was recorded.
        var before: @Sendable (TemporaryTree) throws -> Void = { _ in }
        var act: @Sendable (TemporaryTree) throws -> Void
    }

    static let listed = [
        Case(testDescription: "a file is deleted", expected: ["missing d/f"]) {
            $0.remove("d/f")
        },
        Case(testDescription: "a new file is deleted", expected: []) {
            try $0.write("new", to: "d/new")
        } act: {
            $0.remove("d/new")
        },
        Case(testDescription: "a folder is deleted", expected: ["missing d/s", "missing d/s/g"]) {
            $0.remove("d/s")
        },
        Case(testDescription: "a file is saved", expected: ["read d/f"]) {
            try $0.save("saved", to: "d/f")
        },
        Case(testDescription: "a file that was not listed is saved", expected: ["blocked d/f"]) {
            $0.remove("d/f")
        } act: {
            try $0.save("saved", to: "d/f")
        },
        Case(testDescription: "a folder that was not listed is back", expected: ["blocked d/s"]) {
            #expect(rename($0.absolute("d/s"), $0.base + "/away") == 0)
        } act: {
            #expect(rename($0.base + "/away", $0.absolute("d/s")) == 0)
        },
        Case(testDescription: "a file becomes a folder", expected: ["directory d/f"]) {
            $0.remove("d/f")
            try $0.makeFolder("d/f")
        },
        Case(testDescription: "a file becomes a symlink", expected: ["symlink d/f -> target"]) {
            $0.remove("d/f")
            try $0.link("target", at: "d/f")
        },
    ]

    @Test("E2.2 a change after a folder was listed", arguments: listed)
    func afterListing(_ example: Case) throws {
        let known = try tree.known()
        try example.before(tree)
        let filter = ActingFilter(folder: "d") { [tree] in try? example.act(tree) }
        #expect(try words(Scanner(root: tree.root, filter: filter).scan(known)) == example.expected)
    }

    static let examined: [(String, String?, [String])] = [
        ("d/s", nil, ["blocked d/s"]), ("d/s", "link", ["blocked d/s"]),
        ("d/s", "file", ["blocked d/s"]), ("d/l", nil, ["blocked d/l"]),
        ("d/l", "file", ["blocked d/l"]), ("d/l", "folder", ["blocked d/l"]),
    ]

    @Test(
        "E2.2 what is gone or replaced before it is read is blocked, without a problem",
        arguments: examined)
    func afterLook(_ path: String, _ successor: String?, _ expected: [String]) throws {
        let link = try RelativePath("d/l")
        // The link is read only if it may have changed.
        let known = BaseSnapshot(
            try tree.known().rows.map { row in
                var row = row
                if row.path == link { row.stamp = nil }
                return row
            })
        let hasActed = Mutex(false)
        let place = try RelativePath(path)
        var scanner = Scanner(root: tree.root, filter: EverythingFilter())
        scanner.injection.hasDevices = true
        scanner.injection.device = { [tree] found in
            guard found == place, !hasActed.withLock({ $0 }) else { return nil }
            hasActed.withLock { $0 = true }
            tree.remove(path)
            switch successor {
            case "link": try? tree.link("target", at: path)
            case "file": try? tree.write("text", to: path)
            case "folder": try? tree.makeFolder(path)
            default: break
            }
            return nil
        }
        let found = try words(scanner.scan(known))
        #expect(found.filter { !$0.hasPrefix("symlink") } == expected)
        #expect(hasActed.withLock { $0 })
    }

    @Test("E2.2 paths whose folder has no row are not missing if it is unreadable or ignored")
    func unlistedFolders() throws {
        let rows = try tree.known().rows.filter { $0.entry.kind != .directory }
        let folder = try RelativePath("d")
        var scanner = Scanner(root: tree.root, filter: EverythingFilter())
        scanner.injection.fault = { $0 == folder ? SystemError(EIO) : nil }
        #expect(
            try words(scanner.scan(BaseSnapshot(rows)))
                == ["blocked d", "directory d", "problem d"])
        let ignoring = Scanner(root: tree.root, filter: NameFilter(names: ["d"]))
        #expect(try words(ignoring.scan(BaseSnapshot(rows))) == ["ignored d"])
        tree.remove("d")
        #expect(try words(ignoring.scan(BaseSnapshot(rows))) == ["ignored d"])
        let ignoringNames = Scanner(root: tree.root, filter: NameFilter(names: ["f", "g"]))
        #expect(
            try words(ignoringNames.scan(BaseSnapshot(rows)))
                == ["ignored d/f", "ignored d/s/g", "missing d/l"])
        try tree.link("elsewhere", at: "d")
        #expect(
            try words(ignoringNames.scan(BaseSnapshot(rows)))
                == ["ignored d/f", "ignored d/s/g", "missing d/l", "symlink d -> elsewhere"])
    }
}

/// Does something when a folder has been listed, and before its names are examined.
private struct ActingFilter: ScanFilter {
    var folder: String
    var act: @Sendable () -> Void

    func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool { false }

    func entering(
        _ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?
    ) rethrows -> any ScanFilter {
        if name.elementsEqual(folder.utf8) { act() }
        return self
    }
}
