/// Lines as a set, such as requirements or checksums: both sides' added lines, without those that a side removed.
///
/// A line that both sides replaced, or one replaced and the other removed, is a conflict. Sorted lines stay sorted.
/// The checksums of Go's modules are known by module and version, and any of them can stand beside each other.
struct LineSetFormat: SyntaxFormat {
    let name = "a list of lines"
    let repeats = RepeatedNames.override

    /// - Returns: nil where a line occurs twice.
    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size else { return nil }
        var items: [SyntaxItem] = []
        var seen: Set<ByteKey> = []
        var (place, gapStart) = (0, 0)
        while place < bytes.count {
            let end = bytes.lineEnd(from: place)
            let textEnd = bytes.textEnd(before: end)
            let text = bytes[place..<textEnd]
            if !text.isBlank {
                guard items.count < SyntaxLimits.items, seen.insert(ByteKey(text)).inserted else {
                    return nil
                }
                let value = SyntaxNode(
                    kind: .scalar, range: place..<textEnd, meaning: SyntaxText(text), form: .entry)
                items.append(
                    SyntaxItem(
                        gap: gapStart..<place, leadEnd: place, value: value,
                        comma: textEnd..<textEnd, end: end))
                gapStart = end
            }
            place = end
        }
        let store = SyntaxStore(bytes)
        let isNamed = ModuleChecksum.identify(&items, in: bytes)
        let root = SyntaxNode(
            kind: isNamed ? .map : .list, range: 0..<bytes.count, items: store.add(items),
            openingEnd: 0,
            closingStart: bytes.count)
        return SyntaxTree(store, root: root)
    }
}
