/// Reads components and content lines as a tree; every method returns nil for what programs could read in
/// different ways.
///
/// A property of ``SyntaxNode/Form/value`` is a scalar, or a list of ``SyntaxNode/Form/packed``; a component is a
/// ``SyntaxNode/Form/section``.
struct ContentLineReader {
    private let store: SyntaxStore
    private let bytes: [UInt8]
    private let dialect: ContentLineDialect
    /// Whether the space that begins the second line of a folded line is part of the value, as in vCard 2.1.
    private let keepsFolds: Bool
    private let hasReturns: Bool
    private var position = 0
    /// The document, and the components that have not ended.
    private var open = [Component()]
    private var count = 0
    /// How many bytes the keys have that are copies.
    private var keySize = 0

    /// A component that is being read.
    private struct Component {
        var type: ArraySlice<UInt8> = []
        var gap = 0..<0
        var openingEnd = 0
        var items: [SyntaxItem] = []
        /// The properties and their places among the items.
        var lines: [(place: Int, line: ContentLine)] = []

        /// The only line of a name; nil for none and for several.
        func line(_ name: String) -> ContentLine? {
            let found = lines.filter { $0.line.fullName.elementsEqual(name.utf8) }
            return found.count == 1 ? found[0].line : nil
        }
    }

    init(_ bytes: [UInt8], _ dialect: ContentLineDialect) {
        store = SyntaxStore(bytes)
        self.bytes = bytes
        self.dialect = dialect
        hasReturns = bytes.contains(13)
        keepsFolds = bytes.split(separator: 10).contains { line in
            let line = line.trimmed
            return line.count == 11
                && (line.map(\.uppercasedASCII).elementsEqual("VERSION:2.1".utf8)
                    || line.map(\.uppercasedASCII).elementsEqual("VERSION:1.0".utf8))
        }
    }

    mutating func document() -> SyntaxTree? {
        var gapStart = 0
        while position < bytes.count {
            guard bytes.textEnd(before: bytes.lineEnd(from: position)) > position else {
                position = bytes.lineEnd(from: position)
                continue
            }
            count += 1
            guard count <= SyntaxLimits.items, let line = ContentLine(bytes, at: position) else {
                return nil
            }
            position = line.end
            if line.isBase64 { skipBlankLines() }
            guard append(line, gap: gapStart..<line.start) else { return nil }
            gapStart = position
        }
        guard open.count == 1, !open[0].items.isEmpty else { return nil }
        let root = SyntaxNode(
            kind: .map, range: 0..<bytes.count, items: store.add(open[0].items), openingEnd: 0,
            closingStart: bytes.count)
        return SyntaxTree(store, root: root)
    }

    private mutating func skipBlankLines() {
        while position < bytes.count {
            let end = bytes.lineEnd(from: position)
            guard bytes.textEnd(before: end) == position else { return }
            position = end
        }
    }

    /// Appends a line to the open component, or begins or ends one.
    private mutating func append(_ line: ContentLine, gap: Range<Int>) -> Bool {
        let isBegin = line.fullName.elementsEqual("BEGIN".utf8)
        guard isBegin || line.fullName.elementsEqual("END".utf8) else {
            // What follows AGENT in vCard 2.1 is a card without a name.
            guard open.count > 1,
                !line.name.elementsEqual("AGENT".utf8) || line.colon + 1 < line.valueEnd
            else { return false }
            appendProperty(line, gap: gap)
            return true
        }
        guard !line.isFolded, !line.hasParameters else { return false }
        let type = bytes[(line.colon + 1)..<line.valueEnd].trimmed.map(\.uppercasedASCII)[...]
        guard isBegin else {
            return open.count > 1 && open[open.count - 1].type == type && close(line)
        }
        guard !type.isEmpty, !type.contains(0), open.count < SyntaxLimits.depth,
            open.count > 1 || type.elementsEqual(dialect.outermost.utf8)
        else { return false }
        open.append(Component(type: type, gap: gap, openingEnd: position))
        return true
    }

    private mutating func appendProperty(_ line: ContentLine, gap: Range<Int>) {
        let last = open.count - 1
        let value = SyntaxNode(
            kind: .scalar, type: line.hasParameters ? 1 : 0,
            range: (line.hasParameters ? line.nameEnd : line.colon + 1)..<line.valueEnd,
            meaning: .none)
        open[last].lines.append((open[last].items.count, line))
        open[last].items.append(
            SyntaxItem(
                gap: gap, leadEnd: gap.upperBound, value: value,
                comma: line.valueEnd..<line.valueEnd, end: position))
    }

    private mutating func close(_ line: ContentLine) -> Bool {
        var component = open.removeLast()
        guard let identity = identity(of: component) else { return false }
        identifyProperties(of: &component)
        let start = component.gap.upperBound
        let node = SyntaxNode(
            kind: .map, range: start..<line.valueEnd, items: store.add(component.items),
            openingEnd: component.openingEnd, closingStart: line.start, form: .section)
        let key =
            identity.key
            ?? component.type + Array("\0#".utf8) + withoutReturns(bytes[start..<line.valueEnd])
        keySize += key.count
        open[open.count - 1].items.append(
            SyntaxItem(
                name: store.copy(identity.name), key: store.copy(key),
                gap: component.gap, leadEnd: start, value: node,
                comma: line.valueEnd..<line.valueEnd, end: line.end))
        // Each component without an identity has a copy of all that is in it.
        return keySize <= 4 * SyntaxLimits.size
    }

    // MARK: Texts

    /// Copies a text; byte by byte only where there are carriage returns.
    private func withoutReturns(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        hasReturns ? text.filter { $0 != 13 }[...] : text
    }

