import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

@Suite("the keys of a store")
struct StoreLayoutTests {
    private let remote = MemoryRemote()
    private let device = hexadecimal(StoreFixture.commitID(1))

    private func put(_ keys: String...) async throws {
        for key in keys { try await remote.put([1, 2, 3], to: ObjectKey(key)) }
    }

    private func listing() async throws -> StoreListing {
        try await StoreListing.read(from: remote)
    }

    @Test(
        "A zone's name has 1 to 64 characters",
        arguments: [(0, false), (1, true), (2, true), (64, true), (65, false)])
    func zoneLength(length: Int, isValid: Bool) async {
        let name = String(repeating: "z", count: length)
        let code = await failure { try StoreLayout.check(zone: name) }?.code
        #expect(code == (isValid ? nil : .usage))
    }

    @Test func `an empty store has no objects`() async throws {
        let listing = try await listing()
        #expect(listing.count == 0)
        #expect(listing.zones.isEmpty && listing.packs.isEmpty && listing.parts.isEmpty)
    }

    @Test func `objects are listed by kind`() async throws {
        let (two, nine) = (StoreLayout.name(2), StoreLayout.name(9))
        let hash = ContentHasher.hash([1])
        let pack = PackReference(id: StoreFixture.commitID(7), size: 3, indexHash: .none)
        let other = PackReference(
            id: StoreFixture.commitID(8), size: 3, indexHash: .none, zone: "rec-a")
        let part = "zones/files/parts/\(hexadecimal(hash.bytes).prefix(2))/\(hash)"
        try await put(
            "filesinki/c", "zones/files/log/\(nine)/c", "zones/files/log/\(two)/c",
            "zones/files/checkpoints/\(two)/c", "zones/keys/log/\(two)/c", part, pack.keyText,
            "devices/\(device)/files/\(nine)/c", "devices/\(device)/files/\(two)/c", other.keyText)
        let listing = try await listing()
        #expect(listing.count == 10)
        #expect(Set(listing.zones.keys) == ["files", "keys"])
        #expect(listing.zones["files"]?.commits == [2, 9])
        #expect(listing.zones["files"]?.checkpoints == [2])
        #expect(listing.zones["files"]?.acknowledged == [device: 9])
        #expect(listing.zones["keys"]?.commits == [2])
        #expect(listing.packs == [pack.id: 3, other.id: 3])
        #expect(listing.packZones == [other.id: "rec-a"])
        #expect(listing.totals[.packs]?.count == 1 && listing.totals[.assetPacks]?.count == 1)
        #expect(listing.parts.map(\.hash) == [hash])
        #expect(try listing.parts.map(\.key) == [ObjectKey(part)])
        #expect(listing.others.isEmpty)
    }

    @Test func `a device that has read an empty zone has acknowledged commit 0`() async throws {
        try await put("devices/\(device)/files/\(StoreLayout.name(0))/c")
        #expect(try await listing().zones["files"]?.acknowledged == [device: 0])
    }

    @Test(
        "A key outside the format is counted and left alone",
        arguments: [
            "filesinki/d", "packs/01/0102", "packs/01", "zones/files/log/2/c",
            "zones/files/log/00000000000000000002/d", "zones/files/other/00000000000000000002/c",
            "zones/files/parts/01/0102", "zones/files/log/0000000000000000000x/c",
            "devices/parts/parts/01/0102", "zones/files/packs/01/0102", "zones/files/packs/01",
            "devices/a/packs/01/01010101010101010101010101010101",
        ])
    func otherKeys(key: String) async throws {
        try await put(key)
        let listing = try await listing()
        #expect(listing.count == 1)
        #expect(try listing.others == [ObjectKey(key)])
        #expect(listing.zones.isEmpty && listing.packs.isEmpty && listing.parts.isEmpty)
    }

    @Test func `a part has its place among zones only`() async throws {
        let key = "devices/\(device)/parts/01/\(ContentHasher.hash([1]))"
        try await put(key)
        let listing = try await listing()
        #expect(listing.parts.isEmpty)
        #expect(try listing.others == [ObjectKey(key)])
    }

    @Test(
        "A store of any number of objects is listed as a whole",
        arguments: [999, 1000, 1001, 2000, 2001])
    func manyObjects(count: Int) async throws {
        for number in 1...count {
            try await put("zones/files/log/\(StoreLayout.name(UInt64(number)))/c")
        }
        let counting = CountingRemote(remote)
        let listing = try await StoreListing.read(from: counting)
        #expect(listing.zones["files"]?.commits == (1...count).map { UInt64($0) })
        // One request each for devices, description, keys and packs, and one for each 1,000 commits.
        #expect(counting.counts.lists == 4 + count / 1000 + 1)
    }

    @Test(
        "A remote of folders is asked for longer and longer pages",
        arguments: [(false, 6), (true, 3)])
    func pages(ofFolders: Bool, lists: Int) async throws {
        for number in 1...5001 { try await put("log/\(10_000 + number)/c") }
        let remote = CountingRemote(ofFolders ? Folders(wrapped: remote) : remote)
        var found: [String] = []
        try await remote.listPages(prefix: "log/") { found += $0.map(\.key.description) }
        #expect(found == (1...5001).map { "log/\(10_000 + $0)/c" })
        #expect(remote.counts.lists == lists)
    }

    /// Says that its listings read whole folders.
    private struct Folders: RemoteWrapper, FolderRemote {
        let wrapped: any Remote
    }
}
