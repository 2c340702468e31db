import CKernel
import FilesinkiModel
import Glibc

/// The names in a folder, read with getdents64(2) and sorted by inode, the order in which a cold
/// disk gives their status fastest.
struct FolderListing {
    struct Name {
        var inode: UInt64
        var start: Int
        var length: UInt16
        /// `DT_REG` and so on; `DT_UNKNOWN` on file systems that do not say.
        var type: UInt8
    }

    /// All names, each followed by NUL.
    private(set) var bytes: [UInt8] = []
    private(set) var entries: [Name] = []

    /// Reads all names but `.` and `..`. An error in the midst gives no listing at all: half a
    /// folder would look like deletions.
    init(_ folder: borrowing Descriptor) throws(SystemError) {
        let size = 32_768
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = fsk_read_folder(folder.raw, buffer.baseAddress, size)
            guard count >= 0 else { throw .last }
            if count == 0 { break }
            add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        entries.sort { $0.inode < $1.inode }
    }

    func name(_ entry: Name) -> ArraySlice<UInt8> {
        bytes[entry.start..<(entry.start + Int(entry.length))]
    }

    func contains(_ name: some Collection<UInt8>) -> Bool {
        entries.contains { self.name($0).elementsEqual(name) }
    }

    /// Takes the records of one getdents64 call: inode (8 bytes), offset (8), length (2), type (1),
    /// then the name with its NUL and padding.
    private mutating func add(_ records: UnsafeRawBufferPointer) {
        let nameStart = 19
        var position = 0
        while position + nameStart < records.count {
            let length = Int(records.loadUnaligned(fromByteOffset: position + 16, as: UInt16.self))
            let end = min(position + length, records.count)
            guard end > position + nameStart else { return }
            let name = records[(position + nameStart)..<end].prefix { $0 != 0 }
            if !Self.isDots(name) {
                entries.append(
                    Name(
                        inode: records.loadUnaligned(fromByteOffset: position, as: UInt64.self),
                        start: bytes.count, length: UInt16(truncatingIfNeeded: name.count),
                        type: records[position + 18]))
                bytes.append(contentsOf: name)
                bytes.append(0)
            }
            position = end
        }
    }

    private static func isDots(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
        name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
    }
}
