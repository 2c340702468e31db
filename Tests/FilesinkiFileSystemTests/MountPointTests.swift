import FilesinkiModel
import Testing

@testable import FilesinkiFileSystem

/// File systems that are mounted below the root, recognised by their device numbers.
@Suite("Mount points below the root")
struct MountPointTests {
    /// One thing that became of a tree whose folder `d` was on another device, and what a scan finds.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The device that `d` and all in it is on; nil for the root's.
        var device: UInt64?
        var expected: [String]
        /// The device that the root was on.
        var rootDevice: UInt64?
        var change: @Sendable (TemporaryTree) throws -> Void

        static let all = [
            Case(
                testDescription: "it is unmounted", device: nil,
                expected: ["blocked d", "problem d"]
            ) { tree in
                for name in ["f", "l", "s"] { tree.remove("d/\(name)") }
            },
            Case(
                testDescription: "it is unmounted, and something was written into the bare folder",
                device: nil, expected: ["blocked d", "problem d"]
            ) { tree in
                for name in ["f", "l", "s"] { tree.remove("d/\(name)") }
                try tree.write("n", to: "d/new")
            },
            Case(
                testDescription:
                    "it is unmounted, and the bare folder has a folder of the same name",
                device: nil, expected: ["blocked d", "problem d"]
            ) { tree in
                for name in ["f", "l", "s/g"] { tree.remove("d/\(name)") }
            },
            Case(
                testDescription: "its folder went with it", device: nil,
                expected: ["blocked d", "problem d"]
            ) { $0.remove("d") },
            Case(
                testDescription: "a symlink took its place", device: nil,
                expected: ["blocked d", "problem d"]
            ) { tree in
                tree.remove("d")
                try tree.link("elsewhere", at: "d")
            },
            Case(
                testDescription: "another disk is mounted", device: 78,
                expected: ["blocked d", "problem d"]
            ) { tree in
                for name in ["f", "l", "s"] { tree.remove("d/\(name)") }
                try tree.write("other", to: "d/other")
            },
            Case(
                testDescription: "a file is deleted on it", device: 77,
                expected: ["missing d/f"]
            ) { $0.remove("d/f") },
            Case(
                testDescription: "it has another number, and a file was deleted", device: 78,
                expected: ["missing d/f", "read d/s/g", "symlink d/l -> target"]
            ) { $0.remove("d/f") },
            Case(
                testDescription: "its files were copied to the root's disk", device: nil,
                expected: ["read d/f", "read d/s/g", "symlink d/l -> target"]
            ) { tree in
                try tree.save("f", to: "d/f")
                try tree.save("g", to: "d/s/g")
                tree.remove("d/l")
                try tree.link("target", at: "d/l")
            },
            Case(
                testDescription: "the root itself had that number, and gives new inodes",
                device: nil, expected: ["missing d/f", "read d/s/g", "symlink d/l -> target"],
                rootDevice: 77
            ) { tree in
                tree.remove("d/f")
                try tree.save("g", to: "d/s/g")
                tree.remove("d/l")
                try tree.link("target", at: "d/l")
            },
        ]
    }

    let tree: TemporaryTree

    init() throws {
        tree = try TemporaryTree()
        try tree.makeFolder("d")
        try tree.makeFolder("d/s")
        try tree.write("f", to: "d/f")
        try tree.write("g", to: "d/s/g")
        try tree.link("target", at: "d/l")
        try tree.write("e", to: "e")
    }

    @Test("E2.2 findings of a scan below a mount point", arguments: Case.all)
    func differences(_ example: Case) throws {
        let known = try knownTree(on: 77)
        try example.change(tree)
        let found = try scanner(example.device, rootDevice: example.rootDevice).scan(known)
        #expect(words(found) == example.expected.sorted())
    }

    @Test("E2.2 files with an untrusted stamp are on the device of their folder")
    func unsettled() throws {
        let known = try knownTree(on: 77)
        let rows = known.rows.map { row in
            var row = row
            if row.entry.kind == .file { row.stamp = nil }
            return row
        }
        tree.remove("d")
        #expect(
            try words(scanner(nil).scan(BaseSnapshot(rows))) == [
                "blocked d", "problem d", "read e",
            ])
    }

    @Test("E2.2 a symlink that is still there proves that only the number changed")
    func symlinkProves() throws {
        let known = try knownTree(on: 77)
        tree.remove("d/f")
        tree.remove("d/s")
        try #expect(
            words(scanner(nil).scan(known)).filter { $0.hasPrefix("missing") }
                == ["missing d/f", "missing d/s", "missing d/s/g"])
    }

    @Test(
        "E2.2 a scan below an unmounted mount point reports nothing more", arguments: ["d", "d/f"])
    func below(_ path: String) throws {
        let known = try knownTree(on: 77)
        for name in ["f", "l", "s"] { tree.remove("d/\(name)") }
        let found = try scanner(nil).scan(known, below: RelativePath(path))
        #expect(words(found) == ["blocked d", "problem d"])
    }

    @Test("E2.2 a mount point inside an unmounted one is not reported beside it")
    func inner() throws {
        let known = try knownTree(on: 77)
        for name in ["f", "l", "s/g"] { tree.remove("d/\(name)") }
        var scanner = self.scanner(nil)
        scanner.injection.device = { $0?.bytes == Array("d/s".utf8) ? 78 : nil }
        let found = try scanner.scan(known)
        #expect(words(found) == ["blocked d", "problem d"])
        #expect(found.mountPoints.isEmpty)
    }

    @Test("E2.2 a file in the deepest folder tells on which device the folder above was")
    func deepest() throws {
        let rows = try knownTree(on: 77).rows.filter {
            $0.entry.kind == .directory || $0.path.description == "d/s/g"
        }
        let unsure = rows.map { row in
            var row = row
            // A folder's own number may be that of the bare folder.
            if row.entry.kind == .directory { row.stamp = nil }
            return row
        }
        tree.remove("d")
        let found = try scanner(nil).scan(BaseSnapshot(unsure))
        #expect(words(found).filter { !$0.hasPrefix("read") } == ["blocked d", "problem d"])
    }

    @Test(
        "E2.2 a folder that is deleted on a mounted file system is missing, also by a scan below it",
        arguments: ["d/s", "d/s/g"])
    func deletedBelow(_ path: String) throws {
        let known = try knownTree(on: 77)
        tree.remove("d/s")
        var scanner = self.scanner(nil)
        scanner.injection.device = { $0?.bytes == Array("d".utf8) ? 77 : nil }
        let found = try scanner.scan(known, below: RelativePath(path))
        let gone = ["missing d/s", "missing d/s/g"]
        #expect(words(found) == gone.filter { $0.contains(path) })
    }

    @Test(
        "E2.2 a symlink in the place of a mounted folder deletes nothing by a scan below it",
        arguments: [("d/f", "d"), ("d/s/g", "d/s")])
    func linkBelow(_ path: String, _ blocked: String) throws {
        let known = try knownTree(on: 77)
        tree.remove("d")
        try tree.link("elsewhere", at: "d")
        let found = try scanner(nil).scan(known, below: RelativePath(path))
        #expect(words(found) == ["blocked \(blocked)", "problem \(blocked)"])
    }

    @Test("E2.2 a mount point is reported only once")
    func firstSight() throws {
        let folders = try knownTree(on: nil).rows.filter { $0.entry.kind == .directory }
        let first = try scanner(77).scan(BaseSnapshot(folders))
        #expect(first.mountPoints.map(\.description) == ["d"])
        #expect(first.restamped.map(\.path.description) == ["d", "d/s"])
        #expect(first.restamped.allSatisfy { $0.stamp?.device == 77 })
        let second = try scanner(77).scan(knownTree(on: 77))
        #expect(second.mountPoints.isEmpty && second.restamped.isEmpty)
        #expect(try scanner(nil).scan(BaseSnapshot([])).mountPoints.isEmpty)
    }

    /// Scans as if `d` and all in it were on a device.
    private func scanner(_ device: UInt64?, rootDevice: UInt64? = nil) -> Scanner {
        var scanner = Scanner(root: tree.root, filter: EverythingFilter(), rootDevice: rootDevice)
        scanner.injection.hasDevices = true
        scanner.injection.device = { path in
            guard let device, let path, path.bytes.first == UInt8(ascii: "d") else { return nil }
            return device
        }
        return scanner
    }

    /// The tree as it is now, as a manifest would hold it.
    private func knownTree(on device: UInt64?) throws -> BaseSnapshot {
        try tree.known(scanner(device))
    }
}
