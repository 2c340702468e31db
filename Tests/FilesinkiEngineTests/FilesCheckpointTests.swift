import FilesinkiManifest
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// The rows of a checkpoint, from the tables of a manifest.
@Suite("The checkpoint of a manifest")
struct FilesCheckpointTests {
    let folder: TemporaryFolder
    let manifest: ManifestDatabase
    let contents = (0..<4 as Range<UInt8>).compactMap {
        ContentID([UInt8](repeating: $0, count: 32))
    }

    init() throws {
        folder = try TemporaryFolder()
        manifest = try ManifestDatabase.open(at: folder.path("manifest"), create: true)
    }

    private func file(_ content: Int) -> Entry {
        .file(contents[content], size: 1, mode: 0o644, modified: Timestamp(nanoseconds: 0))
    }

    private func rows(
        readingAtOnce few: Int = FilesCheckpoint.fewContents
    ) throws -> CheckpointRows {
        let checkpoint = try FilesCheckpoint(manifest, readingAtOnce: few)
        var all = CheckpointRows()
        while let rows = try checkpoint.next() {
            // In the order of the columns.
            #expect(rows.entries.isEmpty || all.packs.isEmpty && all.inline.isEmpty)
            #expect(rows.packs.isEmpty || all.inline.isEmpty)
            all.entries += rows.entries
            all.packs += rows.packs
            all.inline += rows.inline
        }
        return all
    }

    private func row(
        _ path: String, _ entry: Entry, _ version: UInt64, former: [ContentID] = []
    ) throws -> CheckpointRow {
        CheckpointRow(
            path: try RelativePath(path), entry: VersionedEntry(entry, version: version),
            formerContents: former)
    }

    @Test("each path is as at the remote: the waiting change, else the base or the deletion")
    func merge() throws {
        let folder = Entry.directory(mode: 0o755, modified: Timestamp(nanoseconds: 0))
        try manifest.write { writer in
            for (path, entry) in [
                ("base", file(0)), ("base+gone", file(0)), ("base+new", file(0)),
                ("folder+gone", folder),
            ] {
                try writer.putBase(
                    BaseRow(path: RelativePath(path), entry: entry, version: 3))
            }
            for (path, version) in [("gone", 4), ("gone+back", 4), ("gone+gone", 4), ("own", 0)] {
                try writer.putTombstone(
                    TombstoneRow(
                        path: RelativePath(path), version: UInt64(version),
                        contents: [contents[1], contents[2]]))
            }
            for path in ["base+new", "gone+back", "new"] {
                try writer.putRemote(
                    RemoteRow(
                        path: RelativePath(path), entry: VersionedEntry(file(3), version: 5)))
            }
            for path in ["base+gone", "folder+gone", "gone+gone", "new+gone"] {
                try writer.putRemote(
                    RemoteRow(
                        path: RelativePath(path), entry: VersionedEntry(.tombstone, version: 5)))
            }
        }
        #expect(
            try rows().entries == [
                row("base", file(0), 3), row("base+gone", .tombstone, 5, former: [contents[0]]),
                row("base+new", file(3), 5), row("folder+gone", .tombstone, 5),
                row("gone", .tombstone, 4, former: [contents[1], contents[2]]),
                row("gone+back", file(3), 5),
                row("gone+gone", .tombstone, 5, former: [contents[1], contents[2]]),
                row("new", file(3), 5), row("new+gone", .tombstone, 5),
            ])
    }

    @Test("tables of several pages are read as a whole, in order")
    func pages() throws {
        let count = 2 * ManifestDatabase.pageSize + 7
        var random = SeededRandom(seed: 1)
        let paths = try (0..<count).map { try RelativePath("f\(100_000 + $0)") }
        try manifest.write { writer in
            for (index, path) in paths.enumerated().shuffled(using: &random) {
                let entry = VersionedEntry(file(index % 4), version: 1)
                switch index % 3 {
                case 0: try writer.putBase(BaseRow(path: path, entry: entry.entry, version: 1))
                case 1: try writer.putRemote(RemoteRow(path: path, entry: entry))
                default:
                    try writer.putTombstone(TombstoneRow(path: path, version: 1, contents: []))
                }
            }
            for number in 0..<count {
                let bytes = withUnsafeBytes(of: number) { Array($0) }
                try writer.addPack(
                    PackRow(
                        id: bytes + bytes, size: Int64(number), indexHash: contents[0], sequence: 1)
                )
            }
        }
        let found = try rows()
        #expect(found.entries.map(\.path) == paths)
        #expect(found.packs.map(\.size) == (0..<count).map(Int64.init))
    }

    @Test(
        "of the contents in commits those of the tree are listed, and no old ones",
        arguments: [0, FilesCheckpoint.fewContents])
    func inline(_ few: Int) throws {
        let old = 2 * ManifestDatabase.pageSize
        try manifest.write { writer in
            for number in 0..<old {
                let bytes = withUnsafeBytes(of: number) { Array($0) }
                try writer.addInline(
                    ContentID(bytes + [UInt8](repeating: 9, count: 24)) ?? .none, sequence: 1)
            }
            for (index, content) in contents.enumerated() {
                try writer.addInline(content, sequence: UInt64(index) + 10)
            }
            for (name, content) in [("a", 0), ("b", 1), ("c", 0), ("replaced", 2)] {
                try writer.putBase(
                    BaseRow(path: RelativePath(name), entry: file(content), version: 3))
            }
            try writer.putRemote(
                RemoteRow(
                    path: RelativePath("replaced"), entry: VersionedEntry(file(3), version: 20)))
            try writer.putTombstone(
                TombstoneRow(path: RelativePath("gone"), version: 4, contents: [contents[2]]))
        }
        #expect(
            try rows(readingAtOnce: few).inline == [
                InlineLocation(id: contents[0], sequence: 10),
                InlineLocation(id: contents[1], sequence: 11),
                InlineLocation(id: contents[3], sequence: 13),
            ])
    }

    @Test("the contents in commits of a tree of several pages are all listed")
    func inlinePages() throws {
        let count = ManifestDatabase.pageSize + 3
        let ids = (0..<count).map { number in
            let bytes = withUnsafeBytes(of: number) { Array($0) }
            return ContentID(bytes + [UInt8](repeating: 9, count: 24)) ?? .none
        }
        try manifest.write { writer in
            for (number, content) in ids.enumerated() {
                let entry = Entry.file(
                    content, size: 1, mode: 0o644, modified: Timestamp(nanoseconds: 0))
                try writer.putBase(
                    BaseRow(path: RelativePath("f\(100_000 + number)"), entry: entry, version: 1))
                try writer.addInline(content, sequence: UInt64(number))
            }
        }
        let found = try rows()
        #expect(found.entries.count == count)
        #expect(found.inline.map(\.id) == ids)
        #expect(found.inline.map(\.sequence) == (0..<count).map(UInt64.init))
    }

    @Test("a manifest that has lost rows gives no checkpoint, which would delete them everywhere")
    func lostRows() throws {
        try manifest.write { writer in
            for name in ["a", "b", "c"] {
                try writer.putBase(
                    BaseRow(path: RelativePath(name), entry: file(0), version: 1))
            }
        }
        try SQLClient(folder.path("manifest"), "DELETE FROM base WHERE path = x'62'").close()
        #expect(#expect(throws: Failure.self) { try rows() }?.code == .corrupt)
    }
}
