import FilesinkiModel

/// The packets of SFTP version 3: https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-02
///
/// A packet is its length, its type, an id and fields: big-endian numbers, and strings after their
/// length.
enum SFTPPacket {
    /// The longest accepted packet of the far end, in bytes: 256 KiB and a header.
    static let maximumLength = (256 << 10) + 1024

    /// The version of the protocol that both ends must have.
    static let version: UInt32 = 3

    /// The id under which the reply to ``SFTPRequest/initialize`` is filed. That packet has none.
    static let initialID: UInt32 = 0

    /// The type of that reply.
    static let versionType: UInt8 = 2
}

/// A request. Paths are bytes; a relative one begins at the user's home folder.
enum SFTPRequest: Hashable, Sendable {
    case initialize
    case openForReading([UInt8])
    /// Creates a file that must not exist, with the permissions that the far end's umask leaves.
    case create([UInt8])
    case close(handle: [UInt8])
    case read(handle: [UInt8], offset: UInt64, count: UInt32)
    case write(handle: [UInt8], offset: UInt64, bytes: ArraySlice<UInt8>)
    /// The attributes of the path itself, also of a symlink.
    case attributes([UInt8])
    /// The attributes of what the path leads to.
    case attributesFollowing([UInt8])
    case attributesOfHandle([UInt8])
    case openFolder([UInt8])
    case readFolder(handle: [UInt8])
    case remove([UInt8])
    case makeFolder([UInt8])
    case removeFolder([UInt8])
    /// The absolute path, without symlinks, of one whose last name need not exist.
    case realPath([UInt8])
    /// `posix-rename@openssh.com`: rename(2).
    case rename([UInt8], to: [UInt8])
    /// `fsync@openssh.com`
    case sync(handle: [UInt8])
    /// `limits@openssh.com`
    case limits
    /// `statvfs@openssh.com`
    case fileSystem([UInt8])

    /// The whole packet.
    func encoded(id: UInt32) -> [UInt8] {
        var fields = SFTPWriter()
        let type = write(to: &fields, id: id)
        var packet = SFTPWriter()
        packet.number(UInt32(clamping: fields.bytes.count + 1))
        packet.bytes.append(type)
        return packet.bytes + fields.bytes
    }

    /// Writes everything after the type.
    ///
    /// - Returns: The type.
    private func write(to fields: inout SFTPWriter, id: UInt32) -> UInt8 {
        fields.number(self == .initialize ? SFTPPacket.version : id)
        switch self {
        case .initialize: return 1
        case .openForReading(let path): return open(path, flags: 0x01, &fields)
        // Write, create, exclusive.
        case .create(let path): return open(path, flags: 0x02 | 0x08 | 0x20, &fields)
        case .close(let handle): return one(handle, type: 4, &fields)
        case .read(let handle, let offset, let count):
            fields.string(handle)
            fields.number(offset)
            fields.number(count)
            return 5
        case .write(let handle, let offset, let bytes):
            fields.string(handle)
            fields.number(offset)
            fields.string(bytes)
            return 6
        case .attributes(let path): return one(path, type: 7, &fields)
        case .attributesOfHandle(let handle): return one(handle, type: 8, &fields)
        case .openFolder(let path): return one(path, type: 11, &fields)
        case .readFolder(let handle): return one(handle, type: 12, &fields)
        case .remove(let path): return one(path, type: 13, &fields)
        case .makeFolder(let path):
            fields.string(path)
            fields.number(UInt32(0))
            return 14
        case .removeFolder(let path): return one(path, type: 15, &fields)
        case .realPath(let path): return one(path, type: 16, &fields)
        case .attributesFollowing(let path): return one(path, type: 17, &fields)
        case .rename(let path, let target):
            return extended("posix-rename@openssh.com", [path, target], &fields)
        case .sync(let handle): return extended("fsync@openssh.com", [handle], &fields)
        case .limits: return extended("limits@openssh.com", [], &fields)
        case .fileSystem(let path): return extended("statvfs@openssh.com", [path], &fields)
        }
    }

    private func one(_ string: [UInt8], type: UInt8, _ fields: inout SFTPWriter) -> UInt8 {
        fields.string(string)
        return type
    }

    private func open(_ path: [UInt8], flags: UInt32, _ fields: inout SFTPWriter) -> UInt8 {
        fields.string(path)
        fields.number(flags)
        // No attributes.
        fields.number(UInt32(0))
        return 3
    }

    private func extended(
        _ name: String, _ strings: [[UInt8]], _ fields: inout SFTPWriter
    ) -> UInt8 {
        fields.string(name.utf8)
        for string in strings { fields.string(string) }
        return 200
    }
}

/// Writes the fields of a packet.
struct SFTPWriter {
    var bytes: [UInt8] = []

    mutating func number<Number: FixedWidthInteger>(_ value: Number) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func string(_ string: some Collection<UInt8>) {
        number(UInt32(clamping: string.count))
        bytes.append(contentsOf: string)
    }
}
