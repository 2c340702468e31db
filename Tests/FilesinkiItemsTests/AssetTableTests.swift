import FilesinkiHashing
import FilesinkiModel
import FilesinkiSQLite
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiItems

/// What a zone's file knows of assets.
@Suite("Tables of assets")
struct AssetTableTests {
    private let file: ToyFile<PinKind>
    private let database: ItemDatabase<PinKind>

    init() throws {
        file = try ToyFile()
        database = try file.open()
    }

    /// Which of the assets 1 to 4 wait.
    private func waiting() throws -> [UInt8] {
        try ([1, 2, 3, 4] as [UInt8]).filter { try database.isWaiting(PinKind.asset($0).content) }
    }

    private func put(_ items: Item<PinKind.State>...) throws {
        try database.write { for item in items { try database.put(item) } }
    }

    private func lose(_ key: String, _ text: String) throws -> Int64 {
        try database.write {
            try database.recordSuperseded(
                Superseded(
                    key: try ItemKey(key), held: PinKind.State(text: text, time: 8), version: 5,
                    reason: "why"))
        }
        return database.connection.lastRow
    }

    @Test func `an asset waits as long as an item names it that is not published`() throws {
        try put(Item(pin: "a", "pins 1,2,2"), Item(pin: "b", "pins 2"))
        #expect(try waiting() == [1, 2])
        // Another text of the item names another asset.
        try put(Item(pin: "a", "pins 3"))
        #expect(try waiting() == [2, 3])
        try put(Item(pin: "b", "pins 2", base: "pins 2", version: 1))
        #expect(try waiting() == [3])
        try put(Item(pin: "a", nil, base: "pins 3", version: 1))
        #expect(try waiting() == [])
    }

    @Test func `an asset of what gave way waits until the log has it, whatever the item is`() throws
    {
        try put(Item(pin: "a", "pins 1"))
        let row = try lose("a", "pins 2,3")
        let other = try lose("a", "pins 3")
        #expect(try waiting() == [1, 2, 3])
        try put(Item(pin: "a", "pins 4"))
        #expect(try waiting() == [2, 3, 4])
        try database.write { try database.markPublished(loser: row) }
        #expect(try waiting() == [3, 4])
        try database.removeItems()
        #expect(try waiting() == [3])
        try database.write { try database.markPublished(loser: other) }
        #expect(try waiting() == [])
    }

    @Test func `all waits end with the zone`() throws {
        try put(Item(pin: "a", "pins 1"))
        _ = try lose("b", "pins 2")
        try database.removeAllWaitingAssets()
        #expect(try waiting() == [])
    }

    // MARK: Packs

    private func pack(_ byte: UInt8, size: Int64 = 9) -> PackReference {
        PackReference(
            id: [UInt8](repeating: byte, count: 16), size: size,
            indexHash: ContentHasher.hash([byte]), zone: "pin-default")
    }

    /// The known packs of a generation, by the first byte of their ids.
    private func packs(_ generation: UInt64 = 1) throws -> [[Int]] {
        try database.packs(of: generation, zone: "pin-default").map {
            [Int($0.pack.id[0]), Int($0.sequence)]
        }
    }

    @Test func `packs are in the order of the commits that name them, unnamed ones first`() throws {
        try database.add([pack(5), pack(2)], sequence: 7)
        try database.add([pack(9), pack(1)], sequence: 0)
        try database.add([pack(3)], sequence: 4)
        #expect(try packs() == [[9, 0], [1, 0], [3, 4], [5, 7], [2, 7]])
        #expect(try database.packs(of: 1, zone: "pin-default").map(\.pack).contains(pack(3)))
        #expect(try packs(2) == [])
        try database.removePacks([pack(9).id, pack(5).id, pack(8).id])
        #expect(try packs() == [[1, 0], [3, 4], [2, 7]])
        try database.removeAllPacks()
        #expect(try packs() == [])
    }

    @Test func `a pack that a commit has named stays named`() throws {
        try database.add([pack(1)], sequence: 0)
        try database.add([pack(1)], sequence: 6)
        try database.add([pack(1)], sequence: 0)
        try database.add([pack(1)], sequence: 5)
        #expect(try packs() == [[1, 6]])
    }

