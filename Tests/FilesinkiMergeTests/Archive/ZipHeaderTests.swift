import FilesinkiCompression
import Testing

@testable import FilesinkiMerge

@Suite("Each field of an archive's headers is checked")
struct ZipHeaderTests {
    /// An archive of two parts, the first of which is stored; `mimetype` is, too, in ``SampleArchive``.
    private static let sample = SampleArchive([
        ("mimetype", "text"), ("b", "content content content"),
    ])
    private static let damaged = ZipError("is a damaged archive")
    private static let unsupported = ZipError("has entries of an unsupported kind")

    /// What is added to a field: in the local header of the first part, in its central header, or at the end.
    private enum Place { case local, central, end }

    private static let fields: [(name: String, changes: [(Place, Int, [UInt8])], error: ZipError)] =
        [
            ("a signature of the local header", [(.local, 0, [1])], damaged),
            ("a signature of the directory", [(.central, 0, [1])], damaged),
            ("encrypted in one header only", [(.local, 6, [1])], damaged),
            ("encrypted", [(.local, 6, [1]), (.central, 8, [1])], ZipError("is encrypted")),
            ("an unknown flag", [(.local, 6, [0x20]), (.central, 8, [0x20])], unsupported),
            ("another method", [(.local, 8, [9]), (.central, 10, [9])], unsupported),
            ("a version that is too new for the directory", [(.central, 6, [46])], unsupported),
            ("a version that is too new for the local header", [(.local, 4, [46])], unsupported),
            ("times that differ", [(.local, 10, [1])], damaged),
            ("dates that differ", [(.central, 14, [1])], damaged),
            ("checksums that differ", [(.local, 14, [0xFF])], damaged),
            ("compressed sizes that differ", [(.central, 20, [3])], damaged),
            ("a stored part with another size", [(.local, 22, [3]), (.central, 24, [3])], damaged),
            ("a name's length that differs", [(.local, 26, [7])], damaged),
            ("names that differ", [(.local, 30, [0x4D])], damaged),
            ("an extra field that is not there", [(.local, 28, [4])], unsupported),
            ("another disk", [(.central, 34, [1])], damaged),
            ("another place", [(.central, 42, [1])], damaged),
            (
                "a comment of the archive", [(.end, 20, [1])],
                ZipError("is not a complete archive without a comment")
            ),
            ("several disks", [(.end, 4, [1])], damaged),
            ("the directory on another disk", [(.end, 6, [1])], damaged),
            ("fewer parts on this disk", [(.end, 8, [1])], damaged),
            ("fewer parts", [(.end, 8, [1]), (.end, 10, [1])], damaged),
            ("more parts", [(.end, 8, [3]), (.end, 10, [3])], damaged),
            ("a smaller directory", [(.end, 12, [1])], damaged),
            ("a directory elsewhere", [(.end, 16, [1])], damaged),
        ]

    @Test("a field that does not agree, or says what is not read", arguments: fields.map(\.name))
    func refuses(_ name: String) throws {
        let bytes = try Self.sample.bytes()
        let first = try ZipArchive(bytes).entries[0]
        for row in Self.fields where row.name == name {
            var other = bytes
            for (place, offset, value) in row.changes {
                let start =
                    switch place {
                    case .local: first.local.lowerBound
                    case .central: first.central.lowerBound
                    case .end: bytes.count - ZipFormat.endLength
                    }
                other.replaceSubrange(
                    (start + offset)..<(start + offset + value.count), with: value)
            }
            try #require(other != bytes)
            #expect(throws: row.error) { try ZipArchive(other) }
        }
    }

    /// An archive whose only entry has extra fields in its local header.
    private func archive(extra: [UInt8], name: String = "a") throws -> [UInt8] {
        let bytes = try SampleArchive([(name, "")]).bytes()
        let length = name.utf8.count
        var head = Array(bytes[..<(30 + length)])
        head[28] = UInt8(extra.count)
        var rest = Array(bytes[(30 + length)...])
        // The directory begins behind the extra fields.
        let end = rest.count - ZipFormat.endLength
        rest[end + 16] = UInt8(30 + length + extra.count)
        return head + extra + rest
    }

