import FilesinkiModel
import FilesinkiSQLite
import Testing

@testable import FilesinkiManifest

/// Rows as bytes and their checks, without a database.
@Suite struct RowCodingTests {
    private func sum(
        _ table: StaticString = "base", _ body: (inout RowCheck) -> Void = { _ in }
    ) -> UInt64 {
        var check = RowCheck(table: table)
        body(&check)
        return check.value
    }

    private func sum(of values: [UInt8]...) -> UInt64 {
        sum { check in
            for value in values { value.withUnsafeBytes { check.add($0) } }
        }
    }

    @Test func `a change of any bit, at any place, changes the check`() {
        for length in [1, 7, 8, 9, 16, 17] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            var found: Set<UInt64> = [sum(of: bytes)]
            for bit in 0..<(length * 8) {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                found.insert(sum(of: changed))
            }
            #expect(found.count == length * 8 + 1, "\(length)")
        }
    }

    @Test func `values are told apart by their lengths, their order and their borders`() {
        let checks = [
            sum(of: []), sum(of: [0]), sum(of: [0, 0]),
            sum(of: [UInt8](repeating: 0, count: 8)),
            sum(of: [UInt8](repeating: 0, count: 9)), sum(of: [], []), sum(of: [1, 2], [3]),
            sum(of: [1], [2, 3]), sum(of: [1, 2, 3]), sum(of: [3], [1, 2]),
            RowCheck(table: "base").value,
        ]
        #expect(Set(checks).count == checks.count)
    }

    @Test func `a row is not taken for one of another table`() {
        let row: (inout RowCheck) -> Void = { $0.add(UInt64(7)) }
        #expect(sum("base", row) == sum("base", row))
        #expect(sum("base", row) != sum("local", row))
        #expect(sum("base") != sum("bas"))
    }

    @Test func `the check of the values so far can be asked for at any time`() {
        var check = RowCheck(table: "base")
        let before = check.value
        #expect(check.value == before)
        check.add(UInt64(0))
        #expect(check.value != before)
    }

    // MARK: Entries

    @Test("an entry comes back from its bytes", arguments: Samples.entries + [.tombstone])
    func entries(_ entry: Entry) {
        let bytes = EntryBytes.encode(entry)
        #expect(bytes.count == 51 + entry.target.count)
        #expect(EntryBytes.decode(bytes) == entry)
    }

    @Test func `the bytes are those of the document`() {
        let entry = Entry(
            kind: .symlink, mode: 0o644, modified: Timestamp(nanoseconds: -2), size: 258,
            content: Samples.content(3), target: [0x61, 0xFF])
        let expected: [UInt8] =
            [3, 0x01, 0xA4] + [UInt8](repeating: 0xFF, count: 7) + [0xFE, 0, 0, 0, 0, 0, 0, 1, 2]
        #expect(EntryBytes.encode(entry) == expected + Samples.content(3).bytes + [0x61, 0xFF])
    }

    @Test func `bytes that are too short, or of no kind, are no entry`() {
        let bytes = EntryBytes.encode(Samples.entries[0])
        for length in 0..<bytes.count { #expect(EntryBytes.decode(Array(bytes[..<length])) == nil) }
        for kind in [0, 5, 255] as [UInt8] {
            #expect(EntryBytes.decode([kind] + bytes.dropFirst()) == nil)
        }
        // Of a mode only the permissions count.
        let mode = EntryBytes.decode([1, 0xFF, 0xFF] + bytes.dropFirst(3))?.mode
        #expect(mode == 0o777)
    }

    // MARK: Tallies

    @Test func `a tally counts rows and sums their checks, in any order, without an overflow`() {
        var one = Tally()
        for check in [UInt64.max, 5, 7] { one.add(check) }
        #expect(one == Tally(rows: 3, checks: 11))
        one.remove(.max)
        #expect(one == Tally(rows: 2, checks: 12))
        #expect(one + Tally(rows: -2, checks: 0 &- 12) == Tally())
        #expect(
            Tally(rows: .max, checks: .max) + Tally(rows: 1, checks: 1)
                == Tally(rows: .min, checks: 0))
    }
}

/// Questions that are answered without reading a whole tree.
@Suite struct ManifestQueryTests {
    let temporary: TemporaryManifest
    let manifest: ManifestDatabase

    init() throws {
        temporary = try TemporaryManifest()
        manifest = try temporary.open()
    }

    private func path(_ text: String) -> RelativePath {
        RelativePath(unchecked: Array(text.utf8))
    }

    private func put(_ rows: [(String, Entry)]) throws {
        try manifest.write { writer in
            for (index, row) in rows.enumerated() {
                let (path, version) = (path(row.0), UInt64(index) + 1)
                try writer.putBase(BaseRow(path: path, entry: row.1, version: version))
                try writer.putLocal(LocalRow(path: path, entry: row.1, stamp: nil, movedFrom: nil))
                try writer.putRemote(
                    RemoteRow(
                        path: path, entry: VersionedEntry(row.1, version: version), movedFrom: nil))
            }
        }
    }

