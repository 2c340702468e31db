import Testing

@testable import FilesinkiMerge

/// A format in which the made-up settings are written.
struct WrittenFormat: Sendable, CustomTestStringConvertible {
    let format: any SyntaxFormat
    let write: @Sendable (SettingsModel) -> String

    var testDescription: String { format.name }

    /// The formats whose containers hold the keys of a section.
    static let nested: [WrittenFormat] =
        ([.ini, .git, .systemd, .desktop] as [SettingsDialect]).map { dialect in
            WrittenFormat(format: SettingsFormat(dialect: dialect), write: lines)
        } + [
            WrittenFormat(format: JSONCFormat(), write: json),
            WrittenFormat(format: TOMLFormat(), write: lines),
            WrittenFormat(format: TOMLFormat(), write: { "k = 1\n\n" + lines($0) }),
            WrittenFormat(format: YAMLFormat(), write: yaml),
            WrittenFormat(format: ContentLineFormat(dialect: .calendar), write: calendar),
            WrittenFormat(format: ContentLineFormat(dialect: .card), write: cards),
            WrittenFormat(format: XMLFormat(), write: xml),
            WrittenFormat(format: MarkdownFormat(), write: markdown),
            WrittenFormat(format: BookmarksFormat(), write: bookmarks),
        ]

    static let all = nested + [WrittenFormat(format: POFormat(), write: po)]

    /// A section is a heading with a table, an entry a row.
    private static func markdown(_ model: SettingsModel) -> String {
        model.sections.map { section in
            let notes = section.hasNotes ? "\nNotes on \(section.name)\nand more.\n" : ""
            let rows = section.entries.map { "| \($0.key) | \($0.value) | \($0.comment ?? "") |\n" }
            return "## \(section.name)\n" + notes + "\n| key | value | why |\n|---|--:|---|\n"
                + rows.joined()
        }.joined(separator: "\n")
    }

    /// A section is an event.
    private static func calendar(_ model: SettingsModel) -> String {
        let events = model.sections.map { section in
            let lines = section.entries.map { "X-\($0.key):\($0.value)\n" }
            return "BEGIN:VEVENT\nUID:\(section.name)\n" + lines.joined() + "END:VEVENT\n"
        }
        return "BEGIN:VCALENDAR\nVERSION:2.0\n" + events.joined() + "END:VCALENDAR\n"
    }

    /// A section is a card.
    private static func cards(_ model: SettingsModel) -> String {
        model.sections.map { section in
            let lines = section.entries.map { "X-\($0.key):\($0.value)\n" }
            return "BEGIN:VCARD\nUID:\(section.name)\n" + lines.joined() + "END:VCARD\n"
        }.joined(separator: "\n")
    }

    /// A section is an element with an identifier, an entry an element without one.
    private static func xml(_ model: SettingsModel) -> String {
        let sections = model.sections.map { section in
            let notes = section.hasNotes ? "    <!-- notes on \(section.name)\n    -->\n\n" : ""
            let entries = section.entries.map { entry in
                (entry.comment.map { "    <!-- \($0) -->\n" } ?? "")
                    + "    <\(entry.key)>\(entry.value)</\(entry.key)>\n"
            }
            return "  <s id=\"\(section.name)\">\n" + notes + entries.joined() + "  </s>"
        }
        return "<r>\n" + sections.joined(separator: "\n\n") + "\n</r>\n"
    }

    /// A section is a folder, a key an address, a comment a description.
    private static func bookmarks(_ model: SettingsModel) -> String {
        let folders = model.sections.map { section in
            let rule = section.hasNotes ? "        <HR>\n" : ""
            let entries = section.entries.map { entry in
                "        <DT><A HREF=\"\(entry.key)\" ADD_DATE=\"1\">\(entry.value)</A>\n"
                    + (entry.comment.map { "        <DD>\($0)\n" } ?? "")
            }
            return "    <DT><H3>\(section.name)</H3>\n    <DL><p>\n" + rule + entries.joined()
                + "    </DL><p>\n"
        }
        return "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<H1>Bookmarks</H1>\n<DL><p>\n"
            + folders.joined() + "</DL><p>\n"
    }

    /// The section is the context, the key the message.
    private static func po(_ model: SettingsModel) -> String {
        "msgid \"\"\nmsgstr \"\"\n\"Language: en\\n\"\n"
            + model.sections.map { section in
                let notes = section.hasNotes ? "\n# notes on \(section.name)\n# and more\n" : ""
                let entries = section.entries.map { entry in
                    (entry.comment.map { "\n# \($0)\n" } ?? "\n") + "msgctxt \"\(section.name)\"\n"
                        + "msgid \"\(entry.key)\"\nmsgstr \"\(entry.value)\"\n"
                }
                return notes + entries.joined()
            }.joined()
    }

