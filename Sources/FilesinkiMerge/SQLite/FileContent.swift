import FilesinkiModel
import FilesinkiSystem
import Glibc

/// A private file that holds still, read in pieces.
final class FileContent {
    private let file: NamedFile
    let path: String
    let size: Int

    private static let piece = 1 << 18

    init(_ path: String) throws(Failure) {
        self.path = path
        file = try NamedFile(path, O_RDONLY, of: .own)
        size = Int(try file.size)
    }

    /// Up to `count` bytes from an offset; fewer only at the end.
    func bytes(at offset: Int, count: Int) throws(Failure) -> [UInt8] {
        try file.read(from: Int64(offset), count: count)
    }

    /// Whether the content begins as every SQLite database does.
    var isDatabase: Bool {
        get throws(Failure) { try bytes(at: 0, count: 16) == Array("SQLite format 3\0".utf8) }
    }

    /// Less than 0, 0 or more than 0, as the first difference of the bytes says.
    func compared(to other: FileContent) throws(Failure) -> Int {
        var offset = 0
        while offset < max(size, other.size) {
            let mine = try bytes(at: offset, count: Self.piece)
            let theirs = try other.bytes(at: offset, count: Self.piece)
            if mine != theirs { return mine.lexicographicallyPrecedes(theirs) ? -1 : 1 }
            offset += Self.piece
        }
        return 0
    }

    /// Makes a new file of the same bytes.
    func copy(to path: String) throws(Failure) { try file.copy(to: path) }
}