    private static func file(_ size: Int64) -> Entry {
        .file(Samples.content(1), size: size, mode: 0o644, modified: Timestamp(nanoseconds: 1))
    }

    @Test func `folders are no files, and the sizes of all others are added`() throws {
        #expect(try manifest.baseFiles() == (0, 0))
        try put([
            ("a", Self.file(5)),
            ("d", .directory(mode: 0o755, modified: Timestamp(nanoseconds: 1))),
            ("d/l", .symlink(to: [0x61], modified: Timestamp(nanoseconds: 1))),
            ("d/f", Self.file(7)),
        ])
        #expect(try manifest.baseFiles() == (3, 12))
    }

    @Test(
        "paths are found by any of their bytes",
        arguments: [
            ("b", ["a/b", "ab", "b"]), ("/", ["a/b"]), ("ab", ["ab"]), ("B", []), ("%", ["100%"]),
            ("_", []),
        ] as [(String, [String])])
    func containing(_ text: String, _ found: [String]) throws {
        try put(["a", "ab", "a/b", "b", "100%"].map { ($0, Self.file(1)) })
        let paths = try manifest.basePaths(containing: Array(text.utf8))
        #expect(paths.map(\.description).sorted() == found)
        let remote = try manifest.remotePaths(containing: Array(text.utf8))
        #expect(remote.map(\.description).sorted() == found)
    }

    @Test func `rows that begin with some bytes are longer than these, and ordered`() throws {
        try put(["b", "a.x", "a", "a-", "a.", "a.x/y", "aa", "a/x"].map { ($0, Self.file(1)) })
        let prefix = Array("a.".utf8)
        let expected = ["a.x", "a.x/y"]
        #expect(try manifest.baseRows(beginning: prefix).map(\.path.description) == expected)
        #expect(try manifest.localRows(beginning: prefix).map(\.path.description) == expected)
        #expect(try manifest.remoteRows(beginning: prefix).map(\.path.description) == expected)
        #expect(
            try manifest.baseRows(beginning: [0x61]).map(\.path.description) == [
                "a-", "a.", "a.x", "a.x/y", "a/x", "aa",
            ])
        #expect(try manifest.baseRows(beginning: []).isEmpty)
        #expect(try manifest.remoteRows(below: path("a")).map(\.path.description) == ["a/x"])
    }

    @Test func `remote changes come in the order in which they were recorded, page by page`() throws
    {
        let names = ["c", "a", "b", "d"]
        try put(names.map { ($0, Self.file(1)) })
        var (found, last): ([String], Int64) = ([], 0)
        while case let page = try manifest.remoteRows(after: last, limit: 3), let end = page.last {
            #expect(page.count == (found.isEmpty ? 3 : 1))
            found += page.map(\.row.path.description)
            last = end.id
            // Unlike a page of a whole table it may be changed meanwhile.
            try manifest.write { try $0.removeRemote(path("c")) }
        }
        #expect(found == names)
    }

    @Test func `rows are counted by the tally, which a removal and a replacement keep right`()
        throws
    {
        try put(["a", "b", "c"].map { ($0, Self.file(1)) })
        try put([("b", Self.file(9))])
        #expect(try manifest.baseCount() == 3 && manifest.remoteCount() == 3)
        try manifest.write { writer in
            try writer.removeBase(path("a"))
            // The count has what this transaction did.
            #expect(try manifest.baseCount() == 2)
            try writer.removeBase(path("none"))
        }
        #expect(try manifest.baseCount() == 2)
        #expect(try manifest.loadBase().map(\.entry.size).sorted() == [1, 9])
        try manifest.write { try $0.clearRemote() }
        #expect(try manifest.remoteCount() == 0 && manifest.loadRemote().isEmpty)
    }

    // MARK: Doubt

    @Test func `damage that is found is remembered until somebody has looked at all of it`() throws
    {
        try put([("a", Self.file(5))])
        #expect(!ManifestDatabase.isDoubted(temporary.path))
        try manifest.verify()
        try manifest.connection.execute("UPDATE base SET size = 6")
        let failure = #expect(throws: Failure.self) { try manifest.verify() }
        #expect(failure?.code == .corrupt)
        #expect(failure?.message == "The manifest is damaged: a row does not match its check.")
        #expect(ManifestDatabase.isDoubted(temporary.path))
        #expect(temporary.names.contains("manifest-doubted"))
        ManifestDatabase.clearDoubt(temporary.path)
        #expect(!ManifestDatabase.isDoubted(temporary.path))
    }

    @Test(
        "every table that carries checks is looked at",
        arguments: [
            "base", "local", "remote", "tombstone", "pack", "inline_content", "conflict", "setting",
        ])
    func verification(_ table: String) throws {
        try Samples.fill(manifest)
        try manifest.verify()
        try manifest.connection.execute(
            "UPDATE \(table) SET row_check = row_check + 1 WHERE id = 1")
        let failure = #expect(throws: Failure.self) { try manifest.verify() }
        #expect(failure?.code == .corrupt)
    }
}
