/// A line of `go.sum`: a module, a version and a checksum.
///
/// Source: Go Modules Reference, "go.sum files", <https://go.dev/ref/mod#go-sum-files>.
enum ModuleChecksum {
    /// Gives the lines of a document their module and version as a name.
    ///
    /// - Returns: False where not every line is a checksum, or two have one name.
    static func identify(_ items: inout [SyntaxItem], in bytes: [UInt8]) -> Bool {
        var named = items
        var seen: Set<ByteKey> = []
        for place in named.indices {
            guard let name = name(of: bytes[items[place].value.range]),
                seen.insert(ByteKey(name)).inserted
            else { return false }
            let range = items[place].value.range
            (named[place].name, named[place].key) = (SyntaxText(name), SyntaxText(name))
            let value = (name.endIndex + 1)..<range.upperBound
            named[place].value = SyntaxNode(
                kind: .scalar, range: value, meaning: SyntaxText(bytes[value]))
        }
        items = named
        return !items.isEmpty
    }

    /// `MODULE VERSION` of a line `MODULE VERSION h1:CHECKSUM`.
    private static func name(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[1].first == UInt8(ascii: "v"),
            words[2].starts(with: "h1:".utf8)
        else { return nil }
        return line[words[0].startIndex..<words[1].endIndex]
    }
}
