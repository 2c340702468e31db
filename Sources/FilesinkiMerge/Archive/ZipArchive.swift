import FilesinkiCompression
import FilesinkiModel

/// An archive in the ZIP format that programs can read in one way only.
///
/// Its entries cover all bytes: nothing is before, between or behind them but the central directory, in the same order.
/// Local headers say what the directory says. Encryption, ZIP64, several disks, comments of the archive, methods other
/// than DEFLATE, and names that occur twice or lead out of a folder are refused.
struct ZipArchive {
    let bytes: [UInt8]
    let entries: [ZipEntry]

    /// Reads the headers; no content is decompressed.
    init(_ bytes: [UInt8]) throws(ZipError) {
        guard bytes.count <= ZipLimits.size else { throw ZipError("is too large") }
        let directory = try Self.directory(bytes)
        self.bytes = bytes
        var entries: [ZipEntry] = []
        var (central, local) = (directory.range.lowerBound, 0)
        while central < directory.range.upperBound {
            guard entries.count < directory.count else { throw Self.damaged }
            let entry = try ZipHeaderReader(bytes, central, local, directory.range).entry()
            central = entry.central.upperBound
            local = entry.local.upperBound
            entries.append(entry)
        }
        guard entries.count == directory.count, local == directory.range.lowerBound else {
            throw Self.damaged
        }
        guard entries.reduce(0, { $0 + $1.size }) <= ZipLimits.plainSize else {
            throw ZipError("is too large when it is decompressed")
        }
        try Self.checkNames(entries)
        self.entries = entries
    }

    static let damaged = ZipError("is a damaged archive")

    /// The central directory, which the last bytes name.
    private static func directory(
        _ bytes: [UInt8]
    ) throws(ZipError) -> (range: Range<Int>, count: Int) {
        let end = bytes.count - ZipFormat.endLength
        guard end >= 0, bytes.zip32(end) == ZipFormat.endSignature, bytes.zip16(end + 20) == 0
        else { throw ZipError("is not a complete archive without a comment") }
        let count = Int(bytes.zip16(end + 10))
        let (size, start) = (Int(bytes.zip32(end + 12)), Int(bytes.zip32(end + 16)))
        guard bytes.zip32(end + 4) == 0, Int(bytes.zip16(end + 8)) == count,
            start + size == end, count <= ZipLimits.entries
        else { throw damaged }
        return (start..<end, count)
    }

    /// Names are unique, whatever the case of their letters, and no file is a folder of another.
    private static func checkNames(_ entries: [ZipEntry]) throws(ZipError) {
        var seen: Set<[UInt8]> = []
        var folders: Set<[UInt8]> = []
        for entry in entries {
            let name = entry.name.map(\.lowercasedASCII)
            guard seen.insert(name).inserted else {
                throw ZipError("has a name twice")
            }
            for (place, byte) in name.enumerated() where byte == UInt8(ascii: "/") {
                folders.insert(Array(name[..<place]))
            }
        }
        guard folders.isDisjoint(with: seen) else {
            throw ZipError("has a name twice")
        }
    }

    /// The content of an entry.
    ///
    /// - Throws: For an entry that holds something else than its header says.
    func content(_ entry: ZipEntry) throws(ZipError) -> [UInt8] {
        var content = Array(bytes[entry.data])
        if entry.isCompressed {
            do {
                content = try Deflate.decompress(bytes[entry.data], plainLength: entry.size)
            } catch {
                throw Self.damaged
            }
        }
        guard content.count == entry.size, Deflate.checksum(content[...]) == entry.checksum else {
            throw Self.damaged
        }
        return content
    }

    /// Whether an entry has the same content in another archive.
    func hasSameContent(
        _ entry: ZipEntry, _ other: ZipArchive, _ otherEntry: ZipEntry
    ) throws(ZipError) -> Bool {
        guard entry.size == otherEntry.size, entry.checksum == otherEntry.checksum else {
            return false
        }
        if entry.isCompressed == otherEntry.isCompressed,
            bytes[entry.data] == other.bytes[otherEntry.data]
        {
            return true
        }
        return try content(entry) == other.content(otherEntry)
    }
}

/// Reads the two headers of an entry, which must agree.
private struct ZipHeaderReader {
    let bytes: [UInt8]
    /// Where the headers begin.
    let central: Int
    let local: Int
    let directory: Range<Int>

    init(_ bytes: [UInt8], _ central: Int, _ local: Int, _ directory: Range<Int>) {
        self.bytes = bytes
        self.central = central
        self.local = local
        self.directory = directory
    }

