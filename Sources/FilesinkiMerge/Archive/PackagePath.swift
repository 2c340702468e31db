import FilesinkiText

/// Names of parts as documents write them.
enum PackagePath {
    /// A value without the five entities of XML; what has others stays as it is, and names nothing.
    static func unescaped(_ value: ArraySlice<UInt8>) -> [UInt8] {
        guard value.contains(UInt8(ascii: "&")) else { return Array(value) }
        var result: [UInt8] = []
        var place = value.startIndex
        while place < value.endIndex {
            let found = entities.first { value[place...].starts(with: $0.name.utf8) }
            result.append(found?.byte ?? value[place])
            place += found?.name.utf8.count ?? 1
        }
        return result
    }

    private static let entities: [(name: String, byte: UInt8)] = [
        ("&amp;", 0x26), ("&lt;", 0x3C), ("&gt;", 0x3E), ("&quot;", 0x22), ("&apos;", 0x27),
    ]

    /// The name of a part that a reference in another one leads to.
    ///
    /// - Parameters:
    ///   - reference: A relative or absolute path, with percent signs as in addresses; what follows `#` is ignored.
    ///   - part: The part from whose folder it begins.
    /// - Returns: nil for what leads out of the archive.
    static func resolved(_ reference: [UInt8], from part: [UInt8]) -> [UInt8]? {
        let written = reference.prefix { $0 != UInt8(ascii: "#") }
        let path = PercentCoding.decode(String(decoding: written, as: UTF8.self)) ?? Array(written)
        let slash = UInt8(ascii: "/")
        let isAbsolute = path.first == slash
        var parts =
            isAbsolute
            ? [] : Array(part.split(separator: slash, omittingEmptySubsequences: false).dropLast())
        for piece in path.split(separator: slash) {
            if piece.elementsEqual("..".utf8) {
                guard parts.popLast() != nil else { return nil }
            } else if !piece.elementsEqual(".".utf8) {
                parts.append(piece)
            }
        }
        return Array(parts.joined(separator: [slash]))
    }

    /// The part with the relationships of a part; of the archive for an empty name.
    static func relationships(of part: [UInt8]) -> [UInt8] {
        let slash = part.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        return Array(part[..<slash] + Array("_rels/".utf8) + part[slash...]) + Array(".rels".utf8)
    }

    /// The part whose relationships a part has; nil for other parts.
    static func source(ofRelationships name: [UInt8]) -> [UInt8]? {
        let folder = Array("_rels/".utf8)
        guard name.hasSuffix(".rels") else { return nil }
        let slash = name.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        guard name[..<slash].suffix(folder.count) == folder[...] else { return nil }
        return Array(name[..<(slash - folder.count)] + name[slash...].dropLast(5))
    }
}
