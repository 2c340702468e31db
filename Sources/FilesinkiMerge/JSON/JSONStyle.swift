/// How a document is laid out: as much as it takes to write a part of another one in its manner.
struct JSONStyle: Hashable {
    /// The white space of one level; nil where nothing is on a line of its own.
    var indentation: [UInt8]?
    var newline: [UInt8] = [0x0A]
    /// Whether most lines are indented by a multiple of the same; else it is not to be imitated.
    private(set) var isRegular = true
    /// The colon and the white space around it, where most are the same.
    var colon: [UInt8]?

    /// Whether a colon is followed by its value at once, and so a comma.
    var isTight: Bool { colon == [UInt8(ascii: ":")] }

    /// Told by majority from the beginning of the document, so that one odd line changes nothing.
    init(_ document: JSONDocument) {
        var (units, newlines, colons) = (JSONVotes(), JSONVotes(), JSONVotes())
        var ends: [Int32] = []
        for (index, node) in document.nodes.prefix(Self.sample).enumerated() {
            while let end = ends.last, Int32(index) >= end { ends.removeLast() }
            if !node.key.isEmpty {
                colons.add(document.slice(node.key.upperBound..<node.value.lowerBound))
            }
            let before = document.bytes[..<Int(node.start)]
            let indent = before.reversed().prefix { $0 == 0x20 || $0 == 0x09 }.count
            let line = before.dropLast(indent)
            if line.last == 0x0A, !ends.isEmpty {
                units.add(before.suffix(indent).prefix(indent / ends.count))
                newlines.add(line.dropLast().last == 0x0D ? [0x0D, 0x0A] : [0x0A])
            }
            if node.kind.isContainer { ends.append(node.after) }
        }
        indentation = units.winner
        newline = newlines.winner ?? [0x0A]
        colon = colons.majority
        isRegular = units.winner == units.majority
    }

    private static let sample = 2000

    /// Of three styles, the one that somebody changed to; of two, the lesser.
    static func merged(base: JSONStyle?, here: JSONStyle, there: JSONStyle) -> JSONStyle {
        if here == there || base == there { return here }
        if base == here { return there }
        return here.order.lexicographicallyPrecedes(there.order) ? here : there
    }

    /// Something to tell styles apart by, the same on both devices. Lines come before none.
    private var order: [UInt8] {
        [indentation == nil ? 1 : 0] + (indentation ?? []) + [0xFF] + newline + [0xFF]
            + (colon ?? [])
    }
}

/// Which of some spellings is the most frequent.
struct JSONVotes {
    private var counts: [[UInt8]: Int] = [:]

    mutating func add(_ bytes: ArraySlice<UInt8>) { counts[Array(bytes), default: 0] += 1 }

    /// What has more than half of all votes.
    var majority: [UInt8]? {
        winner.flatMap { (counts[$0] ?? 0) * 2 > counts.values.reduce(0, +) ? $0 : nil }
    }

    var winner: [UInt8]? {
        counts.max { left, right in
            (left.value, right.key.count) < (right.value, left.key.count)
                || left.value == right.value && left.key.count == right.key.count
                    && right.key.lexicographicallyPrecedes(left.key)
        }?.key
    }
}
