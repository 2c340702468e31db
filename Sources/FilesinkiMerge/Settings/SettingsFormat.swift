/// A flat settings format: lines of keys and values, some with sections.
struct SettingsFormat: SyntaxFormat {
    let dialect: SettingsDialect

    var name: String { dialect.rawValue }
    var hasComments: Bool { true }
    var repeats: RepeatedNames { dialect.hasLists ? .list : .override }

    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size else { return nil }
        var reader = SettingsReader(bytes, dialect)
        return reader.document()
    }
}

/// The kinds of flat settings formats, by the words that messages use.
enum SettingsDialect: String, CaseIterable {
    case ini = "INI"
    case properties = "Java properties"
    case env = "a file of environment variables"
    case git = "git's settings"
    case desktop = "a desktop entry"
    case systemd = "a systemd unit"

    /// Whether a key may have several values.
    var hasLists: Bool { self == .git || self == .systemd }

    var hasSections: Bool { self != .properties && self != .env }

    /// Whether a line that ends in a backslash goes on.
    var hasBackslashes: Bool { self == .properties || self == .git || self == .systemd }

    /// Whether programs take names that differ in case for one name.
    var foldsCase: Bool { self == .ini || self == .git }

    /// Whether every line must be a section, a comment, or a key with `=`.
    var isStrict: Bool { self == .desktop || self == .systemd }

    /// The characters that begin a comment.
    var commentMarks: [UInt8] {
        switch self {
        case .properties: Array("#!".utf8)
        case .env, .desktop: Array("#".utf8)
        case .ini, .git, .systemd: Array("#;".utf8)
        }
    }

    /// The dialect of a file by its name; nil for other files.
    init?(fileName: [UInt8]) {
        let name = fileName.map(\.lowercasedASCII)
        let found = Self.names.first { $0.patterns.contains { FormatNames.matches($0, name) } }
        guard let found else { return nil }
        self = found.dialect
    }

    /// The patterns of the names of each dialect, as in ``FormatNames``.
    static let names: [(dialect: SettingsDialect, patterns: [String])] = [
        (.git, [".gitmodules", "*.gitconfig", "gitconfig"]),
        (.ini, ["*.ini", ".editorconfig", ".npmrc", "setup.cfg", ".pylintrc"]),
        (.env, ["*.env", ".env.*"]),
        (.properties, ["*.properties"]),
        (.desktop, ["*.desktop", ".directory"]),
        (
            .systemd,
            [
                "*.service", "*.socket", "*.timer", "*.mount", "*.automount", "*.target",
                "*.slice", "*.swap", "*.network", "*.netdev",
            ]
        ),
    ]
}

/// Reads a flat settings format.
private struct SettingsReader {
    private let store: SyntaxStore
    private let bytes: [UInt8]
    private let dialect: SettingsDialect
    private let commentMarks: [UInt8]
    /// Where the line begins that is read next.
    private var position = 0
    /// The items before the first section.
    private var items: [SyntaxItem] = []
    /// The section that is being read, still without its items.
    private var section: SyntaxItem?
    private var sectionItems: [SyntaxItem] = []
    private var count = 0
    /// The indentation of the last key of the section; nil before the first.
    private var indentation: Int?

    init(_ bytes: [UInt8], _ dialect: SettingsDialect) {
        store = SyntaxStore(bytes)
        self.bytes = bytes
        self.dialect = dialect
        commentMarks = dialect.commentMarks
    }

    mutating func document() -> SyntaxTree? {
        var start = 0
        while position < bytes.count {
            let end = bytes.lineEnd(from: position)
            let line = bytes[position..<end].trimmed
            if let first = line.first, !commentMarks.contains(first) {
                count += 1
                let isHeader = first == UInt8(ascii: "[") && dialect.hasSections
                guard count <= SyntaxLimits.items,
                    isHeader ? header(line, after: start) : key(line, after: start)
                else { return nil }
                start = position
            } else {
                position = end
            }
        }
        let trivia = LineTrivia(store, start..<bytes.count, isAttached: false)
        append(trivia.comments)
        closeSection()
        let root = SyntaxNode(
            kind: .map, range: 0..<bytes.count, items: store.add(items), openingEnd: 0,
            closingStart: bytes.count)
        return SyntaxTree(store, root: root)
    }

    private mutating func append(_ new: [SyntaxItem]) {
        guard !new.isEmpty else { return }
        if section == nil { items += new } else { sectionItems += new }
    }

    private mutating func closeSection() {
        guard var item = section else { return }
        let end = sectionItems.last?.end ?? item.value.range.lowerBound
        item.value.range = item.value.range.lowerBound..<end
        item.value.items = store.add(sectionItems)
        item.value.closingStart = end
        item.comma = end..<end
        item.end = end
        items.append(item)
        section = nil
        sectionItems = []
    }