    @Test func `packs are of the generation in which they were found`() throws {
        try database.add([pack(1)], sequence: 6)
        try database.set("way", Array("r".utf8))
        #expect(try database.generationsWithPacks() == [1])
        try database.add([pack(2)], sequence: 1)
        #expect(try database.generationsWithPacks() == [2, 1])
        #expect(try packs(1) == [[1, 6]] && packs(2) == [[2, 1]])
        try database.removePacksOfGeneration()
        #expect(try packs(1) == [[1, 6]] && packs(2) == [])
    }

    @Test func `a pack that cannot be decoded is damage`() throws {
        try database.add([pack(1)], sequence: 6)
        try database.connection.execute("UPDATE pack SET index_hash = x'00'")
        let failure = #expect(throws: Failure.self) { try packs() }
        #expect(failure?.code == .corrupt)
        #expect(failure?.message.contains("a pack cannot be decoded") == true)
    }
}

/// Assets that a commit has to store first.
@Suite("Assets of commits")
struct NewAssetTests {
    private typealias Commit = PendingCommit<PinKind.State>

    private func assets(_ items: Item<PinKind.State>...) -> [String] {
        var commit = Commit(limits: .standard)
        #expect(commit.add(items) == .added)
        return names(commit)
    }

    private func names(_ commit: Commit) -> [String] {
        commit.newAssets.map { one in
            let byte = (0...9).first { PinKind.asset($0).content == one.asset.content }
            return
                "\(one.key) \(byte.map(String.init) ?? "?")\(one.loser.map { " of \($0)" } ?? "")"
        }
    }

    @Test func `the assets of the agreed item are in the store already`() {
        #expect(assets(Item(pin: "a", "pins 1,2", base: "pins 2,3", version: 4)) == ["a 1"])
        #expect(assets(Item(pin: "a", nil, base: "pins 2", version: 4)) == [])
        #expect(assets(Item(pin: "a", "pins 1"), Item(pin: "b", "pins 1")) == ["a 1", "b 1"])
    }

    @Test func `after a reset the agreed item is of another log`() {
        #expect(assets(Item(pin: "a", "pins 1,2", base: "pins 2,3", version: 0)) == ["a 1", "a 2"])
    }

    @Test func `nothing is stored for an asset without bytes`() {
        #expect(assets(Item(pin: "a", "pins 0,1")) == ["a 1"])
        // A size alone makes none: the content is another one.
        #expect(assets(Item(pin: "a", "pins 1:0")) == ["a 1"])
        #expect(assets(Item(pin: "a", "pins 0:5")) == ["a 0"])
    }

    @Test func `what gave way names its assets with its row`() {
        var commit = Commit(limits: .standard)
        let loser = Superseded(
            key: ItemKey(unchecked: [0x61]), held: PinKind.State(text: "pins 0,3", time: 5),
            version: 2, reason: "why")
        #expect(commit.add(loser, row: 12) == .added)
        #expect(commit.add([Item(pin: "b", "pins 1")]) == .added)
        #expect(names(commit) == ["b 1", "a 3 of 12"])
    }

    @Test(
        "a commit that names 1 GiB takes no further change, so that a long upload is in parts",
        arguments: [
            (["1:1073741823"], false), (["1:1073741824"], true), (["1:1073741822", "2"], false),
            (["1:1073741823", "2"], true),
            (["1:9223372036854775807", "2:9223372036854775807"], true),
            (["1:-5"], true),
        ])
    func limit(_ pins: [String], _ isFull: Bool) {
        var commit = Commit(limits: .standard)
        for (index, pin) in pins.enumerated() {
            #expect(commit.add([Item(pin: "k\(index)", "pins \(pin)")]) == .added)
        }
        #expect(commit.isFull == isFull)
        var loser = Commit(limits: .standard)
        for (index, pin) in pins.enumerated() {
            let held = PinKind.State(text: "pins \(pin)", time: 5)
            let lost = Superseded(
                key: ItemKey(unchecked: [0x61]), held: held, version: 2, reason: "why")
            #expect(loser.add(lost, row: Int64(index)) == .added)
        }
        #expect(loser.isFull == isFull)
    }

    @Test func `an asset that is nowhere is named by its item, its place and its bytes`() throws {
        let asset = PinKind.asset(1)
        let failure = Failure.missingAsset(asset, of: try ItemKey("a\nb"), PinKind.names)
        #expect(failure.code == .corrupt)
        #expect(failure.path == Array("a\nb".utf8))
        #expect(
            failure.message
                == "The asset 'pin' of the note 'a\\x0ab' is not in the store: its bytes (\(asset.content)) were not found."
        )
        #expect(failure.remedy == "Save the asset again from a file, or run filesinki check.")
    }
}
