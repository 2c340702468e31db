/// The formats that are merged by what a document says, beside JSON, CSV and SQLite.
///
/// A name selects a format, and the content confirms it: a file whose versions the format cannot read is text.
package struct DocumentFormat: Sendable {
    /// The merge's name in a strategy, such as `ini`.
    package let word: String
    /// The merge of files of this format that it cannot read.
    package let textMerge: any ContentMerge
    /// The merge of documents of this format.
    package let merge: any ContentMerge
    /// Whether the bytes are a document that the merge can read.
    package let reads: @Sendable (_ bytes: [UInt8]) -> Bool

    private init(
        _ word: String, _ format: some SyntaxFormat,
        asText textMerge: any ContentMerge = TextMerge()
    ) {
        self.word = word
        self.textMerge = textMerge
        let merge = TreeMerge(format: format)
        self.merge = merge
        reads = merge.reads
    }

    private init(
        _ word: String, _ merge: any ContentMerge,
        reads: @escaping @Sendable (_ bytes: [UInt8]) -> Bool
    ) {
        self.word = word
        self.merge = merge
        self.reads = reads
        textMerge = TextMerge()
    }

    /// The format of a file by its name; nil for a name that says nothing.
    package init?(fileName: some Sequence<UInt8>) {
        let fileName = Array(fileName)
        if let dialect = SettingsDialect(fileName: fileName) {
            self.init("ini", SettingsFormat(dialect: dialect))
        } else if fileName.hasSuffix(".toml") {
            self = .toml
        } else if fileName.hasSuffix(".yaml") || fileName.hasSuffix(".yml") {
            self = .yaml
        } else if fileName.hasSuffix(".po") || fileName.hasSuffix(".pot") {
            self = .po
        } else if Self.namesOfCalendars.contains(where: fileName.hasSuffix) {
            self = .calendar
        } else if fileName.hasSuffix(".vcf") || fileName.hasSuffix(".vcard") {
            self = .card
        } else if Self.namesOfXML.contains(where: fileName.hasSuffix) {
            self = .xml
        } else if fileName.hasSuffix(".md") || fileName.hasSuffix(".markdown") {
            self = .markdown
        } else if fileName.hasSuffix(".ipynb") {
            self = .notebook
        } else if Self.namesOfJSONC.contains(where: fileName.hasSuffix) {
            self = .jsonc
        } else {
            return nil
        }
    }

    /// How the names end of files that are JSON, which may have comments.
    private static let namesOfJSONC = [
        ".json", ".jsonc", ".json5", ".code-workspace", ".code-snippets", ".babelrc", ".eslintrc",
        ".jshintrc", ".swcrc", ".sublime-settings", ".sublime-project", ".sublime-keymap",
    ]

    /// How the names end of files that are XML.
    private static let namesOfXML = [
        ".xml", ".svg", ".drawio", ".dio", ".opml", ".plist", ".mobileconfig", ".entitlements",
        ".gpx", ".tcx", ".kml", ".xspf", ".rss", ".atom", ".xhtml", ".xsd", ".xsl", ".xslt",
        ".wsdl",
        ".csproj", ".fsproj", ".vbproj", ".vcxproj", ".props", ".targets", ".resx", ".xaml",
        ".nuspec", ".xib", ".storyboard", ".xcscheme", ".ui", ".glade", ".qrc", ".xlf", ".xliff",
        ".graphml", ".gexf", ".musicxml", ".opf", ".ncx", ".iml",
    ]

    /// How the names of calendars end.
    private static let namesOfCalendars = [".ics", ".ical", ".ifb", ".vcs"]

    package static let yaml = DocumentFormat("yaml", YAMLFormat(), asText: YAMLTextMerge())

    package static let toml = DocumentFormat("toml", TOMLFormat())

    /// Translations of gettext.
    package static let po = DocumentFormat("po", POFormat())

    /// iCalendar; what cannot be read is declined, as lines of two sides can form a wrong event.
    package static let calendar = contentLines("ical", .calendar)

    /// vCard.
    package static let card = contentLines("vcard", .card)

    private static func contentLines(
        _ word: String, _ dialect: ContentLineDialect
    ) -> DocumentFormat {
        let format = ContentLineFormat(dialect: dialect)
        return DocumentFormat(word, format, asText: TreeMerge(format: format))
    }

    /// XML; what cannot be read is declined, as lines of two sides can form another document.
    package static let xml = DocumentFormat(
        "xml", XMLFormat(), asText: TreeMerge(format: XMLFormat()))

    /// Markdown, which every text is.
    package static let markdown = DocumentFormat(
        "markdown", FrontMatterMerge(), reads: { _ in true })

    /// Jupyter notebooks.
    package static let notebook = DocumentFormat(
        "ipynb", NotebookMerge(), reads: { JSONMerge.isDocument($0) })

    /// Lines as a set; no name selects it.
    package static let lineSet = DocumentFormat("union-lines", LineSetFormat())

    /// JSON with comments.
    package static let jsonc = DocumentFormat("jsonc", JSONCFormat())

    /// Settings in lines; the name selects the dialect, INI for other names.
    package static func settings(fileName: some Sequence<UInt8>) -> DocumentFormat {
        let dialect = SettingsDialect(fileName: Array(fileName)) ?? .ini
        return DocumentFormat("ini", SettingsFormat(dialect: dialect))
    }
}

/// JSON with comments, trailing commas, bare keys and the other additions of JSON5.
///
/// Sources: <https://spec.json5.org>, and "JSON with Comments" as Visual Studio Code reads its settings.
struct JSONCFormat: SyntaxFormat {
    let name = "JSON with comments"
    let repeats = RepeatedNames.override

    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size else { return nil }
        var reader = BracketReader(bytes, .json)
        guard let root = reader.document() else { return nil }
        return SyntaxTree(bytes: bytes, root: root)
    }
}

extension [UInt8] {
    /// Whether the bytes end in a text, whatever the case of its ASCII letters.
    fileprivate func hasSuffix(_ text: String) -> Bool {
        suffix(text.utf8.count).map(\.lowercasedASCII).elementsEqual(text.utf8)
    }
}
