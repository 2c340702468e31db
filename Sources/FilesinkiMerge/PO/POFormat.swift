/// Translations of gettext: entries by context and message, the header by its lines, flags as a set.
///
/// A translation that is marked as fuzzy is not the same item as one that is not: that one side approves what the
/// other changed is a conflict.
/// Source: GNU gettext manual, "The Format of PO Files".
struct POFormat: SyntaxFormat {
    let name = "a gettext catalogue"
    let repeats = RepeatedNames.override
    /// Editors and gettext write these dates at every change; the later one stays.
    let fields = ["PO-Revision-Date", "POT-Creation-Date"].map {
        FieldRule(pattern: FieldPattern(["*", "msgstr", $0]), resolution: .max)
    }

    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size else { return nil }
        var reader = POReader(bytes)
        return reader.document()
    }

    func followers(_ trees: MergeTrio<SyntaxTree>) -> [FollowingField] {
        POHeader.followers(trees)
    }
}

/// Reads a catalogue; every method returns nil for what is not one.
///
/// An entry is a map of its flags and fields. The comments above the flags, or above the first field, are the entry's.
private struct POReader {
    private let store: SyntaxStore
    private let bytes: [UInt8]
    private var position = 0
    private var items: [SyntaxItem] = []

    /// A line with a keyword.
    private struct Keyword {
        var name: ArraySlice<UInt8>
        /// The order of the fields in an entry.
        var rank: Int
        /// The first byte behind the keyword and spaces.
        var rest: Int
        var isObsolete: Bool
    }

    init(_ bytes: [UInt8]) {
        store = SyntaxStore(bytes)
        self.bytes = bytes
    }

    mutating func document() -> SyntaxTree? {
        var start = 0
        while position < bytes.count {
            let line = line(at: position)
            if line.isEmpty || isComment(line) {
                position = bytes.lineEnd(from: position)
                continue
            }
            guard items.count < SyntaxLimits.items, entry(after: start) else { return nil }
            start = position
        }
        let trivia = LineTrivia(store, start..<bytes.count, isAttached: false)
        guard items.contains(where: { $0.role == .value }), append(trivia.comments) else {
            return nil
        }
        let root = SyntaxNode(
            kind: .map, range: 0..<bytes.count, items: store.add(items), openingEnd: 0,
            closingStart: bytes.count)
        return SyntaxTree(store, root: root)
    }

    private func line(at start: Int) -> ArraySlice<UInt8> {
        bytes[start..<bytes.lineEnd(from: start)].trimmed
    }

    /// Whether a line begins with `#`, unless it is of an obsolete entry.
    private func isComment(_ line: ArraySlice<UInt8>) -> Bool {
        line.first == UInt8(ascii: "#")
            && (!line.starts(with: "#~".utf8) || line.starts(with: "#~|".utf8))
    }

    /// Appends comments that stand alone; false if one belongs to an entry, as programs read it.
    private mutating func append(_ comments: [SyntaxItem]) -> Bool {
        items += comments
        return comments.allSatisfy { comment in
            bytes[comment.value.range].split(separator: 10).allSatisfy { line in
                line.dropFirst().first.map { !",:.|=~".utf8.contains($0) } ?? true
            }
        }
    }

    // MARK: Entries

    private mutating func entry(after start: Int) -> Bool {
        let trivia = LineTrivia(store, start..<position, isAttached: true)
        guard append(trivia.comments), let first = keyword(at: position) else { return false }
        let firstStart = position
        guard let flags = flags(in: trivia.gap.upperBound..<position) else { return false }
        let start = flags.first.map { Int($0.leadEnd) } ?? position
        var fields = flags
        let form: SyntaxNode.Form = first.isObsolete ? .obsolete : .value
        let isFuzzy = flags.first.map { flags in
            store.items(of: flags.value).contains { bytes[$0.head].elementsEqual("fuzzy".utf8) }
        }
        var rank = -1
        while let keyword = keyword(at: position), keyword.rank > rank {
            guard keyword.isObsolete == first.isObsolete,
                var field = field(keyword, isHeader: form == .value && isHeader(fields))
            else { return false }
            if rank < 0 {
                field.gap = (flags.last?.end ?? firstStart)..<(flags.last?.end ?? firstStart)
            }
            if keyword.rank >= Self.msgstr, isFuzzy == true { field.value.form = .fuzzy }
            fields.append(field)
            rank = keyword.rank
        }
        guard let key = key(of: fields, rank) else { return false }
        let node = SyntaxNode(
            kind: .map, range: start..<position, items: store.add(fields), openingEnd: start,
            closingStart: position, form: form)
        items.append(
            SyntaxItem(
                name: key.name, key: key.key, gap: trivia.gap, leadEnd: start, value: node,
                comma: position..<position, end: position))
        return true
    }

