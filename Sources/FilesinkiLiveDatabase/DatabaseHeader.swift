import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The fields of a database's header that SQLite changes without a change of the content
/// (fileformat2.html, section 1.3):
/// * 18 and 19, the journal mode.
/// * 24, the change counter, and 92, the counter's value for which the size is valid. They count
///   transactions, also those that change nothing.
/// * 40, the schema cookie. SQLite's backup changes it in any case.
/// * 96, the version of SQLite that wrote last.
struct DatabaseHeader: Equatable {
    private static let fields: [Range<Int>] = [18..<20, 24..<28, 40..<44, 92..<100]

    /// The values of the fields, one after the other.
    let bytes: [UInt8]

    /// The header of a content that no file had at rest: no write-ahead log, which belongs to the
    /// device, counters of 1, and SQLite 3.40.1.
    static let normalized = DatabaseHeader(
        bytes: [1, 1] + [0, 0, 0, 1] + [0, 0, 0, 1] + [0, 0, 0, 1, 0x00, 0x2E, 0x63, 0x01])

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: Nil for another number of bytes, and for a journal mode that SQLite 3.40 does not
    ///   know.
    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.normalized.bytes.count,
            bytes.prefix(2) == [1, 1] || bytes.prefix(2) == [2, 2]
        else { return nil }
        self.init(bytes: bytes)
    }

    /// Reads the fields of a file's first page, as it lies on the disk.
    init?(of file: NamedFile) throws(Failure) {
        let page = try file.read(from: 0, count: 100)
        guard page.count == 100 else { return nil }
        self.init(Self.fields.flatMap { page[$0] })
    }

    func write(to file: NamedFile) throws(Failure) {
        var rest = bytes[...]
        for field in Self.fields {
            try file.write(Array(rest.prefix(field.count)), at: Int64(field.lowerBound))
            rest = rest.dropFirst(field.count)
        }
    }

    /// The content ID that a database has with the normalized header.
    static func normalizedContent(of file: NamedFile) throws(Failure) -> ContentID {
        var hasher = ContentHasher()
        var offset: Int64 = 0
        while true {
            var piece = try file.read(from: offset, count: 1 << 20)
            if piece.isEmpty { return hasher.finish() }
            if offset == 0, piece.count >= 100 {
                var rest = normalized.bytes[...]
                for field in fields {
                    piece.replaceSubrange(field, with: rest.prefix(field.count))
                    rest = rest.dropFirst(field.count)
                }
            }
            hasher.update(piece)
            offset += Int64(piece.count)
        }
    }
}