    @Test(
        "extra fields are fields, and none of ZIP64",
        arguments: [
            ([], true), ([0x55, 0x54, 0, 0], true), ([0x55, 0x54, 2, 0, 7, 7], true),
            ([0x55, 0x54, 1, 0, 7, 0x75, 0x78, 0, 0], true), ([1, 0, 0, 0], false),
            ([0x55, 0x54, 0, 0, 1, 0, 0, 0], false), ([0x55, 0x54, 3, 0, 7], false),
            ([0x55, 0x54, 0], false), ([1], false),
        ] as [([UInt8], Bool)])
    func extras(_ extra: [UInt8], _ isRead: Bool) throws {
        let bytes = try archive(extra: extra)
        if isRead {
            #expect(try ZipArchive(bytes).entries.count == 1)
        } else {
            #expect(throws: Self.unsupported) { try ZipArchive(bytes) }
        }
    }

    @Test("names have a length", arguments: [(1, true), (1024, true), (1025, false)])
    func lengths(_ length: Int, _ isRead: Bool) throws {
        let bytes = try SampleArchive([(String(repeating: "n", count: length), "x")]).bytes()
        let archive = try? ZipArchive(bytes)
        #expect((archive != nil) == isRead)
    }

    @Test(
        "names that programs refuse",
        arguments: [
            ("a/", true), ("a/b/", true), ("a/../", false), ("..a", true), ("...", true),
            ("a/.b", true), ("/", false),
            ("a//", false), ("..", false), (".", false), ("a/.", false), ("a\u{7F}", false),
            ("a b", true),
            ("\u{E4}", true), ("a:b", true), ("", false),
        ])
    func names(_ name: String, _ isRead: Bool) throws {
        let bytes = try SampleArchive([(name, "")]).bytes()
        if isRead {
            #expect(try ZipArchive(bytes).entries[0].name == Array(name.utf8))
        } else {
            #expect(throws: ZipError("has a name that programs refuse")) { try ZipArchive(bytes) }
        }
    }

    @Test("a folder has no content")
    func folders() throws {
        #expect(throws: Self.damaged) { try ZipArchive(try SampleArchive([("a/", "x")]).bytes()) }
    }

    @Test("a descriptor may have no signature")
    func descriptors() throws {
        var sample = SampleArchive([("mimetype", "text")])
        sample.hasDescriptors = true
        let bytes = try sample.bytes()
        let entry = try ZipArchive(bytes).entries[0]
        #expect(entry.local.upperBound == entry.data.upperBound + 16)
        var unsigned = bytes
        unsigned.removeSubrange(entry.data.upperBound..<(entry.data.upperBound + 4))
        unsigned[unsigned.count - 6] -= 4
        let read = try ZipArchive(unsigned).entries[0]
        #expect(read.local.upperBound == read.data.upperBound + 12)
        #expect(try ZipArchive(unsigned).content(read) == Array("text".utf8))
        var wrong = bytes
        wrong[entry.data.upperBound + 4] ^= 1
        #expect(throws: Self.damaged) { try ZipArchive(wrong) }
    }

    @Test("the same content is the same, however it is compressed")
    func same() throws {
        let stored = try ZipArchive(try SampleArchive([("mimetype", "text text text")]).bytes())
        let packed = try ZipArchive(try SampleArchive([("a", "text text text")]).bytes())
        let other = try ZipArchive(try SampleArchive([("a", "text text texT")]).bytes())
        let (one, two, three) = (stored.entries[0], packed.entries[0], other.entries[0])
        #expect(!one.isCompressed && two.isCompressed)
        #expect(try stored.hasSameContent(one, packed, two))
        #expect(try packed.hasSameContent(two, stored, one))
        #expect(try !packed.hasSameContent(two, other, three))
    }
}