    /// The message, and the message with its context; nil for an entry that is not complete.
    private func key(
        of fields: [SyntaxItem], _ rank: Int
    ) -> (name: SyntaxText, key: SyntaxText)? {
        guard let id = field("msgid", of: fields),
            (field("msgid_plural", of: fields) == nil) == (rank == Self.msgstr),
            rank >= Self.msgstr
        else { return nil }
        guard let context = field("msgctxt", of: fields) else { return (id.meaning, id.meaning) }
        let key = store.slice(context.meaning) + [4] + store.slice(id.meaning)
        return (id.meaning, store.copy(key))
    }

    private func field(_ name: String, of fields: [SyntaxItem]) -> SyntaxNode? {
        fields.first { store.slice($0.name).elementsEqual(name.utf8) }?.value
    }

    /// Whether an entry, still without its translation, is that of the empty message.
    private func isHeader(_ fields: [SyntaxItem]) -> Bool {
        field("msgctxt", of: fields) == nil
            && field("msgid", of: fields).map { store.slice($0.meaning).isEmpty } == true
    }

    // MARK: Flags

    /// The item of the line `#, flag, flag` among the comments of an entry; empty without such a line.
    private func flags(in comments: Range<Int>) -> [SyntaxItem]? {
        var found: [SyntaxItem] = []
        var start = comments.lowerBound
        while start < comments.upperBound {
            if bytes[start...].starts(with: "#,".utf8) {
                guard found.isEmpty, let item = flags(at: start) else { return nil }
                found.append(item)
            }
            start = bytes.lineEnd(from: start)
        }
        return found
    }

    private func flags(at start: Int) -> SyntaxItem? {
        let line = line(at: start)
        let first = start + 2 + bytes[(start + 2)..<line.endIndex].prefix(while: \.isSpace).count
        var items: [SyntaxItem] = []
        var place = first
        while place < line.endIndex {
            let comma = bytes[place..<line.endIndex].firstIndex(of: UInt8(ascii: ","))
            let text = bytes[place..<(comma ?? line.endIndex)].trimmed
            guard !text.isEmpty, comma != line.endIndex - 1 else { return nil }
            let end = text.endIndex
            let commaRange = (comma ?? end)..<(comma.map { $0 + 1 } ?? end)
            items.append(
                SyntaxItem(
                    name: SyntaxText(text), key: SyntaxText(text), gap: place..<text.startIndex,
                    leadEnd: text.startIndex, value: SyntaxNode(kind: .scalar, range: end..<end),
                    comma: commaRange, end: commaRange.upperBound))
            place = commaRange.upperBound
        }
        let name = store.copy("flags".utf8)
        let node = SyntaxNode(
            kind: .map, range: first..<line.endIndex, items: store.add(items), openingEnd: first,
            closingStart: line.endIndex, hasCommas: true)
        return SyntaxItem(
            name: name, key: name, gap: start..<start, leadEnd: start, value: node,
            comma: line.endIndex..<line.endIndex, end: bytes.lineEnd(from: start))
    }

    // MARK: Fields

    /// The rank of `msgstr`; that of `msgstr[0]` follows.
    private static let msgstr = 3

    private func keyword(at start: Int) -> Keyword? {
        guard start < bytes.count else { return nil }
        let (text, isObsolete) = content(at: start)
        let name = text.prefix { !$0.isSpace && $0 != UInt8(ascii: "\"") }
        let rest = text[name.endIndex...].drop(while: \.isSpace).startIndex
        let rank: Int
        switch String(decoding: name, as: UTF8.self) {
        case "msgctxt": rank = 0
        case "msgid": rank = 1
        case "msgid_plural": rank = 2
        case "msgstr": rank = Self.msgstr
        case let word where word.hasPrefix("msgstr[") && word.hasSuffix("]"):
            guard let number = UInt8(word.dropFirst(7).dropLast()) else { return nil }
            rank = Self.msgstr + 1 + Int(number)
        default: return nil
        }
        return Keyword(name: name, rank: rank, rest: rest, isObsolete: isObsolete)
    }

