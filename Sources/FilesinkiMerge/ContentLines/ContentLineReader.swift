/// Reads components and content lines as a tree; every method returns nil for what programs could read in
/// different ways.
///
/// A property of ``SyntaxNode/Form/value`` is a scalar, or a list of ``SyntaxNode/Form/packed``; a component is a
/// ``SyntaxNode/Form/section``.
struct ContentLineReader {
    private let store: SyntaxStore
    private let bytes: [UInt8]
    private let dialect: ContentLineDialect
    /// Whether the space that begins the second line of a folded line is part of the value, as in a card of
    /// vCard 2.1.
    private var keepsFolds = false
    private let hasReturns: Bool
    private var names: ContentLineNames
    /// How often the component that is closed has each name; zero between two components.
    private var occurrences: [Int] = []
    private var position = 0
    /// The document, and the components that have not ended.
    private var open = [Component()]
    private var count = 0
    /// The component that has an identifier twice: where it begins, its type, and the name of the identifier.
    private var twiceIdentified: (start: Int, type: ArraySlice<UInt8>, name: String)?
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
        func line(_ name: Int) -> ContentLine? {
            guard let first = lines.firstIndex(where: { $0.line.name == name }),
                !lines[(first + 1)...].contains(where: { $0.line.name == name })
            else { return nil }
            return lines[first].line
        }
    }

    init(_ bytes: [UInt8], _ dialect: ContentLineDialect) {
        store = SyntaxStore(bytes)
        self.bytes = bytes
        self.dialect = dialect
        hasReturns = bytes.contains(13)
        names = ContentLineNames(store, dialect)
    }

    /// Whether a line says that the card or calendar is of vCard 2.1 or vCalendar 1.0.
    ///
    /// Each card of a file has a version of its own.
    ///
    /// - Parameter start: Behind the line that begins it.
    private func isOld(from start: Int) -> Bool {
        var start = start
        var depth = 1
        while start < bytes.count, depth > 0 {
            let end = bytes.lineEnd(from: start)
            while start < end, bytes[start].isSpace { start += 1 }
            if start < end, "VBE".utf8.contains(bytes[start].uppercasedASCII) {
                let line = bytes[start..<end].trimmed.map(\.uppercasedASCII)
                if line.elementsEqual("VERSION:2.1".utf8) || line.elementsEqual("VERSION:1.0".utf8)
                {
                    return true
                }
                if line.elementsEqual("BEGIN:\(dialect.outermost)".utf8) { depth += 1 }
                if line.elementsEqual("END:\(dialect.outermost)".utf8) { depth -= 1 }
            }
            start = end
        }
        return false
    }

    mutating func document() -> SyntaxTree? {
        var gapStart = 0
        while position < bytes.count {
            guard bytes.textEnd(before: bytes.lineEnd(from: position)) > position else {
                position = bytes.lineEnd(from: position)
                continue
            }
            count += 1
            guard count <= SyntaxLimits.items, let line = ContentLine(bytes, at: position, &names)
            else { return nil }
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

    /// Why ``document()`` did not read the document.
    var reasonOfRefusal: String {
        func number(_ place: Int) -> Int { bytes[..<place].count { $0 == 10 } + 1 }
        guard let (start, type, name) = twiceIdentified else {
            return "Cannot read line \(number(position))."
        }
        let typeText = String(decoding: type, as: UTF8.self)
        return "The \(typeText) that begins in line \(number(start)) has \(name) more than once."
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
        let isBegin = line.name == ContentLineNames.begin
        guard isBegin || line.name == ContentLineNames.end else {
            // What follows AGENT in vCard 2.1 is a card without a name.
            guard open.count > 1,
                !names[line.name].isAgent || line.colon + 1 < line.valueEnd
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
        if open.count == 1 { keepsFolds = isOld(from: position) }
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
    private mutating func identity(
        of component: Component
    ) -> (name: ArraySlice<UInt8>, key: ArraySlice<UInt8>?)? {
        let type = component.type
        if type.elementsEqual("VCALENDAR".utf8) { return (type, type) }
        let isZone = type.elementsEqual("VTIMEZONE".utf8)
        let identifier = isZone ? ContentLineNames.timeZone : ContentLineNames.uid
        let lines = component.lines.count { $0.line.name == identifier }
        guard lines < 2 else {
            let start = component.gap.upperBound
            twiceIdentified = (start, type, isZone ? "TZID" : "UID")
            return nil
        }
        if let line = component.line(identifier), case let id = value(of: line), !id.isEmpty {
            var (name, key) = (id, type + Array("\0=".utf8) + id)
            if !isZone, dialect == .calendar, let line = component.line(ContentLineNames.recurrence)
            {
                name += Array(" ".utf8) + value(of: line)
                key += [0] + text(line.nameEnd..<line.valueEnd, of: line)
            }
            return (name, key)
        }
        guard dialect == .card, type.elementsEqual("VCARD".utf8) else { return (type, nil) }
        let names = [ContentLineNames.name, ContentLineNames.formattedName].map {
            component.line($0).map(value) ?? []
        }
        guard !names[0].isEmpty || !names[1].isEmpty else { return (type, nil) }
        let name = names[1].isEmpty ? names[0] : names[1]
        return (name, type + Array("\0~".utf8) + names[0] + [0] + names[1])
    }

    /// Gives the properties of a component names, keys and values.
    private mutating func identifyProperties(of component: inout Component) {
        while occurrences.count < names.count { occurrences.append(0) }
        for (_, line) in component.lines { occurrences[line.name] += 1 }
        let lists = listCounts(of: component)
        for (place, line) in component.lines {
            let name = names[line.name]
            var item = component.items[place]
            (item.name, item.key) = (name.text, name.text)
            item.value.meaning = syntaxText(item.value.range, of: line)
            switch name.identity {
            case .name where occurrences[line.name] == 1: break
            case .name, .value: item.key = store.copy(name.keyStart, value(of: line))
            case .address:
                let address = value(of: line).map(\.lowercasedASCII)
                item.key = store.copy(name.keyStart, address[...])
            case .list, .dates:
                let key = listKey(of: line)
                let isDates = name.identity == .dates
                if lists[ByteKey(key)] == 1, let list = list(of: line),
                    !isDates || list.items.count > 1
                {
                    item.value = list
                    item.key = store.copy(key)
                } else {
                    item.key = store.copy(name.keyStart, value(of: line))
                }
            }
            component.items[place] = item
        }
        for (_, line) in component.lines { occurrences[line.name] = 0 }
    }

    /// How many of the lines that can be lists have each key.
    private func listCounts(of component: Component) -> [ByteKey: Int] {
        component.lines.reduce(into: [:]) { result, entry in
            switch names[entry.line.name].identity {
            case .list, .dates: result[ByteKey(listKey(of: entry.line)), default: 0] += 1
            case .name, .value, .address: break
            }
        }
    }

    /// What the lines have in common that could be one list.
    private func listKey(of line: ContentLine) -> [UInt8] {
        let name = names[line.name]
        let key = name.bytes + [0] + text(line.nameEnd..<line.colon, of: line)
        let isDate = name.identity == .dates && !value(of: line).contains(UInt8(ascii: ","))
        return isDate ? key + [0] : key
    }

    // MARK: Lists

    /// The values between commas; nil where one is empty or occurs twice.
    private func list(of line: ContentLine) -> SyntaxNode? {
        guard !line.isQuotedPrintable, !keepsFolds || !line.isFolded else { return nil }
        var items: [SyntaxItem] = []
        var seen: Set<ByteKey> = []
        var start = line.colon + 1
        while start <= line.valueEnd {
            let first = min(bytes.foldEnd(from: start), line.valueEnd)
            let end = valueEnd(from: first, before: line.valueEnd)
            let text = syntaxText(first..<end, of: line)
            let said = ByteKey(self.text(first..<end, of: line))
            guard !said.bytes.isEmpty, seen.insert(said).inserted else { return nil }
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
