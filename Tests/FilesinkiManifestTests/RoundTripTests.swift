import FilesinkiManifest
import FilesinkiModel
import Testing

@Suite struct RoundTripTests {
    let temporary: TemporaryManifest
    let manifest: ManifestDatabase

    init() throws {
        temporary = try TemporaryManifest()
        manifest = try temporary.open()
    }

    @Test func `returns every row of every tree, also after it was opened again`() throws {
        try Samples.fill(manifest)
        #expect(try Contents(of: manifest) == .samples)
        let again = try temporary.open()
        #expect(try Contents(of: again) == .samples)
        #expect(try again.baseCount() == Samples.base.count)
    }

    @Test("finds each path by its bytes", arguments: Samples.paths.indices)
    func finds(_ index: Int) throws {
        try Samples.fill(manifest)
        let path = Samples.paths[index]
        #expect(try manifest.base(path) == Samples.base[index])
        #expect(try manifest.local(path) == Samples.local[index])
        #expect(try manifest.remote(path) == Samples.remote[index])
        #expect(try manifest.tombstone(path) == Samples.tombstones[index])
    }

    @Test func `finds nothing in an empty manifest`() throws {
        let path = try RelativePath("none")
        #expect(try manifest.base(path) == nil)
        #expect(try manifest.local(path) == nil)
        #expect(try manifest.remote(path) == nil)
        #expect(try manifest.tombstone(path) == nil)
        #expect(try manifest.pack([1]) == nil)
        #expect(try manifest.inlineSequence(of: .none) == nil)
        #expect(try manifest.token == nil)
        #expect(try manifest.value(Samples.setting.name) == nil)
        #expect(try manifest.conflict(1) == nil)
    }

    @Test func `finds packs and contents by their ids`() throws {
        try Samples.fill(manifest)
        #expect(try manifest.pack(Samples.packs[3].id) == Samples.packs[3])
        #expect(try manifest.inlineSequence(of: Samples.content(4)) == 4)
    }

    @Test func `returns the rows below a folder in bytewise order`() throws {
        let names = ["d", "d!", "d/b", "d/a", "d/a/x", "d0", "dd/a", "D/a", "e"]
        try manifest.write { writer in
            for name in names {
                let path = try RelativePath(name)
                try writer.putBase(BaseRow(path: path, entry: Samples.entries[0], version: 1))
                try writer.putTombstone(TombstoneRow(path: path, version: 1, contents: []))
            }
        }
        let folder = try RelativePath("d")
        let expected = ["d/a", "d/a/x", "d/b"]
        #expect(try manifest.baseRows(below: folder).map(\.path.description) == expected)
        #expect(try manifest.tombstones(below: folder).map(\.path.description) == expected)
    }

    @Test func `replaces the row with the same path`() throws {
        try Samples.fill(manifest)
        var row = Samples.base[1]
        row.version = 77
        row.stamp = nil
        try manifest.write { try $0.putBase(row) }
        #expect(try manifest.base(row.path) == row)
        #expect(try manifest.loadBase().count == Samples.base.count)
    }

    @Test func `removes rows, and ignores missing ones`() throws {
        try Samples.fill(manifest)
        try manifest.write { writer in
            for path in Samples.paths + [try RelativePath("none")] {
                try writer.removeBase(path)
                try writer.removeLocal(path)
                try writer.removeRemote(path)
                try writer.removeTombstone(path)
            }
            for pack in Samples.packs { try writer.removePack(pack.id) }
        }
        let contents = try Contents(of: manifest)
        #expect(contents.counts == [0, 0, 0, 0, 0, Samples.inline.count])
    }

    @Test func `keeps the token and the settings`() throws {
        try Samples.fill(manifest)
        try manifest.write { try $0.setValue("marker", [0, 1, 2]) }
        let again = try temporary.open()
        #expect(try again.value(Samples.setting.name) == Samples.setting.value)
        #expect(try again.token == Samples.token)
        #expect(try again.value("marker") == [0, 1, 2])
        try again.write { try $0.setValue("marker", nil) }
        #expect(try again.value("marker") == nil)
    }

    @Test func `forgets what the log contains, and nothing else`() throws {
        try Samples.fill(manifest)
        try manifest.write { try $0.clearTrees() }
        #expect(try Contents(of: manifest).counts == [0, 0, 0, 0, 0, 0])
        #expect(try manifest.token == nil)
        #expect(try manifest.value(Samples.setting.name) == Samples.setting.value)
        #expect(try manifest.conflicts().count == Samples.conflicts.count)
        try Samples.fill(manifest)
        #expect(try Contents(of: manifest) == .samples)
    }
}