    /// A line without the mark of obsolete entries.
    private func content(at start: Int) -> (text: ArraySlice<UInt8>, isObsolete: Bool) {
        let line = line(at: start)
        guard line.starts(with: "#~".utf8), !isComment(line) else { return (line, false) }
        return (line.dropFirst(2).trimmed, true)
    }

    /// Reads a keyword with its strings, and moves behind their lines.
    private mutating func field(_ keyword: Keyword, isHeader: Bool) -> SyntaxItem? {
        let start = position
        var strings: [ArraySlice<UInt8>] = []
        var next = bytes[keyword.rest...]
        while let string = string(next) {
            strings.append(string)
            position = bytes.lineEnd(from: string.endIndex)
            guard position < bytes.count else { break }
            let (text, isObsolete) = content(at: position)
            guard isObsolete == keyword.isObsolete, text.first == UInt8(ascii: "\"") else { break }
            next = bytes[text.startIndex...]
        }
        guard let last = strings.last else { return nil }
        var value = SyntaxNode(
            kind: .scalar, type: UInt8(ascii: "s"), range: keyword.rest..<(last.endIndex + 1),
            meaning: strings.count == 1
                ? SyntaxText(last) : store.copy(strings.joined()))
        if isHeader, keyword.rank == Self.msgstr, let lines = headerLines(strings) {
            let opening = bytes.lineEnd(from: keyword.rest)
            value = SyntaxNode(
                kind: .map, range: keyword.rest..<position, items: store.add(lines),
                openingEnd: opening,
                closingStart: position)
        }
        let end = value.range.upperBound
        return SyntaxItem(
            name: SyntaxText(keyword.name), key: SyntaxText(keyword.name), gap: start..<start,
            leadEnd: start, value: value, comma: end..<end, end: position)
    }

    /// What is between the quotes of a string that ends with its line.
    private func string(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.first == UInt8(ascii: "\"") else { return nil }
        var place = text.startIndex + 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\""), bytes[place] != 10 {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\""),
            bytes[(place + 1)..<bytes.lineEnd(from: place)].isBlank
        else { return nil }
        return bytes[(text.startIndex + 1)..<place]
    }

    /// The lines `"Name: value\n"` of the header, each of one string or several; nil where it is written otherwise.
    private func headerLines(_ strings: [ArraySlice<UInt8>]) -> [SyntaxItem]? {
        guard strings.first?.isEmpty == true, strings.count > 1 else { return nil }
        var items: [SyntaxItem] = []
        var parts: [ArraySlice<UInt8>] = []
        for string in strings.dropFirst() {
            guard string.suffix(2).elementsEqual("\\n".utf8) else {
                parts.append(string)
                continue
            }
            guard let item = headerLine(parts + [string.dropLast(2)]) else { return nil }
            items.append(item)
            parts = []
        }
        return parts.isEmpty ? items : nil
    }

    /// - Parameter parts: What is between the quotes of its strings, without the line end.
    private func headerLine(_ parts: [ArraySlice<UInt8>]) -> SyntaxItem? {
        guard let first = parts.first, let last = parts.last,
            let colon = first.firstIndex(of: UInt8(ascii: ":")), colon > first.startIndex,
            !parts.contains(where: { $0.contains(UInt8(ascii: "\\")) })
        else { return nil }
        let lineStart = bytes[..<first.startIndex].lastIndex(of: 10).map { $0 + 1 } ?? 0
        let name = SyntaxText(first[..<colon])
        let value = first[(colon + 1)...].trimmed
        // Spaces at the end of a string are between the words of the value.
        let text = Array(([first[(colon + 1)...]] + parts.dropFirst()).joined())[...].trimmed
        let lastText = parts.count == 1 ? value : last.trimmed
        let end = lastText.isEmpty ? last.endIndex : lastText.endIndex
        return SyntaxItem(
            name: name, key: name, gap: lineStart..<lineStart, leadEnd: lineStart,
            value: SyntaxNode(
                kind: .scalar,
                range: (value.isEmpty ? first.endIndex : value.startIndex)..<end,
                meaning: parts.count == 1 ? SyntaxText(value) : store.copy(text)),
            comma: end..<end, end: bytes.lineEnd(from: last.endIndex))
    }
}