    func entry() throws(ZipError) -> ZipEntry {
        let damaged = ZipArchive.damaged
        guard central + ZipFormat.centralLength <= directory.upperBound,
            bytes.zip32(central) == ZipFormat.centralSignature,
            local + ZipFormat.localLength <= directory.lowerBound,
            bytes.zip32(local) == ZipFormat.localSignature,
            bytes.zip16(central + 34) == 0, bytes.zip32(central + 42) == UInt32(local)
        else { throw damaged }
        try checkFeatures()
        let (name, nameEnd) = try name()
        let size = Int(bytes.zip32(central + 24))
        let data = try data(nameEnd)
        let isCompressed = bytes.zip16(central + 10) == ZipFormat.deflated
        guard isCompressed || data.count == size, name.last != UInt8(ascii: "/") || size == 0
        else { throw damaged }
        let end = try endOfDescriptor(data.upperBound)
        return ZipEntry(
            name: name, isCompressed: isCompressed, checksum: bytes.zip32(central + 16),
            size: size,
            modified: UInt32(bytes.zip16(central + 14)) << 16 | UInt32(bytes.zip16(central + 12)),
            local: local..<end, data: data, central: central..<centralEnd)
    }

    private var centralEnd: Int {
        central + ZipFormat.centralLength + Int(bytes.zip16(central + 28))
            + Int(bytes.zip16(central + 30)) + Int(bytes.zip16(central + 32))
    }

    private var hasDescriptor: Bool { bytes.zip16(central + 8) & ZipFormat.descriptorFlag != 0 }

    /// The flags, method and time in both headers.
    private func checkFeatures() throws(ZipError) {
        let (flags, method) = (bytes.zip16(central + 8), bytes.zip16(central + 10))
        guard flags & 1 == 0 else { throw ZipError("is encrypted") }
        let isKnown =
            flags & ~ZipFormat.allowedFlags == 0
            && [ZipFormat.stored, ZipFormat.deflated].contains(method)
            && max(bytes.zip16(central + 6), bytes.zip16(local + 4)) <= ZipFormat.newestVersion
        guard isKnown else { throw ZipError("has entries of an unsupported kind") }
        guard bytes[(central + 8)..<(central + 16)] == bytes[(local + 6)..<(local + 14)] else {
            throw ZipArchive.damaged
        }
    }

    /// The name, which both headers have, and where the data begins.
    private func name() throws(ZipError) -> (name: [UInt8], nameEnd: Int) {
        let length = Int(bytes.zip16(central + 28))
        let start = central + ZipFormat.centralLength
        let localStart = local + ZipFormat.localLength
        let extra = Int(bytes.zip16(local + 28))
        guard length == Int(bytes.zip16(local + 26)), centralEnd <= directory.upperBound,
            localStart + length + extra <= directory.lowerBound,
            bytes[start..<(start + length)] == bytes[localStart..<(localStart + length)]
        else { throw ZipArchive.damaged }
        let name = Array(bytes[start..<(start + length)])
        guard Self.isSafe(name) else { throw ZipError("has a name that programs refuse") }
        let nameEnd = localStart + length
        let fields = [
            nameEnd..<(nameEnd + extra),
            (start + length)..<(start + length + Int(bytes.zip16(central + 30))),
        ]
        guard fields.allSatisfy(isWithoutZip64) else {
            throw ZipError("has entries of an unsupported kind")
        }
        return (name, nameEnd + extra)
    }

    /// Whether the name leads to one place below a folder.
    private static func isSafe(_ name: [UInt8]) -> Bool {
        guard 1...ZipLimits.nameLength ~= name.count,
            name.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") })
        else { return false }
        let isFolder = name.last == UInt8(ascii: "/")
        let parts = (isFolder ? name.dropLast() : name[...])
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
        }
    }

    private func isWithoutZip64(_ field: Range<Int>) -> Bool {
        var place = field.lowerBound
        while place < field.upperBound {
            guard place + 4 <= field.upperBound, bytes.zip16(place) != ZipFormat.zip64Field
            else { return false }
            place += 4 + Int(bytes.zip16(place + 2))
        }
        return place == field.upperBound
    }

    /// The data, by the directory; the local header says the same, or nothing where a descriptor follows.
    private func data(_ start: Int) throws(ZipError) -> Range<Int> {
        let sizes = bytes[(central + 16)..<(central + 28)]
        let local = bytes[(local + 14)..<(local + 26)]
        let count = Int(bytes.zip32(central + 20))
        guard local == sizes || hasDescriptor && local.allSatisfy({ $0 == 0 }),
            start + count <= directory.lowerBound
        else { throw ZipArchive.damaged }
        return start..<(start + count)
    }

    /// Where the entry ends: behind the descriptor, which may have a signature.
    private func endOfDescriptor(_ start: Int) throws(ZipError) -> Int {
        guard hasDescriptor else { return start }
        guard start + 4 <= directory.lowerBound else { throw ZipArchive.damaged }
        let isSigned = bytes.zip32(start) == ZipFormat.descriptorSignature
        let fields = isSigned ? start + 4 : start
        guard fields + 12 <= directory.lowerBound,
            bytes[fields..<(fields + 12)] == bytes[(central + 16)..<(central + 28)]
        else { throw ZipArchive.damaged }
        return fields + 12
    }
}
