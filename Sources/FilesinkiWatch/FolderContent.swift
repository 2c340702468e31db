import CKernel
import Glibc

/// The names of the folders in a folder, read with getdents64(2).
enum FolderContent {
    /// - Returns: Nil when the folder cannot be read to its end.
    static func folders(in folder: borrowing OpenFile) -> [[UInt8]]? {
        var names: [[UInt8]] = []
        let number = folder.number
        let isRead = withUnsafeTemporaryAllocation(byteCount: 32 << 10, alignment: 8) { buffer in
            while true {
                let count = fsk_read_folder(number, buffer.baseAddress, buffer.count)
                if count == 0 { return true }
                guard count > 0 else { return false }
                add(UnsafeRawBufferPointer(rebasing: buffer[..<count]), number, &names)
            }
        }
        return isRead ? names : nil
    }

    /// Takes the records of one call: inode (8 bytes), offset (8), length (2), type (1), then the name
    /// with its NUL and padding.
    private static func add(
        _ records: UnsafeRawBufferPointer, _ folder: Int32, _ names: inout [[UInt8]]
    ) {
        let nameStart = 19
        var position = 0
        while position + nameStart < records.count {
            let length = Int(records.loadUnaligned(fromByteOffset: position + 16, as: UInt16.self))
            let end = min(position + length, records.count)
            guard end > position + nameStart else { return }
            let type = Int32(records[position + 18])
            let name = records[(position + nameStart)..<end].prefix { $0 != 0 }
            position = end
            let isDots = name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
            if isDots { continue }
            let isFolder =
                type == Int32(DT_DIR)
                || type == Int32(DT_UNKNOWN) && Self.isFolder(Array(name), in: folder)
            if isFolder { names.append(Array(name)) }
        }
    }

    /// Asks where the file system does not say what a name is.
    private static func isFolder(_ name: [UInt8], in folder: Int32) -> Bool {
        var status = stat()
        let found = (name + [0]).withUnsafeBytes { text in
            text.assumingMemoryBound(to: CChar.self).baseAddress.map {
                fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW)
            }
        }
        return found == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
