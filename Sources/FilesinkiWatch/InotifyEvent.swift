import Glibc

/// One event as the kernel tells it: see inotify(7).
struct InotifyEvent {
    /// The watch that it comes from; -1 of an overflow.
    var watch: Int32
    var mask: UInt32
    /// The same for both halves of a rename.
    var cookie: UInt32
    /// The name in the watched folder; empty when it is about the folder itself.
    var name: [UInt8]

    func has(_ flag: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: flag) != 0 }

    /// Whether the name is a folder's.
    var isFolder: Bool { has(IN_ISDIR) }

    /// Takes the records of one read: watch, mask, cookie and length of the name (4 bytes each), then
    /// the name with its NULs.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> [InotifyEvent] {
        let header = 16
        var events: [InotifyEvent] = []
        var position = 0
        while position + header <= bytes.count {
            let length = Int(bytes.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self))
            let end = min(position + header + length, bytes.count)
            events.append(
                InotifyEvent(
                    watch: bytes.loadUnaligned(fromByteOffset: position, as: Int32.self),
                    mask: bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self),
                    cookie: bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt32.self),
                    name: Array(bytes[(position + header)..<end].prefix { $0 != 0 })))
            position = end
        }
        return events
    }
}
