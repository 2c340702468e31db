import FilesinkiModel

/// A reply of the far end.
enum SFTPReply: Hashable, Sendable {
    /// The version, and the values of the extensions by their names.
    case version(UInt32, extensions: [String: [UInt8]])
    case status(SFTPStatus)
    case handle([UInt8])
    case data([UInt8])
    case names([SFTPName])
    case attributes(SFTPAttributes)
    /// The reply of an extension.
    case extended([UInt8])

    /// Decodes a packet without its length.
    ///
    /// - Returns: The reply and the id of its request; nil for bytes that are no reply.
    static func decode(_ packet: [UInt8]) -> (id: UInt32, reply: SFTPReply)? {
        var reader = SFTPReader(packet[...])
        guard let type = reader.byte(), let id: UInt32 = reader.number() else { return nil }
        switch type {
        case SFTPPacket.versionType:
            guard let extensions = reader.extensions() else { return nil }
            return (SFTPPacket.initialID, .version(id, extensions: extensions))
        case 101:
            guard let code: UInt32 = reader.number() else { return nil }
            // Some servers leave the message out.
            let message = reader.string().map { String(decoding: $0, as: UTF8.self) }
            return (id, .status(SFTPStatus(code: code, message: message ?? "")))
        case 102:
            // The protocol's own limit.
            guard let handle = reader.string(), handle.count <= 256 else { return nil }
            return (id, .handle(Array(handle)))
        case 103: return reader.string().map { (id, .data(Array($0))) }
        case 104: return reader.names().map { (id, .names($0)) }
        case 105: return reader.attributes().map { (id, .attributes($0)) }
        case 201: return (id, .extended(Array(reader.rest)))
        default: return nil
        }
    }
}

/// How a request ended.
struct SFTPStatus: Hashable, Sendable {
    var code: UInt32
    /// The far end's message; may be empty.
    var message: String

    static let success: UInt32 = 0
    static let endOfFile: UInt32 = 1
    static let noSuchFile: UInt32 = 2
    static let permissionDenied: UInt32 = 3
    static let failure: UInt32 = 4
    static let noConnection: UInt32 = 6
    static let connectionLost: UInt32 = 7
    static let unsupported: UInt32 = 8
}

/// What the far end says of a file. Each part may be missing.
struct SFTPAttributes: Hashable, Sendable {
    /// In bytes.
    var size: UInt64?
    /// Type and permissions as in `st_mode`.
    var mode: UInt32?
    /// The last change in seconds since 1970.
    var modified: UInt32?

    private var type: UInt32? { mode.map { $0 & 0o170000 } }

    var isFolder: Bool { type == 0o040000 }
    var isRegularFile: Bool { type == 0o100000 }
}

/// A name in a folder.
struct SFTPName: Hashable, Sendable {
    var name: [UInt8]
    /// Those of the name itself, also of a symlink.
    var attributes: SFTPAttributes
}

/// Reads the fields of a packet. Every method returns nil when the packet ends before the field does.
struct SFTPReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func number<Number: FixedWidthInteger>() -> Number? {
        let size = MemoryLayout<Number>.size
        guard rest.count >= size else { return nil }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    mutating func string() -> ArraySlice<UInt8>? {
        guard let count: UInt32 = number(), count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    mutating func extensions() -> [String: [UInt8]]? {
        var result: [String: [UInt8]] = [:]
        while !rest.isEmpty {
            guard let name = string(), let value = string() else { return nil }
            result[String(decoding: name, as: UTF8.self)] = Array(value)
        }
        return result
    }

    mutating func names() -> [SFTPName]? {
        guard let count: UInt32 = number() else { return nil }
        var result: [SFTPName] = []
        for _ in 0..<count {
            // The second string is a line as of ls -l.
            guard let name = string(), string() != nil, let attributes = attributes() else {
                return nil
            }
            result.append(SFTPName(name: Array(name), attributes: attributes))
        }
        return result
    }

    mutating func attributes() -> SFTPAttributes? {
        guard let flags: UInt32 = number() else { return nil }
        var result = SFTPAttributes()
        if flags & 0x01 != 0 {
            guard let size: UInt64 = number() else { return nil }
            result.size = size
        }
        if flags & 0x02 != 0 {
            // The numbers of user and group.
            guard let _: UInt64 = number() else { return nil }
        }
        if flags & 0x04 != 0 {
            guard let mode: UInt32 = number() else { return nil }
            result.mode = mode
        }
        if flags & 0x08 != 0 {
            guard let _: UInt32 = number(), let modified: UInt32 = number() else { return nil }
            result.modified = modified
        }
        if flags & 0x8000_0000 != 0 {
            guard let count: UInt32 = number() else { return nil }
            for _ in 0..<count { guard string() != nil, string() != nil else { return nil } }
        }
        return result
    }
}
