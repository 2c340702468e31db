package import FilesinkiModel

/// How documents of a format are read and merged.
///
/// A name or a rule selects a format, and the content confirms it: a file whose versions the format cannot read is
/// text.
package struct DocumentFormat: Sendable {
    package let format: ContentFormat
    /// What messages call it, such as `YAML`.
    package let title: String
    /// The merge of files of this format that it cannot read.
    package let textMerge: any ContentMerge
    /// The merge of documents of this format.
    package let merge: any ContentMerge
    /// Whether the bytes are a document that the merge can read.
    package let reads: @Sendable (_ bytes: [UInt8]) -> Bool
    /// Merges documents of this format; nil if ``reads`` says of one of the versions that it is not such a document.
    package let mergeDocuments: @Sendable (_ input: MergeInput) -> MergeOutcome?

    /// The format's name in a strategy, such as `ini`.
    package var word: String { format.rawValue }

    private init(
        _ format: ContentFormat, _ syntax: some SyntaxFormat,
        asText textMerge: any ContentMerge = TextMerge()
    ) {
        self.format = format
        title = syntax.name
        self.textMerge = textMerge
        let merge = TreeMerge(format: syntax)
        self.merge = merge
        reads = merge.reads
        mergeDocuments = merge.mergeDocuments
    }

    private init(
        _ format: ContentFormat, _ merge: any ContentMerge, title: String? = nil,
        reads: @escaping @Sendable (_ bytes: [UInt8]) -> Bool = { _ in true },
        asText textMerge: any ContentMerge = TextMerge()
    ) {
        self.format = format
        self.title = title ?? format.rawValue
        self.merge = merge
        self.reads = reads
        mergeDocuments = { $0.versions.allSatisfy(reads) ? merge.merge($0) : nil }
        self.textMerge = textMerge
    }

    private init(_ merge: YAMLMerge) {
        format = .yaml
        title = "YAML"
        self.merge = merge
        reads = merge.reads
        mergeDocuments = merge.mergeDocuments
        textMerge = YAMLTextMerge()
    }

    /// The format of a file by its name; nil for a name that says nothing, and for databases.
    package init?(fileName: some Sequence<UInt8>) {
        let fileName = Array(fileName)
        guard let format = FormatNames.format(of: fileName) else { return nil }
        self.init(format, fileName: fileName)
    }

    /// - Parameter fileName: Selects the dialect of settings.
    /// - Returns: nil for databases, which are merged as files.
    package init?(_ format: ContentFormat, fileName: some Sequence<UInt8>) {
        switch format {
        case .text: self = .text
        case .lines: self = .lines
        case .unionLines: self = .lineSet
        case .json: self = .json
        case .jsonc: self = .jsonc
        case .csv: self = .table
        case .ini: self = .settings(fileName: fileName)
        case .toml: self = .toml
        case .yaml: self = .yaml
        case .po: self = .po
        case .ical: self = .calendar
        case .vcard: self = .card
        case .xml: self = .xml
        case .markdown: self = .markdown
        case .ipynb: self = .notebook
        case .bookmarks: self = .bookmarks
        case .odf: self = .archive(.odf)
        case .ooxml: self = .archive(.ooxml)
        case .epub: self = .archive(.epub)
        case .sqlite: return nil
        }
    }

    package static let text = DocumentFormat(.text, TextMerge())

    /// Lists of lines.
    package static let lines = DocumentFormat(.lines, LinesMerge())

    /// Lines as a set.
    package static let lineSet = DocumentFormat(.unionLines, LineSetFormat())

    package static let json = DocumentFormat(
        .json, JSONMerge(), title: "JSON", reads: { JSONMerge.isDocument($0) })

    /// JSON with comments.
    package static let jsonc = DocumentFormat(.jsonc, JSONCFormat())

    /// Tables; one whose rows no column identifies is merged as text.
    package static let table = DocumentFormat(.csv, CSVMerge(needsKey: true))

    package static let yaml = DocumentFormat(YAMLMerge())

    package static let toml = DocumentFormat(.toml, TOMLFormat())

    /// Translations of gettext.
    package static let po = DocumentFormat(.po, POFormat())

    /// iCalendar; what cannot be read is declined, as lines of two sides can form a wrong event.
    package static let calendar = contentLines(.ical, .calendar)

    /// vCard.
    package static let card = contentLines(.vcard, .card)

    private static func contentLines(
        _ format: ContentFormat, _ dialect: ContentLineDialect
    ) -> DocumentFormat {
        let syntax = ContentLineFormat(dialect: dialect)
        return DocumentFormat(format, syntax, asText: TreeMerge(format: syntax))
    }

    /// XML; what cannot be read is declined, as lines of two sides can form another document.
    package static let xml = DocumentFormat(.xml, XMLFormat(), asText: UnreadXMLMerge())

    /// Markdown, which every text is.
    package static let markdown = DocumentFormat(.markdown, FrontMatterMerge())

    /// Jupyter notebooks.
    package static let notebook = DocumentFormat(
        .ipynb, NotebookMerge(), title: "a notebook", reads: { JSONMerge.isDocument($0) })

    /// Bookmarks as browsers export them.
    package static let bookmarks = DocumentFormat(.bookmarks, BookmarksFormat())

    /// Documents that are archives; what is no such archive is declined.
    package static func archive(_ kind: ArchiveKind) -> DocumentFormat {
        let merge = ArchiveMerge(kind: kind)
        return DocumentFormat(
            kind.format, merge, reads: { ArchiveKind(of: $0) == kind }, asText: merge)
    }

    /// Settings in lines; the name selects the dialect, INI for other names.
    package static func settings(fileName: some Sequence<UInt8>) -> DocumentFormat {
        let dialect = SettingsDialect(fileName: Array(fileName)) ?? .ini
        return DocumentFormat(.ini, SettingsFormat(dialect: dialect))
    }
}

/// JSON with comments, trailing commas, bare keys and the other additions of JSON5.
///
/// Sources: <https://spec.json5.org>, and "JSON with Comments" as Visual Studio Code reads its settings.
struct JSONCFormat: SyntaxFormat {
    let name = "JSON with comments"
    let hasComments = true
    let repeats = RepeatedNames.override

    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size else { return nil }
        let store = SyntaxStore(bytes)
        var reader = BracketReader(store, .json)
        return reader.document().map { SyntaxTree(store, root: $0) }
    }
}
