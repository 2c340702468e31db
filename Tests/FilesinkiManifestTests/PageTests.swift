import FilesinkiModel
import FilesinkiSQLite
import Testing

@testable import FilesinkiManifest

@Suite("Tables read in pages")
struct PageTests {
    let temporary: TemporaryManifest

    init() throws {
        temporary = try TemporaryManifest()
        try Samples.fill(temporary.open())
    }

    private func rows<Row>(_ pages: RowPages<Row>) throws -> [Row] {
        var rows: [Row] = []
        while case let page = try pages.next(), !page.isEmpty { rows += page }
        #expect(try pages.next().isEmpty)
        return rows
    }

    @Test("pages of any size have every row once, in order", arguments: [1, 2, 3, 11, 1_000])
    func order(size: Int) throws {
        let manifest = try temporary.open()
        #expect(try rows(manifest.basePages(of: size)) == Samples.base.sorted { $0.path < $1.path })
        #expect(
            try rows(manifest.remotePages(of: size)) == Samples.remote.sorted { $0.path < $1.path })
        #expect(
            try rows(manifest.tombstonePages(of: size))
                == Samples.tombstones.sorted { $0.path < $1.path })
        #expect(try rows(manifest.packPages(of: size)) == Samples.packs)
        #expect(try rows(manifest.inlinePages(of: size)) == Samples.inline)
    }

    @Test("an empty table has no page")
    func empty() throws {
        let manifest = try temporary.open()
        try manifest.write { try $0.clearTrees() }
        #expect(try rows(manifest.basePages()).isEmpty)
        #expect(try rows(manifest.packPages()).isEmpty)
    }

    @Test(
        "rows that vanished with their checks are noticed at the last page",
        arguments: [1, 5, 1_000])
    func missing(size: Int) throws {
        let connection = try OwnConnection(temporary.path, .manifest(.writing))
        try connection.execute("DELETE FROM base WHERE path = x'61'; DELETE FROM pack WHERE id = 2")
        let manifest = try ManifestDatabase.openReadOnly(at: temporary.path)
        for pages in [
            { _ = try rows(manifest.basePages(of: size)) },
            { _ = try rows(manifest.packPages(of: size)) },
        ] as [() throws -> Void] {
            #expect(#expect(throws: Failure.self) { try pages() }?.code == .corrupt)
        }
    }

    @Test("a change of the table between two pages is noticed")
    func changed() throws {
        let manifest = try temporary.open()
        let (base, remote) = (manifest.basePages(of: 3), manifest.remotePages(of: 3))
        _ = (try base.next(), try remote.next())
        try manifest.write { try $0.removeBase(Samples.paths[0]) }
        #expect(#expect(throws: Failure.self) { try base.next() }?.code == .busy)
        #expect(try remote.next().count == 3)
    }
}
