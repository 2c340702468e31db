package import FilesinkiModel

/// Changes single values of a TOML document, and keeps all other bytes: comments, order, quotes, line
/// ends.
///
/// It knows the syntax alone: the caller reads the new document and says whether it is valid.
package struct TOMLEditor: Sendable {
    /// A key of the document with its value.
    package struct Entry: Sendable {
        /// The parts of the whole key, those of its table first. The element of an array of tables adds
        /// its number, from 1, behind the name of the array.
        package var key: [String]
        package var value: TOMLValue
        /// The line on which the key stands, from 1.
        package var line: Int
        /// Whether it belongs to an array of tables, in which keys cannot be changed.
        package var isInArray: Bool
        /// The section that it stands in: the number of headers above it.
        fileprivate var section: Int
        fileprivate var range: Range<Int>
        fileprivate var valueRange: Range<Int>
    }

    /// What stands below one header, or above the first.
    private struct Section {
        var name: [String] = []
        var isInArray = false
        /// The end of its last statement, of its header if it has none.
        var end: Int
        /// Where the next header begins; the end of the document for the last section.
        var limit: Int
    }

    package private(set) var bytes: [UInt8]
    /// All keys in the order of the document.
    package private(set) var entries: [Entry] = []
    private var sections: [Section] = []
    private let file: String

    /// - Throws: What ``TOMLReader/read(_:file:)`` throws.
    package init(_ bytes: [UInt8], file: String) throws(Failure) {
        self.bytes = bytes
        self.file = file
        try readDocument()
    }

    /// Sets the value of a key outside of arrays of tables. A new key goes to the end of its table, a
    /// new table to the end of the document.
    ///
    /// - Throws: Code `usage` when a part of the key has a value, when the key is a table, and for a value that
    ///   ``TOMLWriter`` does not write.
    package mutating func set(_ key: [String], to value: TOMLValue) throws(Failure) {
        if let entry = entries.first(where: { $0.key == key && !$0.isInArray }) {
            // Another spelling of the same value stays.
            guard entry.value != value else { return }
            let text = try written(value, key, replacing: bytes[entry.valueRange])
            bytes.replaceSubrange(entry.valueRange, with: text.utf8)
        } else {
            try refuseCollision(key)
            insert(key, try written(value, key))
        }
        try readDocument()
    }

    /// Removes a key outside of arrays of tables, as often as it stands there. Comments stay.
    ///
    /// - Returns: Whether the document had it.
    package mutating func remove(_ key: [String]) throws(Failure) -> Bool {
        let found = entries.filter { $0.key == key && !$0.isInArray }
        for entry in found.reversed() { bytes.removeSubrange(rangeToRemove(entry.range)) }
        try readDocument()
        return !found.isEmpty
    }

    private func written(
        _ value: TOMLValue, _ key: [String], replacing former: ArraySlice<UInt8> = []
    ) throws(Failure) -> String {
        if let text = TOMLWriter.value(value, replacing: former) { return text }
        throw Failure(
            .usage, path: file, "The value of '\(TOMLWriter.key(key))' is \(value.kind).",
            remedy: "Write it in the file.")
    }

    /// A key must not be below a value, nor the name of a table.
    private func refuseCollision(_ key: [String]) throws(Failure) {
        let other =
            entries.first { $0.key.starts(with: key) || key.starts(with: $0.key) }?.key
            ?? sections.first { !$0.name.isEmpty && $0.name.starts(with: key) }?.name
        guard let other else { return }
        throw Failure(
            .usage, path: file,
            "The key '\(TOMLWriter.key(key))' cannot be set beside '\(TOMLWriter.key(other))'.",
            remedy: "Change it in the file.")
    }
}

extension TOMLEditor {
    private mutating func readDocument() throws(Failure) {
        let statements = try TOMLReader.read(bytes, file: file)
        entries = []
        sections = [Section(end: start, limit: bytes.count)]
        var elements: [[String]: Int] = [:]
        for statement in statements {
            switch statement.kind {
            case .table(let name): openSection(name, statement, elements)
            case .tableInArray(let name):
                elements[name, default: 0] += 1
                openSection(name, statement, elements)
            case .pair(let pair):
                let section = sections.count - 1
                sections[section].end = statement.range.upperBound
                entries.append(
                    Entry(
                        key: sections[section].name + pair.key, value: pair.value,
                        line: statement.line, isInArray: sections[section].isInArray,
                        section: section, range: statement.range, valueRange: statement.value))
            }
        }
    }

