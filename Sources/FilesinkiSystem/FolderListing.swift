import CKernel
import Glibc

/// The names in a folder, read with getdents64(2) and sorted by inode, the fastest order to read
/// their status from a cold disk.
package struct FolderListing {
    package struct Name {
        package var inode: UInt64
        package var start: Int
        package var length: UInt16
        /// `DT_REG` etc.; `DT_UNKNOWN` on file systems that do not report it.
        package var type: UInt8
    }

    /// All names, each followed by NUL.
    package private(set) var bytes: [UInt8] = []
    package private(set) var entries: [Name] = []

    /// Reads all names except `.` and `..`. Throws on any error, because a partial listing would
    /// look like deletions.
    package init(_ folder: borrowing FileHandle) throws(SystemError) {
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

    package func name(_ entry: Name) -> ArraySlice<UInt8> {
        bytes[entry.start..<(entry.start + Int(entry.length))]
    }

    package func contains(_ name: some Collection<UInt8>) -> Bool {
        entries.contains { self.name($0).elementsEqual(name) }
    }

    /// Whether a name is a folder. Calls lstat(2) if the listing does not tell.
    package func isFolder(_ entry: Name, in folder: borrowing FileHandle) -> Bool {
        guard entry.type == UInt8(DT_UNKNOWN) else { return entry.type == UInt8(DT_DIR) }
        return (try? folder.record(of: name(entry)))?.isFolder ?? false
    }

    /// Whether a name is a regular file. Calls lstat(2) if the listing does not tell.
    package func isRegularFile(_ entry: Name, in folder: borrowing FileHandle) -> Bool {
        guard entry.type == UInt8(DT_UNKNOWN) else { return entry.type == UInt8(DT_REG) }
        return (try? folder.record(of: name(entry)))?.isRegularFile ?? false
    }

    /// Adds the records of one getdents64 call: inode (8 bytes), offset (8), length (2), type (1),
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

/// Removes folders recursively. Symlinks are removed, not followed.
package enum TreeRemoval {
    /// Removes a file or folder with everything in it. Ignores errors.
    package static func remove(_ path: String) {
        if let folder = try? FileHandle(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) { empty(folder) }
        if rmdir(path) != 0 { unlink(path) }
    }

    private static func empty(_ folder: borrowing FileHandle) {
        guard let listing = try? FolderListing(folder) else { return }
        for entry in listing.entries {
            let name = listing.name(entry)
            if (try? folder.unlink(name)) != nil { continue }
            if let child = try? folder.open(name, O_RDONLY | O_DIRECTORY) { empty(child) }
            _ = name.withCString { unlinkat(folder.raw, $0, AT_REMOVEDIR) }
        }
    }
}
