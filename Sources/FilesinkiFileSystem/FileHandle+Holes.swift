import FilesinkiSystem
import Glibc

/// Long runs of zeros are not written but left out, so that a file takes as little room on the disk as
/// it did where it came from.
enum Holes {
    /// Shorter runs are written: each hole costs the file system a record.
    static let minimum = 65_536
    private static let block = 4_096

    /// The runs of zeros within the bytes that are to be holes, as offsets in the bytes.
    ///
    /// - Parameter offset: Where in the file the bytes will be. Holes begin and end at whole blocks.
    static func runs(in bytes: UnsafeRawBufferPointer, at offset: Int64) -> [Range<Int>] {
        guard bytes.count >= minimum else { return [] }
        var runs: [Range<Int>] = []
        var position = (block - Int(offset % Int64(block))) % block
        while position + block <= bytes.count {
            let start = position
            while position + block <= bytes.count, isZero(bytes, position) { position += block }
            if position - start >= minimum { runs.append(start..<position) }
            if position == start { position += block }
        }
        return runs
    }

    private static func isZero(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> Bool {
        guard let start = bytes.baseAddress?.advanced(by: position), bytes[position] == 0 else {
            return false
        }
        return memcmp(start, start + 1, block - 1) == 0
    }
}

extension FileHandle {
    /// Writes all of the bytes, with holes for long runs of zeros. After a hole at the very end, the
    /// length has to be set.
    ///
    /// - Parameter offset: Where the file ends now, and is written next.
    /// - Returns: Whether the bytes ended in a hole.
    func writeWithHoles(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64
    ) throws(SystemError) -> Bool {
        var written = 0
        for hole in Holes.runs(in: bytes, at: offset) {
            try write(UnsafeRawBufferPointer(rebasing: bytes[written..<hole.lowerBound]))
            guard lseek(raw, off_t(hole.count), SEEK_CUR) >= 0 else { throw .last }
            written = hole.upperBound
        }
        try write(UnsafeRawBufferPointer(rebasing: bytes[written...]))
        return written == bytes.count && written > 0
    }
}
