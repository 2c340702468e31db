/// An entry of an archive in the ZIP format, as the central directory describes it.
///
/// Source: PKWARE's APPNOTE.TXT, version 6.3.10, sections 4.3 and 4.4.
struct ZipEntry: Hashable {
    /// The name's bytes; that of a folder ends with a slash.
    let name: [UInt8]
    let isCompressed: Bool
    /// CRC-32 of the content.
    let checksum: UInt32
    let size: Int
    /// Date and time of MS-DOS, the date first; greater is later.
    let modified: UInt32
    /// The local header, the data, and the data descriptor.
    let local: Range<Int>
    /// The content as it is stored.
    let data: Range<Int>
    /// The header in the central directory.
    let central: Range<Int>

    var isFolder: Bool { name.last == UInt8(ascii: "/") }
}

/// Where the fields are, and what they may be.
enum ZipFormat {
    static let localSignature: UInt32 = 0x0403_4B50
    static let centralSignature: UInt32 = 0x0201_4B50
    static let endSignature: UInt32 = 0x0605_4B50
    static let descriptorSignature: UInt32 = 0x0807_4B50

    static let localLength = 30
    static let centralLength = 46
    static let endLength = 22

    static let stored: UInt16 = 0
    static let deflated: UInt16 = 8

    /// How well it was compressed (1, 2), a data descriptor (3), and a name in UTF-8 (11).
    static let allowedFlags: UInt16 = 0x080E
    static let descriptorFlag: UInt16 = 0x0008
    static let nameFlag: UInt16 = 0x0800
    /// The newest version that a program must know; what it brought is refused by itself.
    static let newestVersion: UInt16 = 45
    /// The extra field with the sizes of ZIP64.
    static let zip64Field: UInt16 = 1
}

/// Bounds of what is read as an archive.
enum ZipLimits {
    static let size = 128 << 20
    static let entries = 10_000
    static let nameLength = 1024
    /// What all entries hold together.
    static let plainSize = 256 << 20
}

/// Why bytes are not an archive that can be merged: the end of a sentence that begins with a version.
struct ZipError: Error, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Numbers, least significant byte first.
extension [UInt8] {
    /// - Precondition: The bytes are there.
    func zip16(_ place: Int) -> UInt16 { UInt16(self[place]) | UInt16(self[place + 1]) << 8 }

    /// - Precondition: The bytes are there.
    func zip32(_ place: Int) -> UInt32 {
        UInt32(zip16(place)) | UInt32(zip16(place + 2)) << 16
    }

    mutating func appendZip(_ number: UInt16) {
        self += [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }

    mutating func appendZip(_ number: UInt32) {
        appendZip(UInt16(truncatingIfNeeded: number))
        appendZip(UInt16(truncatingIfNeeded: number >> 16))
    }
}
