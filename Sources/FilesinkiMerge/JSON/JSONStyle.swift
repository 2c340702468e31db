/// How a document is laid out: as much as it takes to write a part of another one in its manner.
struct JSONStyle: Hashable {
    /// The white space of one level; nil where nothing is on a line of its own.
    var indentation: [UInt8]?
    var newline: [UInt8] = [0x0A]
    /// The colon and the white space around it.
    var colon: [UInt8]?

    /// Whether a colon is followed by its value at once, and so a comma.
    var isTight: Bool { colon == [UInt8(ascii: ":")] }

    init(_ document: JSONDocument) {
        var depths: [Int32] = []
        for (index, node) in document.nodes.enumerated() {
            while let end = depths.last, Int32(index) >= end { depths.removeLast() }
            if colon == nil, !node.key.isEmpty {
                colon = Array(document.slice(node.key.upperBound..<node.value.lowerBound))
            }
            guard node.kind.isContainer, node.count > 0 else { continue }
            depths.append(node.after)
            let opening = document.slice(
                (node.value.lowerBound + 1)..<document.nodes[index + 1].start)
            guard let unit = Self.unit(opening, depth: depths.count) else { continue }
            indentation = unit
            if opening.contains(0x0D) { newline = [0x0D, 0x0A] }
            if colon != nil { return }
        }
    }

    /// One level, told from what is before the first thing in a container.
    private static func unit(_ opening: ArraySlice<UInt8>, depth: Int) -> [UInt8]? {
        guard let line = opening.lastIndex(of: 0x0A) else { return nil }
        let space = opening[(line + 1)...]
        return Array(space.prefix(max(space.count / depth, min(space.count, 1))))
    }

    /// Of three styles, the one that somebody changed to; of two, the lesser.
    static func merged(base: JSONStyle?, here: JSONStyle, there: JSONStyle) -> JSONStyle {
        var result = here
        result.indentation = pick(base?.indentation, here.indentation, there.indentation, base)
        result.newline =
            pick(base?.newline, here.newline, there.newline, base) ?? here.newline
        result.colon = pick(base?.colon, here.colon, there.colon, base)
        return result
    }

    private static func pick(
        _ base: [UInt8]?, _ here: [UInt8]?, _ there: [UInt8]?, _ style: JSONStyle?
    ) -> [UInt8]? {
        if here == there { return here }
        if style != nil, base == here { return there }
        if style != nil, base == there { return here }
        guard let here, let there else { return here ?? there }
        return here.lexicographicallyPrecedes(there) ? here : there
    }
}
