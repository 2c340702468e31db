package import FilesinkiModel
import Synchronization

/// The name of a conflict copy: `NAME (conflict DEVICE HASH8).EXT`, beside `path`.
///
/// The name depends on the arguments only, so devices that resolve the same conflict make the
/// same name. A leading dot does not begin an extension. In the device's name every byte that is
/// not a letter, a digit, `.`, `_` or `-` of ASCII becomes `-`, and it is cut to 32 bytes. Where
/// the name would be longer than 255 bytes, the end of NAME is cut, never inside a character.
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

/// What the conflict copies of a path begin with, except those whose names had to be cut.
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

/// The hash in the name of a conflict copy: of a file its content ID, of a symlink a hash of its target.
func contentHash(of entry: Entry) -> String {
    guard entry.kind == .symlink else { return entry.content.description }
    // FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/: names only have to differ, not to resist.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in entry.target {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return withUnsafeBytes(of: hash.bigEndian) { hexadecimal($0) }
}

/// A device's name as it stands in the names of its conflict copies.
package func plainName(of device: Device) -> String {
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

/// What stands between NAME and DEVICE in the name of a conflict copy.
package let conflictMark = Array(" (conflict ".utf8)

/// The path that a conflict copy was made for, and the hash digits in its name; nil when the name is
/// not that of a conflict copy.
///
/// Reverses ``conflictName(for:device:content:)``, except where that had to cut the name.
package func conflictOriginal(of copy: RelativePath) -> (path: RelativePath, digits: String)? {
    let name = Array(copy.name)
    guard let start = lastIndex(of: conflictMark, in: name), start > 0,
        let end = name[start...].firstIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let words = name[(start + conflictMark.count)..<end].split(separator: UInt8(ascii: " "))
    guard words.count == 2, (8...64).contains(words[1].count),
        words[1].allSatisfy({ "0123456789abcdef".utf8.contains($0) })
    else { return nil }
    let original = name[..<start] + name[(end + 1)...]
    let path = copy.parent?.appending(original) ?? RelativePath(unchecked: Array(original))
    return (path, String(decoding: words[1], as: UTF8.self))
}

/// What a conflict copy was made for, and, where that is a copy itself, what that was made for, and so on; empty when the name is
/// not that of a conflict copy.
package func conflictOriginals(of copy: RelativePath) -> some Sequence<RelativePath> {
    sequence(first: copy) { conflictOriginal(of: $0)?.path }.dropFirst()
}

/// The device in the name of a conflict copy, as ``plainName(of:)`` writes it; nil when the name is not that of a
/// conflict copy.
package func conflictDevice(of copy: RelativePath) -> String? {
    let name = Array(copy.name)
    guard conflictOriginal(of: copy) != nil, let start = lastIndex(of: conflictMark, in: name)
    else { return nil }
    let device = name[(start + conflictMark.count)...].prefix { $0 != UInt8(ascii: " ") }
    return String(decoding: device, as: UTF8.self)
}

/// The name under which a conflict copy is kept as a file of its own: without the word `conflict`. Nil for any
/// other path.
package func keptName(of copy: RelativePath) -> RelativePath? {
    let (name, word) = (Array(copy.name), Array("conflict ".utf8))
    guard conflictOriginal(of: copy) != nil, let start = lastIndex(of: conflictMark, in: name)
    else { return nil }
    let end = start + conflictMark.count
    let kept = Array(name[..<(end - word.count)]) + name[end...]
    return copy.parent?.appending(kept) ?? RelativePath(unchecked: kept)
}

private func lastIndex(of mark: [UInt8], in name: [UInt8]) -> Int? {
    guard name.count >= mark.count else { return nil }
    return (0...(name.count - mark.count)).last { name[$0...].starts(with: mark) }
}

/// The conflict copies among the paths where a side differs from the base, by the path that they
/// were made for. They are looked up when the first conflict needs a copy: few plans have one.
final class ChangedCopies: Sendable {
    private let found = Mutex<[RelativePath: Set<RelativePath>]?>(nil)

    func copies(of path: RelativePath, in input: ReconcileInput) -> Set<RelativePath> {
        found.withLock { found in
            let all = found ?? Self.all(in: input)
            found = all
            return all[path] ?? []
        }
    }

    private static func all(in input: ReconcileInput) -> [RelativePath: Set<RelativePath>] {
        var all: [RelativePath: Set<RelativePath>] = [:]
        for keys in [Array(input.ours.keys), Array(input.theirs.keys)] {
            for path in keys {
                guard let original = conflictOriginal(of: path)?.path else { continue }
                all[original, default: []].insert(path)
            }
        }
        return all
    }
}

extension ReconcileInput {
    /// The conflict copies of a path in any of the three trees, of any device.
    func conflictCopies(of path: RelativePath) -> Set<RelativePath> {
        copies.copies(of: path, in: self).union(
            base.paths(beginning: conflictPrefix(of: path))
                .filter { conflictOriginal(of: $0)?.path == path })
    }

    /// The path that an entry is a conflict copy of, by its name and content; nil when it is not a
    /// conflict copy, or when there is no such path any more.
    func original(of entry: Entry, at path: RelativePath) -> RelativePath? {
        guard entry.kind != .directory, let (original, digits) = conflictOriginal(of: path),
            contentHash(of: entry).hasPrefix(digits),
            ourEntry(original) != nil || theirEntry(original) != nil
        else { return nil }
        return original
    }
}
