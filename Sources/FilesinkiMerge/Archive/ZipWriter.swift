import FilesinkiCompression
import FilesinkiModel

/// Writes an archive of entries that others have, byte for byte, and of new contents.
struct ZipWriter {
    private var bytes: [UInt8] = []
    private var directory: [UInt8] = []
    private var count = 0

    /// Adds an entry as an archive has it: its headers, its compressed bytes and its descriptor.
    mutating func copy(_ entry: ZipEntry, of archive: ZipArchive) throws(ZipError) {
        let offset = try offset()
        bytes += archive.bytes[entry.local]
        var header = Array(archive.bytes[entry.central])
        Self.set(offset, at: 42, of: &header)
        directory += header
        count += 1
    }

    /// Adds an entry with another content, compressed if the entry is. Extra fields and the comment of the entry are
    /// left out: they can say something about the content.
    mutating func add(
        _ content: [UInt8], as entry: ZipEntry, of archive: ZipArchive
    ) throws(ZipError) {
        let offset = try offset()
        guard let size = UInt32(exactly: content.count) else { throw ZipError("is too large") }
        var data = content
        if entry.isCompressed {
            do { data = try Deflate.compress(content) } catch { throw ZipError("is too large") }
        }
        var fields: [UInt8] = []
        let header = Array(archive.bytes[entry.central])
        fields.appendZip(header.zip16(8) & ZipFormat.nameFlag)
        fields += header[10..<16]
        fields.appendZip(Deflate.checksum(content[...]))
        fields.appendZip(UInt32(data.count))
        fields.appendZip(size)
        fields.appendZip(UInt16(entry.name.count))
        bytes.appendZip(ZipFormat.localSignature)
        bytes += header[6..<8]
        bytes += fields + [0, 0] + entry.name
        bytes += data
        directory.appendZip(ZipFormat.centralSignature)
        directory += header[4..<8]
        directory += fields + [0, 0, 0, 0, 0, 0]
        directory += header[36..<42]
        directory.appendZip(offset)
        directory += entry.name
        count += 1
    }

    private func offset() throws(ZipError) -> UInt32 {
        guard count < ZipLimits.entries, bytes.count + directory.count <= ZipLimits.size else {
            throw ZipError("is too large")
        }
        return UInt32(bytes.count)
    }

    private static func set(_ number: UInt32, at place: Int, of header: inout [UInt8]) {
        var field: [UInt8] = []
        field.appendZip(number)
        header.replaceSubrange(place..<(place + 4), with: field)
    }

    /// The archive.
    func archive() -> [UInt8] {
        var result = bytes + directory
        result.appendZip(ZipFormat.endSignature)
        result += [0, 0, 0, 0]
        result.appendZip(UInt16(count))
        result.appendZip(UInt16(count))
        result.appendZip(UInt32(directory.count))
        result.appendZip(UInt32(bytes.count))
        result += [0, 0]
        return result
    }
}
