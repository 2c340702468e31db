import FilesinkiModel
import Testing

@Suite struct EntryTests {
    private static let id = ContentID.none

    private static func file(
        _ byte: UInt8 = 1, mode: UInt16 = 0o644, time: Int64 = 5
    ) -> Entry {
        .file(
            ContentID([UInt8](repeating: byte, count: 32)) ?? id, size: 3, mode: mode,
            modified: Timestamp(nanoseconds: time))
    }

    private static func link(_ target: String, time: Int64 = 5) -> Entry {
        .symlink(to: Array(target.utf8), modified: Timestamp(nanoseconds: time))
    }

    private static func folder(_ mode: UInt16 = 0o755, time: Int64 = 5) -> Entry {
        .directory(mode: mode, modified: Timestamp(nanoseconds: time))
    }

    /// Two entries, whether they have the same content, and whether no sync tells them apart.
    private static let pairs: [(Entry, Entry, Bool, Bool)] = [
        (file(), file(), true, true),
        (file(), file(2), false, false),
        (file(), file(mode: 0o600), true, false),
        (file(), file(time: 6), true, false),
        (link("t"), link("t"), true, true),
        (link("t"), link("u"), false, false),
        (link("t"), link("t", time: 6), true, false),
        (folder(), folder(), true, true),
        (folder(), folder(time: 6), true, true),
        (folder(), folder(0o700), true, false),
        (.tombstone, .tombstone, true, true),
        (.tombstone, Entry(kind: .tombstone, modified: Timestamp(nanoseconds: 9)), true, true),
        (file(), .tombstone, false, false),
        (folder(), .tombstone, false, false),
        (Entry(kind: .file), Entry(kind: .symlink), false, false),
    ]

    @Test("content counts for all, mode and time where they are synced", arguments: pairs)
    func equal(_ left: Entry, _ right: Entry, _ isSameContent: Bool, _ agrees: Bool) {
        #expect(left.hasSameContent(as: right) == isSameContent)
        #expect(right.hasSameContent(as: left) == isSameContent)
        #expect(left.agrees(with: right) == agrees)
        #expect(right.agrees(with: left) == agrees)
    }

    @Test(
        "only permission bits are kept of a mode",
        arguments: [(0o100644, 0o644), (0o4755, 0o755), (0o1777, 0o777), (0, 0), (0o777, 0o777)]
            as [(UInt16, UInt16)])
    func modes(_ mode: UInt16, _ kept: UInt16) {
        #expect(Self.file(mode: mode).mode == kept)
        #expect(Self.folder(mode).mode == kept)
    }

    @Test func `each kind has the properties that it has, and no others`() {
        let (file, link, folder) = (Self.file(), Self.link("t"), Self.folder())
        #expect(
            [file.kind, link.kind, folder.kind, Entry.tombstone.kind].map(\.rawValue) == [
                1, 3, 2, 4,
            ])
        #expect(file.size == 3 && file.target.isEmpty && file.content != .none)
        #expect(link.mode == 0 && link.size == 0 && link.content == .none && link.target == [0x74])
        #expect(folder.size == 0 && folder.content == .none && folder.target.isEmpty)
        #expect(Entry.tombstone == Entry(kind: .tombstone))
        #expect(Entry.tombstone.modified.nanoseconds == 0)
    }
}

@Suite struct ContentIDTests {
    private let bytes = (1...32).map { UInt8($0) }

    @Test func `an ID is its 32 bytes`() throws {
        let id = try #require(ContentID(bytes))
        #expect(id.bytes == bytes)
        #expect(id.withBytes { Array($0) } == bytes)
        #expect(bytes.withUnsafeBytes { ContentID($0) } == id)
        #expect(id.prefix == 0x0102_0304_0506_0708)
        #expect(
            id.description == bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
        #expect(ContentID.none.bytes == [UInt8](repeating: 0, count: 32))
    }

    @Test("other lengths are none", arguments: [0, 1, 31, 33, 64])
    func lengths(_ count: Int) {
        let bytes = [UInt8](repeating: 7, count: count)
        #expect(ContentID(bytes) == nil)
        #expect(bytes.withUnsafeBytes { ContentID($0) } == nil)
        #expect(ContentID(hexadecimal: String(repeating: "07", count: count)) == nil)
    }

    @Test("IDs are ordered by their bytes, whichever differs", arguments: 0..<32)
    func order(_ index: Int) throws {
        var other = bytes
        other[index] += 1
        // What comes later does not count.
        if index < 31 { other[index + 1] = 0 }
        let (small, large) = (try #require(ContentID(bytes)), try #require(ContentID(other)))
        #expect(small < large)
        #expect(!(large < small))
        #expect(!(small < small))
        #expect(small != large)
    }

    @Test func `a text of 64 digits of either case is an ID`() throws {
        let text = String(repeating: "aF", count: 32)
        let id = try #require(ContentID(hexadecimal: text))
        #expect(id.description == text.lowercased())
        #expect(ContentID(hexadecimal: String(repeating: "ag", count: 32)) == nil)
        #expect(ContentID(hexadecimal: " " + text.dropFirst()) == nil)
    }

    @Test func `a list of IDs has no rest`() throws {
        let other = [UInt8](repeating: 9, count: 32)
        #expect(ContentID.list([]) == [])
        #expect(ContentID.list(bytes + other)?.map(\.bytes) == [bytes, other])
        #expect(ContentID.list(bytes + [1]) == nil)
        #expect(ContentID.list(Array(bytes.dropLast())) == nil)
    }
}

@Suite struct HexadecimalTests {
    @Test func `every byte is two digits, and is read from both cases`() {
        let all = [UInt8](0...255)
        let text = hexadecimal(all)
        #expect(text.utf8.count == 512)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(bytes(hexadecimal: text) == all)
        #expect(bytes(hexadecimal: text.uppercased()) == all)
        #expect(bytes(hexadecimal: "") == [])
    }

    @Test(
        "anything else is refused",
        arguments: ["0", "abc", "0g", "g0", "0x", " 0", "0/", "0:", "0@", "0`", "0G", "-1", "١١"])
    func refused(_ text: String) {
        #expect(bytes(hexadecimal: text) == nil)
    }
}