    /// - Parameter elements: How many elements each array of tables has so far.
    private mutating func openSection(
        _ name: [String], _ statement: TOMLStatement, _ elements: [[String]: Int]
    ) {
        var whole: [String] = []
        for count in 1...max(1, name.count) {
            whole += name.prefix(count).suffix(1)
            if let number = elements[Array(name.prefix(count))] { whole.append(String(number)) }
        }
        sections[sections.count - 1].limit = statement.range.lowerBound
        sections.append(
            Section(
                name: whole, isInArray: whole.count > name.count,
                end: statement.range.upperBound, limit: bytes.count))
    }

    /// The first byte behind a byte order mark.
    private var start: Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// The line end of the document's first line; LF for a document without one.
    private var lineEnd: [UInt8] {
        let first = bytes.firstIndex(of: Self.newline) ?? 0
        let isCarriage = first > 0 && bytes[first - 1] == UInt8(ascii: "\r")
        return isCarriage ? [UInt8(ascii: "\r"), Self.newline] : [Self.newline]
    }

    private static let newline = UInt8(ascii: "\n")
}

/// Where new lines go, and which bytes of removed ones go with them.
extension TOMLEditor {
    private mutating func insert(_ key: [String], _ value: String) {
        let table = Array(key.dropLast())
        let beside = entries.last { !$0.isInArray && $0.key.dropLast() == table }
        let section =
            beside?.section ?? sections.firstIndex { $0.name == table && !$0.isInArray }
        guard let section else { return append(table: table, [key[key.count - 1]], value) }
        let position = position(for: sections[section])
        let own = Array(key.dropFirst(sections[section].name.count))
        var line = Array("\(TOMLWriter.key(own)) = \(value)".utf8) + lineEnd
        if position == start, position < bytes.count, !isBlank(lineFrom: position) {
            line += lineEnd
        }
        bytes.insert(contentsOf: breakBefore(position) + line, at: position)
    }

    private mutating func append(table: [String], _ key: [String], _ value: String) {
        let gap = bytes.count > start ? lineEnd : []
        bytes += breakBefore(bytes.count) + gap + Array("[\(TOMLWriter.key(table))]".utf8) + lineEnd
        bytes += Array("\(TOMLWriter.key(key)) = \(value)".utf8) + lineEnd
    }

    /// A line end when the last line before a position has none.
    private func breakBefore(_ position: Int) -> [UInt8] {
        position > start && bytes[position - 1] != Self.newline ? lineEnd : []
    }

    /// The end of a section: before the blank lines at its end, and before the comment right above the
    /// next header, which belongs to that.
    private func position(for section: Section) -> Int {
        var lines: [Int] = []
        var line = section.end == start ? start : bytes.lineEnd(from: section.end)
        let first = line
        while line < section.limit {
            lines.append(line)
            line = bytes.lineEnd(from: line)
        }
        var position = min(line, section.limit)
        if section.limit < bytes.count {
            // The spaces before an indented header are a line of their own here.
            if let last = lines.last, bytes.lineEnd(from: last) > section.limit {
                position = lines.removeLast()
            }
            while let last = lines.last, !isBlank(lineFrom: last) { position = lines.removeLast() }
        }
        while let last = lines.last, isBlank(lineFrom: last) { position = lines.removeLast() }
        return max(position, first)
    }

    private func isBlank(lineFrom position: Int) -> Bool {
        bytes[position..<bytes.lineEnd(from: position)].allSatisfy {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r")
                || $0 == Self.newline
        }
    }

    /// A statement with its indentation, and with its line end unless a comment follows it.
    private func rangeToRemove(_ range: Range<Int>) -> Range<Int> {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var lower = range.lowerBound
        while lower > start, isSpace(bytes[lower - 1]) { lower -= 1 }
        var upper = range.upperBound
        while upper < bytes.count, isSpace(bytes[upper]) { upper += 1 }
        let hasComment = upper < bytes.count && bytes[upper] == UInt8(ascii: "#")
        return lower..<(hasComment ? upper : bytes.lineEnd(from: range.upperBound))
    }
}

extension [UInt8] {
    /// The position behind the line end of the line that a position is in.
    fileprivate func lineEnd(from position: Int) -> Int {
        self[position...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? count
    }
}