    private static func yaml(_ model: SettingsModel) -> String {
        model.sections.map { section in
            let notes = section.hasNotes ? "  # notes on \(section.name)\n\n" : ""
            let entries = section.entries.map { entry in
                (entry.comment.map { "  # \($0)\n" } ?? "") + "  \(entry.key): \(entry.value)\n"
            }
            return "\(section.name):\n" + notes + entries.joined()
        }.joined(separator: "\n")
    }

    private static func json(_ model: SettingsModel) -> String {
        let sections = model.sections.map { section in
            let notes = section.hasNotes ? "    /* notes on \(section.name)\n     */\n\n" : ""
            let entries = section.entries.enumerated().map { index, entry in
                (entry.comment.map { "    // \($0)\n" } ?? "")
                    + "    \"\(entry.key)\": \(entry.value)"
                    + (index < section.entries.count - 1 ? ",\n" : "\n")
            }
            return "  \(section.name): {\n" + notes + entries.joined() + "  }"
        }
        return "// head\n{ // settings\n" + sections.joined(separator: ",\n\n") + "\n}\n"
    }

    private static func lines(_ model: SettingsModel) -> String {
        model.sections.map { section in
            let notes = section.hasNotes ? "# notes on \(section.name)\n# and more\n\n" : ""
            let entries = section.entries.map { entry in
                (entry.comment.map { "# \($0)\n" } ?? "") + "\(entry.key) = \(entry.value)\n"
            }
            return "[\(section.name)]\n" + notes + entries.joined()
        }.joined(separator: "\n")
    }
}

@Suite("The laws of merges, for every format that is read as a tree")
struct TreeMergeLawTests {
    private func merge(_ format: some SyntaxFormat, _ input: MergeInput) -> MergeOutcome {
        TreeMerge(format: format).merge(input)
    }

    private func input(_ format: WrittenFormat, _ models: [SettingsModel]) -> MergeInput {
        let texts = models.map { Array(format.write($0).utf8) }
        return MergeInput(base: texts[0], ours: texts[1], theirs: texts[2])
    }

    @Test(
        "independent edits are both applied, and every other byte stays",
        arguments: WrittenFormat.nested)
    func independent(_ format: WrittenFormat) {
        for seed in 0..<30 as Range<UInt64> {
            var maker = SettingsMaker(seed: seed)
            let base = maker.model()
            let edits = maker.independentEdits(of: base)
            let input = input(format, [base, edits.ours, edits.theirs])
            for input in [input, input.swapped] {
                let outcome = merge(format.format, input)
                let expected = format.write(edits.both)
                #expect(outcome.shown == expected, "seed \(seed)\n\(describe(input))")
                if outcome.shown != expected { return }
            }
        }
    }