    /// Reads `[name]`, which must stand alone on its line.
    private mutating func header(_ line: ArraySlice<UInt8>, after start: Int) -> Bool {
        guard line.count > 2, line.last == UInt8(ascii: "]"),
            !line.dropFirst().dropLast().contains(UInt8(ascii: "]"))
        else { return false }
        let trivia = LineTrivia(store, start..<position, isAttached: true)
        append(trivia.comments)
        closeSection()
        let lineStart = position
        position = bytes.lineEnd(from: position)
        let name = line.dropFirst().dropLast()
        let value = SyntaxNode(
            kind: .map, range: position..<position, openingEnd: position, closingStart: position,
            form: .section)
        section = SyntaxItem(
            name: SyntaxText(name), key: key(name), gap: trivia.gap, leadEnd: lineStart,
            value: value, comma: position..<position, end: position)
        indentation = nil
        return true
    }

    /// Reads a key and its value with all lines that belong to it.
    private mutating func key(_ line: ArraySlice<UInt8>, after start: Int) -> Bool {
        if dialect.isStrict, section == nil { return false }
        let lineStart = position
        let indent = line.startIndex - lineStart
        let lineEnd = bytes.lineEnd(from: position)
        // Some programs read it as more of the value above, others as a key.
        if dialect == .ini, let indentation, indent > indentation { return false }
        guard let (name, valueStart) = name(line) else { return false }
        guard let end = valueEnd(valueStart, lineEnd) else { return false }
        let trivia = LineTrivia(store, start..<lineStart, isAttached: true)
        append(trivia.comments)
        let text = bytes[valueStart..<end].trimmed
        let range = text.isEmpty ? valueStart..<valueStart : text.startIndex..<text.endIndex
        let value = SyntaxNode(kind: .scalar, range: range, meaning: SyntaxText(text))
        let item = SyntaxItem(
            name: SyntaxText(name), key: key(name), gap: trivia.gap, leadEnd: lineStart,
            value: value, comma: range.upperBound..<range.upperBound, end: end)
        if section == nil { items.append(item) } else { sectionItems.append(item) }
        indentation = indent
        position = end
        return true
    }

    /// The key of a line, and where its value begins; nil for a line that is no setting.
    private func name(_ line: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, valueStart: Int)? {
        let colon = UInt8(ascii: dialect == .ini || dialect == .properties ? ":" : "=")
        func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "=") || byte == colon }
        let isProperties = dialect == .properties
        var end = line.startIndex
        while end < line.endIndex, !isSeparator(line[end]),
            !isProperties || !line[end].isSpace
        {
            end += isProperties && line[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        end = min(end, line.endIndex)
        var start = end
        if isProperties { start += line[start...].prefix(while: \.isSpace).count }
        let hasSeparator = start < line.endIndex && isSeparator(line[start])
        if hasSeparator { start += 1 }
        var name = line[..<end].trimmed
        if dialect == .env, name.starts(with: "export ".utf8) { name = name.dropFirst(7).trimmed }
        guard !name.isEmpty, hasSeparator || isProperties || dialect == .git || dialect == .ini,
            dialect != .env || name.allSatisfy(Self.isVariable),
            !isProperties || PropertyName.unescaped(name) != nil
        else { return nil }
        return (name, start)
    }

    private func key(_ name: ArraySlice<UInt8>) -> SyntaxText {
        if dialect == .properties, name.contains(UInt8(ascii: "\\")) {
            return PropertyName.unescaped(name).map(store.copy) ?? SyntaxText(name)
        }
        return dialect.foldsCase && name.contains { $0 != $0.lowercasedASCII }
            ? store.copy(name.map(\.lowercasedASCII)) : SyntaxText(name)
    }

    private static func isVariable(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Behind the last line of a value that begins on a line; nil where a quote is not closed.
    private func valueEnd(_ start: Int, _ lineEnd: Int) -> Int? {
        var end = lineEnd
        if dialect.hasBackslashes {
            while endsInBackslash(start..<end) {
                guard end < bytes.count else { return nil }
                end = bytes.lineEnd(from: end)
            }
            return end
        }
        guard dialect == .env, let quote = bytes[start..<end].trimmed.first,
            quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        else { return end }
        var place = bytes[start..<end].trimmed.startIndex + 1
        while place < bytes.count, bytes[place] != quote {
            place += bytes[place] == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1
        }
        return place < bytes.count ? bytes.lineEnd(from: place) : nil
    }

    private func endsInBackslash(_ range: Range<Int>) -> Bool {
        var text = bytes[range]
        while text.last == 10 || text.last == 13 { text = text.dropLast() }
        return text.reversed().prefix { $0 == UInt8(ascii: "\\") }.count % 2 == 1
    }
}
