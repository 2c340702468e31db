package import FilesinkiModel

/// What the middle of a conflict copy's name begins with.
package let conflictMark = Array(" (conflict ".utf8)

/// The path that a conflict copy was made for, and the digits in its name that its content's
/// identity begins with; nil for a name that is not one of a conflict copy.
///
/// The opposite of ``conflictName(for:device:content:)``, save where that had to cut the name.
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

private func lastIndex(of mark: [UInt8], in name: [UInt8]) -> Int? {
    guard name.count >= mark.count else { return nil }
    return (0...(name.count - mark.count)).last { name[$0...].starts(with: mark) }
}