    @Test(
        "any edits: values as a merge of maps gives them, or declined", arguments: WrittenFormat.all
    )
    func maps(_ format: WrittenFormat) {
        var counts = (merged: 0, declined: 0)
        for seed in 0..<30 as Range<UInt64> {
            var maker = SettingsMaker(seed: seed)
            let base = maker.model()
            let (ours, theirs) = (maker.edited(base), maker.edited(base))
            let input = input(format, [base, ours, theirs])
            let outcome = merge(format.format, input)
            let other = merge(format.format, input.swapped)
            guard case .merged(let bytes) = outcome else {
                counts.declined += 1
                if case .merged = other { Issue.record("seed \(seed)\n\(describe(input))") }
                continue
            }
            counts.merged += 1
            #expect(other == outcome, "seed \(seed)\n\(describe(input))")
            let expected = Self.merged(base.values, ours.values, theirs.values)
            let found =
                switch format.format {
                case is POFormat: translations(bytes)
                case is MarkdownFormat: cells(bytes)
                default: values(bytes, format.format)
                }
            #expect(
                expected != nil && found == expected,
                "seed \(seed)\n\(describe(input))\n\(outcome.shown)")
        }
        #expect(counts.merged > 5 && counts.declined > 2, "\(counts)")
    }

    /// Three maps merged by key; nil for a conflict.
    private static func merged(
        _ base: [[String]: Int], _ ours: [[String]: Int], _ theirs: [[String]: Int]
    ) -> [[String]: Int]? {
        var result: [[String]: Int] = [:]
        for key in Set(base.keys).union(ours.keys).union(theirs.keys) {
            let (old, our, their) = (base[key], ours[key], theirs[key])
            guard our == their || old == our || old == their else { return nil }
            result[key] = old == our ? their : our
        }
        return result
    }

    /// The values by context and message.
    private func translations(_ bytes: [UInt8]) -> [[String]: Int]? {
        guard let tree = POFormat().read(bytes) else { return nil }
        var result: [[String]: Int] = [:]
        for entry in tree.items(of: tree.root).dropFirst() where entry.role == .value {
            let texts = tree.items(of: entry.value).map {
                String(decoding: tree.slice($0.value.meaning), as: UTF8.self)
            }
            guard texts.count == 3, result[Array(texts[..<2])] == nil else { return nil }
            result[Array(texts[..<2])] = Int(texts[2])
        }
        return result
    }

    /// The values by heading and first cell.
    private func cells(_ bytes: [UInt8]) -> [[String]: Int]? {
        guard let tree = MarkdownFormat().read(bytes) else { return nil }
        func text(_ node: SyntaxNode) -> String {
            String(decoding: tree.slice(node.meaning), as: UTF8.self)
        }
        var result: [[String]: Int] = [:]
        var section = ""
        for block in tree.items(of: tree.root).map(\.value) {
            if block.type == MarkdownReader.Kind.heading {
                section = String(text(block).dropFirst(3))
            }
            for row in tree.items(of: block).dropFirst(2) {
                let cells = tree.items(of: row.value)
                let path = [section, text(cells[0].value)]
                guard result[path] == nil else { return nil }
                result[path] = Int(text(cells[1].value))
            }
        }
        return result
    }

    private func values(_ bytes: [UInt8], _ format: any SyntaxFormat) -> [[String]: Int]? {
        guard let tree = format.read(bytes) else { return nil }
        let dialect = (format as? ContentLineFormat)?.dialect
        var sections = Array(tree.items(of: tree.root))
        if dialect == .calendar { sections = sections.flatMap { tree.items(of: $0.value) } }
        var result: [[String]: Int] = [:]
        let isXML = format is XMLFormat
        for section in sections where section.role == .value {
            for var item in tree.items(of: section.value) where item.role == .value {
                if isXML {
                    guard item.value.form == .child else { continue }
                    item.value = tree.items(of: item.value)[0].value
                } else if format is BookmarksFormat {
                    guard item.value.form == .pair,
                        let title = tree.items(of: item.value).first(where: {
                            $0.value.form == .content
                        })
                    else { continue }
                    item.value = title.value
                }
                var path = [section, item].map {
                    String(decoding: format.title(of: $0, in: tree), as: UTF8.self)
                }
                if isXML { path[0] = String(path[0].dropFirst(2).dropLast()) }
                if dialect != nil { path[1] = String(path[1].dropFirst(2)).lowercased() }
                guard result[path] == nil else { return nil }
                result[path] = Int(
                    String(decoding: tree.slice(item.value.range), as: UTF8.self))
            }
        }
        return result
    }

    @Test("a tree covers every byte", arguments: WrittenFormat.all)
    func covered(_ format: WrittenFormat) throws {
        for seed in 0..<30 as Range<UInt64> {
            var maker = SettingsMaker(seed: seed)
            let bytes = Array(format.write(maker.model()).utf8)
            let tree = try #require(format.format.read(bytes))
            let margins = [tree.before, tree.after].map { Array(tree.slice($0)) }
            #expect(margins[0] + Self.written(tree.root, of: tree) + margins[1] == bytes)
        }
    }

    /// Reads settings, but another value where the document says what the merge decides.
    private struct Misread: SyntaxFormat {
        let name = "settings"
        let repeats = RepeatedNames.override

        func read(_ bytes: [UInt8]) -> SyntaxTree? {
            var text = bytes
            if bytes.elementsEqual("x=2\ny=2\n".utf8) { text[2] = UInt8(ascii: "9") }
            return SettingsFormat(dialect: .ini).read(text)
        }
    }

    @Test("a result that does not say what was decided is declined")
    func verified() {
        let row = MergeCase("", "x=1\ny=1\n", "x=2\ny=1\n", "x=1\ny=2\n", "")
        #expect(merge(SettingsFormat(dialect: .ini), row.input).shown == "x=2\ny=2\n")
        #expect(merge(Misread(), row.input).shown == "declined: ")
    }

    /// All parts of a value, one after the other.
    static func written(_ node: SyntaxNode, of tree: SyntaxTree) -> [UInt8] {
        guard node.kind != .scalar else { return Array(tree.slice(node.range)) }
        var result = Array(tree.slice(node.opening))
        for item in tree.items(of: node) {
            for part in [item.gap, item.lead, item.head] { result += tree.slice(part) }
            result += written(item.value, of: tree)
            for part in [item.middle, item.comma, item.tail] { result += tree.slice(part) }
        }
        return result + tree.slice(tree.lastGap(of: node)) + tree.slice(node.closing)
    }
}
