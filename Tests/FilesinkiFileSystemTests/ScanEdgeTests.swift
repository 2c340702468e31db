import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization
import Testing

@testable import FilesinkiFileSystem

/// What a scan is made of: the known tree by folder, device numbers, threads; and its rules of a folder.
@Suite struct ScanEdgeTests {
    private static func row(_ path: String, _ kind: Entry.Kind = .file) throws -> BaseRow {
        let time = Timestamp(nanoseconds: 0)
        let entry =
            kind == .directory
            ? Entry.directory(mode: 0o755, modified: time)
            : Entry.file(ContentHasher.hash([]), size: 0, mode: 0o644, modified: time)
        return BaseRow(path: try RelativePath(path), entry: entry, version: 1, stamp: nil)
    }

    // MARK: The known tree

    @Test("a name is found among those of its folder")
    func slots() throws {
        let paths = [
            "a", "d", "d/a", "d/ab", "d/a-b", "d/b", "d/\u{E9}", "d-e", "e/only", "\u{E9}",
        ]
        let known = BaseSnapshot(try (paths + paths.reversed()).map { try Self.row($0) })
        #expect(known.rows.count == paths.count)
        let folders: [(String, [String])] = [
            ("", ["a", "d", "d-e", "\u{E9}"]), ("d", ["a", "a-b", "ab", "b", "\u{E9}"]),
            ("e", ["only"]), ("a", []), ("none", []),
        ]
        for (folder, names) in folders {
            let slots = known.slots(of: Array(folder.utf8))
            #expect(slots.map { String(decoding: known.name(at: $0), as: UTF8.self) } == names)
            for name in ["", "a", "a-", "a-b", "a-c", "ab", "abc", "b", "only", "z", "\u{E9}"] {
                let slot = Array(name.utf8).withUnsafeBytes { known.slot(of: $0, among: slots) }
                #expect(slot.map { $0 - slots.lowerBound } == names.firstIndex(of: name), "\(name)")
                if let slot {
                    let path = (folder.isEmpty ? "" : folder + "/") + name
                    #expect(try known.rows[known.row(at: slot)].path == RelativePath(path))
                }
            }
        }
        // `d` is a file here, and `e` has no row.
        #expect(known.unlistedFolders == [Array("d".utf8), Array("e".utf8)])
        let listed = try BaseSnapshot([Self.row("d", .directory), Self.row("d/a")])
        #expect(listed.unlistedFolders.isEmpty)
    }

    private static let orders: [([UInt8], [UInt8], Int)] = [
        ([], [], 0), ([], [0], -1), ([1], [1], 0), ([1], [1, 0], -1), ([1, 2], [1, 1], 1),
        ([0x7F], [0x80], -1), ([0xFF], [1, 1, 1], 1), ([1, 2, 3], [1, 2], 1),
    ]

    @Test("names are in the order of their bytes", arguments: orders)
    func order(_ left: [UInt8], _ right: [UInt8], _ expected: Int) {
        #expect(compare(left, right).signum() == expected)
        #expect(compare(right, left).signum() == -expected)
        #expect(compare(left[...], right[...]).signum() == expected)
    }

    // MARK: Device numbers

    @Test(
        "an unchanged inode proves that only the device number changed",
        arguments: ["", "inode", "size", "modified", "changed", "unknown", "elsewhere"])
    func devices(_ difference: String) {
        let present = FileStamp(
            device: 8, inode: 2, size: 3, modified: Timestamp(nanoseconds: 4),
            changed: Timestamp(nanoseconds: 5))
        var known: FileStamp? = present
        known?.device = 7
        switch difference {
        case "inode": known?.inode = 9
        case "size": known?.size = 9
        case "modified": known?.modified = Timestamp(nanoseconds: 9)
        case "changed": known?.changed = Timestamp(nanoseconds: 9)
        case "unknown": known = nil
        case "elsewhere": known?.device = 8
        default: break
        }
        var numbers = DeviceNumbers()
        numbers.recordPresent(present, known: known, in: 8)
        #expect(numbers.areSame(7, 8) == difference.isEmpty)
        #expect(numbers.areSame(8, 8) && !numbers.areSame(8, 7) && !numbers.areSame(7, 9))
        // A file that has another number than its folder, as on btrfs.
        var others = DeviceNumbers()
        others.recordPresent(present, known: nil, in: 6)
        #expect(others.areSame(8, 6) && !others.areSame(6, 8))
        others.merge(numbers)
        #expect(others.areSame(8, 6) && others.areSame(7, 8) == difference.isEmpty)
    }

