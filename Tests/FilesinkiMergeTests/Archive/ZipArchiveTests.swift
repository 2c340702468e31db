import FilesinkiCompression
import Testing

@testable import FilesinkiMerge

@Suite("Archives in the ZIP format are read in one way or not at all")
struct ZipArchiveTests {
    private static let sample = SampleArchive([
        ("a", String(repeating: "text ", count: 100)), ("f/", ""), ("f/b", "x"), ("c", ""),
    ])

    @Test("entries, contents and places", arguments: [false, true])
    func reads(hasDescriptors: Bool) throws {
        var sample = Self.sample
        sample.hasDescriptors = hasDescriptors
        sample.time = 7
        let bytes = try sample.bytes()
        let archive = try ZipArchive(bytes)
        #expect(
            archive.entries.map { String(decoding: $0.name, as: UTF8.self) } == [
                "a", "f/", "f/b", "c",
            ])
        for (entry, part) in zip(archive.entries, sample.parts) {
            #expect(try archive.content(entry) == part.content)
            #expect(entry.modified == 0x21_0007)
        }
        #expect(archive.entries[0].isCompressed && !archive.entries[3].isCompressed)
    }

    @Test("an archive that is copied entry by entry is the same", arguments: [false, true])
    func copies(hasDescriptors: Bool) throws {
        var sample = Self.sample
        sample.hasDescriptors = hasDescriptors
        let bytes = try sample.bytes()
        let archive = try ZipArchive(bytes)
        var writer = ZipWriter()
        for entry in archive.entries { try writer.copy(entry, of: archive) }
        #expect(writer.archive() == bytes)
    }

    @Test("a new content has the name, time and method of an entry, and no descriptor")
    func writes() throws {
        var sample = Self.sample
        (sample.hasDescriptors, sample.time) = (true, 9)
        let archive = try ZipArchive(try sample.bytes())
        var writer = ZipWriter()
        for entry in archive.entries where !entry.isFolder {
            try writer.add(Array("new content".utf8), as: entry, of: archive)
        }
        let written = try ZipArchive(writer.archive())
        #expect(written.entries.map(\.isCompressed) == [true, true, false])
        for entry in written.entries {
            #expect(try written.content(entry) == Array("new content".utf8))
            #expect(entry.modified == 0x21_0009)
            #expect(entry.local.upperBound == entry.data.upperBound)
        }
    }

    @Test("an archive that is cut short anywhere is refused")
    func cut() throws {
        let bytes = try Self.sample.bytes()
        for count in 0..<bytes.count {
            #expect(throws: ZipError.self) { try ZipArchive(Array(bytes[..<count])) }
        }
        #expect(throws: ZipError.self) { try ZipArchive(bytes + [0]) }
        #expect(throws: ZipError.self) { try ZipArchive([0] + bytes) }
    }

    @Test("a bit that is flipped is refused, or changes no content")
    func flipped() throws {
        let bytes = try Self.sample.bytes()
        let contents = Self.sample.parts.map(\.content)
        for place in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[place] ^= 1 << UInt8(bit)
                guard let archive = try? ZipArchive(other) else { continue }
                let read = archive.entries.map { try? archive.content($0) }
                #expect(read.count == contents.count)
                #expect(zip(read, contents).allSatisfy { $0 == nil || $0 == $1 }, "\(place)")
            }
        }
    }

    /// Changes of the bytes of an archive with an entry `a` whose content is stored, by what is wrong then.
    static let hostile: [(name: String, place: Int, value: [UInt8])] = [
        ("encrypted, says the directory", 8 + 38, [1]), ("encrypted, say both", 6, [1]),
        ("of another method", 8, [12]), ("with another name", 30, [0x62]),
        ("with another size", 22, [9]), ("with another checksum", 14, [1]),
        ("of a newer version", 4, [63]), ("at another place", 38 + 42, [1]),
        ("on another disk", 38 + 34, [1]), ("with a longer name", 26, [2]),
    ]

    @Test("headers that do not agree, or say what is not read", arguments: hostile.map(\.name))
    func headers(_ name: String) throws {
        let sample = SampleArchive([("a", "")])
        let bytes = try sample.bytes()
        // A local header of 30 bytes, the name of one byte, no data: the directory begins at 31.
        #expect(bytes.zip32(31) == ZipFormat.centralSignature)
        for (found, place, value) in Self.hostile where found == name {
            var other = bytes
            let start = place >= 38 ? place - 7 : place
            other.replaceSubrange(start..<(start + value.count), with: value)
            if found.hasSuffix("say both") { other[31 + 8] = 1 }
            try #require(other != bytes)
            #expect(throws: ZipError.self) { try ZipArchive(other) }
        }
    }

    @Test(
        "names that lead elsewhere, or are there twice",
        arguments: [
            ["../a"], ["a/../b"], ["/a"], ["a\\b"], ["a//b"], ["./a"], ["a", "a"], ["a", "A"],
            ["a", "a/b"], ["a/", "a"], ["a\u{0}"], ["a\n"],
        ])
    func names(_ names: [String]) throws {
        let bytes = try SampleArchive(names.map { ($0, "") }).bytes()
        #expect(throws: ZipError.self) { try ZipArchive(bytes) }
        let safe = try SampleArchive(names.indices.map { ("n\($0)", "") }).bytes()
        #expect(throws: Never.self) { try ZipArchive(safe) }
    }

    @Test("a content that is larger than its header says is not decompressed")
    func bomb() throws {
        let content = [UInt8](repeating: 0, count: 1 << 20)
        let sample = SampleArchive([("a", String(decoding: content, as: UTF8.self))])
        var bytes = try sample.bytes()
        let archive = try ZipArchive(bytes)
        let entry = archive.entries[0]
        #expect(entry.data.count < 2000)
        for place in [22, entry.central.lowerBound + 24] { bytes[place + 2] = 1 }
        let lying = try ZipArchive(bytes)
        #expect(lying.entries[0].size == 1 << 16)
        #expect(throws: ZipError.self) { try lying.content(lying.entries[0]) }
    }

    @Test("entries that hold more than the limit together are refused")
    func total() throws {
        var bytes = try SampleArchive([("a", "xxxxxxxxxx")]).bytes()
        let entry = try ZipArchive(bytes).entries[0]
        for place in [22, entry.central.lowerBound + 24] { bytes[place + 3] = 0x10 }
        #expect(throws: ZipError("is too large when it is decompressed")) { try ZipArchive(bytes) }
    }

    @Test("entries that share their data are refused")
    func overlapping() throws {
        let bytes = try SampleArchive([("a", "x"), ("b", "x")]).bytes()
        let archive = try ZipArchive(bytes)
        let second = archive.entries[1].central.lowerBound
        var other = bytes
        other.replaceSubrange((second + 42)..<(second + 46), with: [0, 0, 0, 0])
        #expect(throws: ZipError.self) { try ZipArchive(other) }
    }
}
