/// The result as far as it is written: pieces of the versions, in the style that was agreed on.
struct JSONWriter {
    let documents: [JSONDocument?]
    let style: JSONStyle
    private let styles: [JSONStyle?]
    private(set) var output: [UInt8] = []

    init(base: JSONDocument?, here: JSONDocument, there: JSONDocument) {
        documents = [base, here, there]
        styles = documents.map { $0.map(JSONStyle.init) }
        style = JSONStyle.merged(
            base: styles[0], here: styles[1] ?? JSONStyle(here),
            there: styles[2] ?? JSONStyle(there))
        output.reserveCapacity(max(here.bytes.count, there.bytes.count) * 5 / 4)
    }

    /// Whether both sides have another style than base, and than each other.
    var isContested: Bool {
        styles[1] != styles[2] && styles[0] != styles[1] && styles[0] != styles[2]
    }

    /// Whether nothing of a version has to be laid out anew.
    func hasStyle(_ version: JSONVersion) -> Bool {
        styles[version.rawValue] == style || styles.contains { $0?.isRegular == false }
    }

    /// Bytes that stand for themselves.
    mutating func write(_ bytes: some Collection<UInt8>) { output.append(contentsOf: bytes) }

    /// White space, with a comma or not, as a version has it at this depth.
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

    /// The same lines with the other indentation and line ends.
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

    /// A value, whole, as a version has it; `depth` containers are around it.
    mutating func writeValue(_ node: Int, _ version: JSONVersion, depth: Int) {
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

    /// The key of a member with its colon, as a version has it.
    mutating func writeKey(_ node: Int, _ version: JSONVersion) {
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