    @Test("what is said of a file system that is not mounted, and of two names that are one")
    func messages() throws {
        let unmounted = Failure.unmounted(try RelativePath("d"))
        #expect(unmounted.code == .io && unmounted.path == Array("d".utf8))
        #expect(
            unmounted.message
                == "The files here were on another file system, which is not mounted now.")
        #expect(
            unmounted.remedy
                == "Mount it and run again. To delete the files everywhere, run filesinki delete -r."
        )
        let twin = Failure.twin(try RelativePath("a"), try RelativePath("A"))
        #expect(twin.code == .exists && twin.path == Array("a".utf8))
        #expect(
            twin.message
                == "Cannot write it: the file system does not distinguish its name from A.")
        #expect(
            twin.remedy
                == "It is kept in the store. Rename one of the two on a device that has both.")
    }

    // MARK: Threads

    @Test("work that makes more work is done once, by any number of threads", arguments: [0, 1, 5])
    func work(_ threads: Int) {
        let begun = Atomic<Int>(0)
        let done = Mutex<[Int]>([])
        let queue = WorkQueue([1])
        onThreads(threads) {
            begun.add(1, ordering: .relaxed)
            queue.drain { number in
                done.withLock { $0.append(number) }
                return number < 512 ? [2 * number, 2 * number + 1] : []
            }
        }
        #expect(begun.load(ordering: .relaxed) == max(threads, 1))
        #expect(done.withLock { $0.sorted() } == Array(1...1023))
        let none = WorkQueue<Int>([])
        onThreads(threads) { none.drain { _ in [1] } }
    }

    @Test("a scan finds the same with any number of threads", arguments: [1, 2, 7])
    func threads(_ workers: Int) throws {
        let tree = try TemporaryTree()
        var expected: [String] = []
        for folder in (10..<30).map({ "d\($0)" }) {
            try tree.makeFolder(folder)
            expected.append("directory \(folder)")
            for name in ["f", "s"] {
                if name == "s" {
                    try tree.makeFolder("\(folder)/s")
                    expected.append("directory \(folder)/s")
                }
                let path = name == "s" ? "\(folder)/s/f" : "\(folder)/f"
                try tree.write("x", to: path)
                expected.append("read \(path)")
            }
        }
        let gone = try (10..<30).map { try Self.row("d\($0)/gone") }
        let result = try Scanner(root: tree.root, filter: EverythingFilter(), workers: workers)
            .scan(BaseSnapshot(gone))
        expected += gone.map { "missing \($0.path)" }
        #expect(words(result) == expected.sorted())
        #expect(result.fileCount == 40)
        #expect(result.candidates.map(\.path) == result.candidates.map(\.path).sorted())
        #expect(result.missing == result.missing.sorted())
    }

    // MARK: Folders and their rules

    @Test("rules that would not hold block their folder")
    func linkedRules() throws {
        let tree = try TemporaryTree()
        for folder in ["linked", "folder", "fifo", "file"] {
            try tree.makeFolder(folder)
            try tree.write("x", to: folder + "/x")
        }
        try tree.write("x", to: "rules")
        try tree.link("../rules", at: "linked/.rules")
        try tree.makeFolder("folder/.rules")
        #expect(mkfifo(tree.absolute("fifo/.rules"), 0o600) == 0)
        try tree.write("x", to: "file/.rules")
        let scanner = Scanner(
            root: tree.root, filter: NameFilter(names: [], rules: ".rules"))
        let found = try scanner.scan(BaseSnapshot([]))
        #expect(
            words(found) == [
                "blocked linked", "directory fifo", "directory file", "directory folder",
                "directory folder/.rules", "directory linked", "fifo fifo/.rules", "problem linked",
                "read fifo/x", "read file/.rules", "read folder/x", "read rules",
            ])
        #expect(found.fileCount == 4)
        let failure = try #require(found.problems.first?.failure)
        #expect(failure.code == .usage && failure.path == Array("linked/.rules".utf8))
        #expect(
            failure.message
                == "The ignore file is a symbolic link, which is not followed: its rules would not hold. Nothing in its "
                + "folder is synced until it is corrected.")
        #expect(failure.remedy == "Put the rules into a file of this name.")
        let below = #expect(throws: Failure.self) {
            try scanner.scan(BaseSnapshot([]), below: RelativePath("linked/x"))
        }
        #expect(below?.path == Array("linked/.rules".utf8))
    }

    @Test("a mode that no change time tells of is found, with the content that is known")
    func modeAlone() throws {
        let tree = try TemporaryTree()
        try tree.write("x", to: "f", mode: 0o640)
        try tree.makeFolder("d")
        var rows: [BaseRow] = []
        for (path, kind) in [("d", Entry.Kind.directory), ("f", .file)] {
            var row = try Self.row(path, kind)
            row.entry.mode = 0o600
            row.stamp = try tree.stamp(path)
            rows.append(row)
        }
        let scanner = Scanner(root: tree.root, filter: EverythingFilter())
        let found = try scanner.scan(BaseSnapshot(rows))
        #expect(words(found) == ["directory d", "file f"])
        #expect(found.changed.map(\.entry.mode) == [0o755, 0o640])
        #expect(found.changed.last?.entry.content == rows[1].entry.content)
        #expect(try found.changed.last?.stamp == tree.stamp("f"))
        #expect(found.fileCount == 1)
        // Without a stamp the content has to be read; a folder has none to read.
        for index in rows.indices { rows[index].stamp = nil }
        rows[0].entry.mode = 0o755
        let unknown = try scanner.scan(BaseSnapshot(rows))
        #expect(words(unknown) == ["read f"])
        #expect(unknown.candidates.map(\.knownRow) == [1])
    }
}
