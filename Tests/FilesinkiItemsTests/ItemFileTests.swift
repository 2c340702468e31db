import FilesinkiModel
import FilesinkiSQLite
import FilesinkiTesting
import Testing

@testable import FilesinkiItems

/// Creating and opening a zone's file.
@Suite struct ItemFileTests {
    @Test func `a file is created once, and each has a feed of its own`() throws {
        let file = try ToyFile<ToyKind>()
        #expect(try ItemDatabase<ToyKind>(reading: file.place.file) == nil)
        let feed = try file.open().position().feed
        #expect(try file.open().position().feed == feed)
        #expect(try ItemDatabase<ToyKind>(reading: file.place.file)?.position().feed == feed)
        let names = try LocalZones<ToyKind>.names(state: file.folder.path)
        #expect(names == ["default"])
    }

    @Test func `a file of something else, or of a newer version, is refused`() throws {
        let file = try ToyFile<ToyKind>()
        try file.open().connection.execute("PRAGMA user_version = 2")
        let newer = #expect(throws: Failure.self) { try file.open() }
        #expect(newer?.code == .newerFormat)
        #expect(newer?.message == "The toy file has version 2; this program supports up to 1.")
        let other = try ToyFile<ToyKind>()
        try other.open().connection.execute("PRAGMA application_id = 1")
        for open in [
            { _ = try other.open() }, { _ = try ItemDatabase<ToyKind>(reading: other.place.file) },
        ] {
            let failure = #expect(throws: Failure.self) { try open() }
            #expect(failure?.code == .corrupt)
        }
    }

    @Test func `an older file is brought up to date once, also by a reader`() throws {
        let file = try ToyFile<ToyKind>()
        try file.open().set("kept", [5])
        let newest = file.place.file
        #expect(
            try ItemDatabase<NewerToyKind>(reading: newest)?.setting("migrated") == Array("1".utf8))
        let database = try #require(try ItemDatabase<NewerToyKind>(reading: newest))
        #expect(try database.connection.number("PRAGMA user_version") == 2)
        #expect(try database.setting("kept") == [5])
        #expect(try database.setting("migrated") == Array("1".utf8))
    }

    @Test func `the zones of a device are those that have a file, and no archives`() throws {
        let file = try ToyFile<ToyKind>("box")
        #expect(try LocalZones<ToyKind>.names(state: file.folder.path).isEmpty)
        #expect(try LocalZones<ToyKind>.pendingCount(state: file.folder.path) == 0)
        var other = file.place
        other.name = "a_1"
        let (one, two) = (try file.open(), try ItemDatabase<ToyKind>(opening: other))
        try one.write { try one.put(Item("a", ours: "1")) }
        try two.write {
            try two.put(Item("b", ours: "1"))
            try two.put(Item("c", ours: "1", base: "1"))
        }
        try one.connection.execute("VACUUM INTO '\(file.place.folder)/box.archive-1-ab.sqlite'")
        #expect(try LocalZones<ToyKind>.names(state: file.folder.path) == ["a_1", "box"])
        #expect(try LocalZones<ToyKind>.pendingCount(state: file.folder.path) == 2)
    }
}

/// The toys of a later version of the program: each migration leaves a mark.
private enum NewerToyKind: ItemKind {
    typealias State = ToyKind.State

    static var names: ItemNames { ToyKind.names }

    static var file: ItemFileFormat {
        var file = ToyKind.file
        file.version = 2
        return file
    }

    static func migrate(_ file: OwnConnection, from version: Int64) throws(Failure) {
        try file.execute(
            "INSERT INTO setting (key, value) VALUES ('migrated', CAST('\(version)' AS BLOB))")
    }

    static func merge(
        _ merge: ItemMerge<State>, _ context: inout MergeContext<NewerToyKind>
    ) -> ItemOutcome<State> { .ours }
}
