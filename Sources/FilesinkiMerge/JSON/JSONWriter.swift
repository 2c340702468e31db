import FilesinkiText

/// Writes the result: pieces of the versions, in the merged style.
struct JSONWriter {
    let documents: [JSONDocument?]
    let style: JSONStyle
    private let styles: [JSONStyle?]
    private(set) var output: [UInt8] = []

    init(base: JSONDocument?, ours: JSONDocument, theirs: JSONDocument) {
        documents = [base, ours, theirs]
        styles = documents.map { $0.map(JSONStyle.init) }
        style = JSONStyle.merged(
            base: styles[0], ours: styles[1] ?? JSONStyle(ours),
            theirs: styles[2] ?? JSONStyle(theirs))
        output.reserveCapacity(max(ours.bytes.count, theirs.bytes.count) * 5 / 4)
    }

    /// Whether both sides have another style than base, and than each other.
    var isContested: Bool {
        styles[1] != styles[2] && styles[0] != styles[1] && styles[0] != styles[2]
    }

    /// Whether the pieces of a version can be copied without a change of layout.
    func hasStyle(_ version: MergeVersion) -> Bool {
        styles[version.rawValue] == style || styles.contains { $0?.isRegular == false }
    }

    /// Writes bytes unchanged.
    mutating func write(_ bytes: some Collection<UInt8>) { output.append(contentsOf: bytes) }

    /// Writes the white space of a version, with or without a comma.
    mutating func writeSpace(_ space: JSONPiece) {
        guard !hasStyle(space.version), let from = styles[space.version.rawValue] else {
            return write(space.bytes)
        }
        write(Self.converted(space.bytes, from, style))
    }

    mutating func writeColon(_ colon: JSONPiece) {
        guard !hasStyle(colon.version), let from = styles[colon.version.rawValue],
            colon.bytes.elementsEqual(from.colon ?? []), let target = style.colon
        else { return write(colon.bytes) }
        write(target)
    }

    /// The same lines with the indentation and line ends of another style.
    private static func converted(
        _ space: ArraySlice<UInt8>, _ from: JSONStyle, _ to: JSONStyle
    ) -> [UInt8] {
        guard space.contains(0x0A) else { return Array(space) }
        guard let unit = to.indentation else {
            return space.contains(UInt8(ascii: ",")) ? [UInt8(ascii: ",")] : []
        }
        let width = max(from.indentation?.count ?? 1, 1)
        var result: [UInt8] = []
        var rest = space
        while let byte = rest.popFirst() {
            guard byte == 0x0A else {
                if byte != 0x0D { result.append(byte) }
                continue
            }
            let indent = rest.prefix { $0 == 0x20 || $0 == 0x09 }
            rest = rest.dropFirst(indent.count)
            result += to.newline
            for _ in 0..<(indent.count / width) { result += unit }
            result += indent.suffix(indent.count % width)
        }
        return result
    }

    /// Writes a whole value of a version inside `depth` containers.
    mutating func writeValue(_ node: Int, _ version: MergeVersion, depth: Int) {
        guard let document = documents[version.rawValue] else { return }
        guard !hasStyle(version), document.nodes[node].kind.isContainer else {
            return write(document.text(node))
        }
        let children = document.children(of: node)
        let layout = JSONLayout(document, node, children, version)
        let isSpread = styles[version.rawValue]?.indentation == nil && style.indentation != nil
        write(document.text(node).prefix(1))
        for (index, child) in children.enumerated() {
            if isSpread {
                if index > 0 { write([UInt8(ascii: ",")]) }
                writeLine(depth: depth + 1)
            } else {
                writeSpace(index == 0 ? layout.opening : layout.separator(before: index))
            }
            writeKey(child, version)
            writeValue(child, version, depth: depth + 1)
        }
        if isSpread, !children.isEmpty {
            writeLine(depth: depth)
        } else {
            writeSpace(layout.closing)
        }
        write(document.text(node).suffix(1))
    }

    /// Writes the key of a member and its colon.
    mutating func writeKey(_ node: Int, _ version: MergeVersion) {
        guard let document = documents[version.rawValue] else { return }
        let range = document.nodes[node].key
        guard !range.isEmpty else { return }
        write(document.slice(range))
        writeColon(JSONLayout.colon(document, node, version))
    }

    mutating func writeLine(depth: Int) {
        write(style.newline)
        for _ in 0..<depth { write(style.indentation ?? []) }
    }
}

/// How a document is laid out: what is needed to write a part of another document in its style.
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

    /// Detected by majority at the beginning of the document, so that one odd line changes nothing.
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

    /// The style that one side changed to; when both did, the lesser.
    static func merged(base: JSONStyle?, ours: JSONStyle, theirs: JSONStyle) -> JSONStyle {
        if ours == theirs || base == theirs { return ours }
        if base == ours { return theirs }
        return ours.order.lexicographicallyPrecedes(theirs.order) ? ours : theirs
    }

    /// An order of styles that is the same on both devices. Styles with lines come first.
    private var order: [UInt8] {
        [indentation == nil ? 1 : 0] + (indentation ?? []) + [0xFF] + newline + [0xFF]
            + (colon ?? [])
    }
}

/// Counts spellings.
struct JSONVotes {
    private var counts: [[UInt8]: Int] = [:]

    mutating func add(_ bytes: ArraySlice<UInt8>) { counts[Array(bytes), default: 0] += 1 }

    /// The spelling with more than half of all votes.
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