    private func text(_ range: Range<Int>, of line: ContentLine) -> ArraySlice<UInt8> {
        let isPlain = !line.isFolded || keepsFolds || line.isQuotedPrintable
        return isPlain ? bytes[range] : bytes[range].unfolded
    }

    private func syntaxText(_ range: Range<Int>, of line: ContentLine) -> SyntaxText {
        let text = text(range, of: line)
        return text.startIndex == range.lowerBound && text.count == range.count
            ? SyntaxText(bytes[range]) : store.copy(text)
    }

    private func value(of line: ContentLine) -> ArraySlice<UInt8> {
        text((line.colon + 1)..<line.valueEnd, of: line)
    }

    // MARK: Identities

    /// What distinguishes components of one type; without a key, all that is in it.
    private func identity(
        of component: Component
    ) -> (name: ArraySlice<UInt8>, key: ArraySlice<UInt8>?)? {
        let type = component.type
        if type.elementsEqual("VCALENDAR".utf8) { return (type, type) }
        let isZone = type.elementsEqual("VTIMEZONE".utf8)
        let identifier = isZone ? "TZID" : "UID"
        let lines = component.lines.count { $0.line.fullName.elementsEqual(identifier.utf8) }
        guard lines < 2 else { return nil }
        if let line = component.line(identifier), case let id = value(of: line), !id.isEmpty {
            var (name, key) = (id, type + Array("\0=".utf8) + id)
            if !isZone, dialect == .calendar, let line = component.line("RECURRENCE-ID") {
                name += Array(" ".utf8) + value(of: line)
                key += [0] + text(line.nameEnd..<line.valueEnd, of: line)
            }
            return (name, key)
        }
        guard dialect == .card, type.elementsEqual("VCARD".utf8) else { return (type, nil) }
        let names = ["N", "FN"].map { component.line($0).map(value) ?? [] }
        guard !names[0].isEmpty || !names[1].isEmpty else { return (type, nil) }
        let name = names[1].isEmpty ? names[0] : names[1]
        return (name, type + Array("\0~".utf8) + names[0] + [0] + names[1])
    }

    /// Gives the properties of a component names, keys and values.
    private mutating func identifyProperties(of component: inout Component) {
        var counts: [ArraySlice<UInt8>: Int] = [:]
        for (_, line) in component.lines { counts[listKey(of: line), default: 0] += 1 }
        for (place, line) in component.lines {
            let isOnly = counts[listKey(of: line)] == 1
            let name = syntaxText(line.start..<line.nameEnd, of: line)
            let isUpper = store.slice(name) == line.fullName
            var item = component.items[place]
            item.name = isUpper ? name : store.copy(line.fullName)
            item.key = item.name
            item.value.meaning = syntaxText(item.value.range, of: line)
            switch dialect.identity(of: line.name) {
            case .name where isOnly: break
            case .name, .value: item.key = key(line, value(of: line))
            case .address: item.key = key(line, value(of: line).map(\.lowercasedASCII)[...])
            case .list, .dates:
                let isDates = dialect.identity(of: line.name) == .dates
                if isOnly, let list = list(of: line), !isDates || list.items.count > 1 {
                    item.value = list
                    item.key = store.copy(listKey(of: line))
                } else {
                    item.key = key(line, value(of: line))
                }
            }
            component.items[place] = item
        }
    }

    private func key(_ line: ContentLine, _ value: ArraySlice<UInt8>) -> SyntaxText {
        store.copy(line.fullName + Array("\0=".utf8) + value)
    }

    /// What the lines have in common that could be one list.
    private func listKey(of line: ContentLine) -> ArraySlice<UInt8> {
        switch dialect.identity(of: line.name) {
        case .list: line.fullName + [0] + text(line.nameEnd..<line.colon, of: line)
        case .dates:
            line.fullName + [0] + text(line.nameEnd..<line.colon, of: line)
                + (value(of: line).contains(UInt8(ascii: ",")) ? [] : [0])
        default: line.fullName
        }
    }

    // MARK: Lists

    /// The values between commas; nil where one is empty or occurs twice.
    private func list(of line: ContentLine) -> SyntaxNode? {
        guard !line.isQuotedPrintable, !keepsFolds || !line.isFolded else { return nil }
        var items: [SyntaxItem] = []
        var seen: Set<[UInt8]> = []
        var start = line.colon + 1
        while start <= line.valueEnd {
            let first = min(bytes.foldEnd(from: start), line.valueEnd)
            let end = valueEnd(from: first, before: line.valueEnd)
            let text = syntaxText(first..<end, of: line)
            let said = Array(store.slice(text))
            guard !said.isEmpty, seen.insert(said).inserted else { return nil }
            let commaEnd = min(end + 1, line.valueEnd)
            items.append(
                SyntaxItem(
                    name: text, key: text, gap: start..<first, leadEnd: first,
                    value: SyntaxNode(kind: .scalar, range: end..<end), comma: end..<commaEnd,
                    end: commaEnd))
            guard end < line.valueEnd else { break }
            start = commaEnd
        }
        return SyntaxNode(
            kind: .map, range: line.nameEnd..<line.valueEnd, items: store.add(items),
            openingEnd: line.colon + 1, closingStart: line.valueEnd, hasCommas: true, form: .packed)
    }

    /// The place of the next comma that no backslash precedes, or the end.
    private func valueEnd(from start: Int, before end: Int) -> Int {
        var place = start
        var isEscaped = false
        while place < end {
            let behindFold = bytes.foldEnd(from: place)
            if behindFold > place {
                place = behindFold
                continue
            }
            if isEscaped {
                isEscaped = false
            } else if bytes[place] == UInt8(ascii: ",") {
                return place
            } else {
                isEscaped = bytes[place] == UInt8(ascii: "\\")
            }
            place += 1
        }
        return end
    }
}
