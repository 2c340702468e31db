package import FilesinkiModel

/// The name of a conflict copy: `NAME (conflict DEVICE HASH8).EXT`, beside `path`.
///
/// The name follows from the arguments alone, so devices that resolve the same conflict make the
/// same name. A leading dot does not begin an extension. In the device's name every byte that is
/// not a letter, a digit, `.`, `_` or `-` of ASCII becomes `-`, and it is cut to 32 bytes. Where
/// the whole would be longer than 255 bytes, the end of NAME is cut, never inside a character.
package func conflictName(
    for path: RelativePath, device: Device, content: ContentID
) -> RelativePath {
    conflictName(for: path, device: device, hash: String(content.description.prefix(8)))
}

func conflictName(for path: RelativePath, device: Device, hash: String) -> RelativePath {
    let (stem, suffix) = divided(Array(path.name))
    let middle = Array(" (conflict \(plainName(of: device)) \(hash))".utf8)
    let room = RelativePath.maximumNameLength - middle.count - suffix.count
    let copy = cut(stem, to: room) + middle + suffix
    guard let parent = path.parent else { return RelativePath(unchecked: copy) }
    return parent.appending(copy)
}

/// What the conflict copies of a path begin with, those aside whose names had to be cut.
package func conflictPrefix(of path: RelativePath) -> [UInt8] {
    let folder = path.parent.map { $0.bytes + [UInt8(ascii: "/")] } ?? []
    return folder + divided(Array(path.name)).stem + conflictMark
}

/// A name without its extension, and the extension with its dot.
private func divided(_ name: [UInt8]) -> (stem: [UInt8], suffix: [UInt8]) {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0, dot < name.count - 1,
        name.count - dot <= 32, name[..<dot].contains(where: { $0 != UInt8(ascii: ".") })
    else { return (name, []) }
    return (Array(name[..<dot]), Array(name[dot...]))
}

/// What names an entry's content: of a file its content ID, of a symlink a hash of its target.
func contentHash(of entry: Entry) -> String {
    guard entry.kind == .symlink else { return entry.content.description }
    // FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/: names only have to differ, not to resist.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in entry.target {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return withUnsafeBytes(of: hash.bigEndian) { hexadecimal($0) }
}

private func plainName(of device: Device) -> String {
    let plain = device.name.utf8.prefix(32).map { byte -> UInt8 in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            byte
        default: UInt8(ascii: "-")
        }
    }
    return plain.isEmpty ? "unknown" : String(decoding: plain, as: UTF8.self)
}

/// The first bytes, without a UTF-8 sequence that would be cut in its middle.
private func cut(_ bytes: [UInt8], to length: Int) -> [UInt8] {
    guard bytes.count > length else { return bytes }
    var end = max(length, 0)
    while end > 0, end > length - 3, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(bytes[..<end])
}
