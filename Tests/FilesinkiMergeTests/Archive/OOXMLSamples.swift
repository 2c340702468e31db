@testable import FilesinkiMerge

/// Small Office Open XML documents.
enum OOXMLSample {
    static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n"
    private static let types = "application/vnd.openxmlformats-officedocument."

    /// - Parameter parts: Names, the ends of their types, and texts; the first is the main part.
    static func package(_ parts: [(name: String, type: String, text: String)]) -> SampleArchive {
        var list = "<Default Extension=\"rels\" ContentType=\"application/relationships+xml\"/>"
        list += "<Default Extension=\"png\" ContentType=\"image/png\"/>"
        for part in parts { list += override(part.name, part.type) }
        list +=
            "<Override PartName=\"/docProps/core.xml\" ContentType=\"application/core-properties+xml\"/>"
        let main = parts.first?.name ?? ""
        return SampleArchive(
            [
                ("[Content_Types].xml", head + "<Types xmlns=\"urn:c\">\(list)</Types>"),
                (
                    "_rels/.rels",
                    relationships([
                        ("rId1", "officeDocument", main),
                        ("rId2", "core-properties", "docProps/core.xml"),
                    ])
                ), ("docProps/core.xml", core(1)),
            ] + parts.map { ($0.name, $0.text) })
    }

    static func override(_ name: String, _ type: String) -> String {
        "<Override PartName=\"/\(name)\" ContentType=\"\(types)\(type)+xml\"/>"
    }

    static func relationships(_ list: [(id: String, type: String, target: String)]) -> String {
        "<Relationships xmlns=\"urn:r\">"
            + list.map { relationship($0.id, $0.type, $0.target) }.joined() + "</Relationships>"
    }

    static func relationship(_ id: String, _ type: String, _ target: String) -> String {
        "<Relationship Id=\"\(id)\" Type=\"urn:r/\(type)\" Target=\"\(target)\"/>"
    }

    static func core(_ revision: Int) -> String {
        "<cp:coreProperties xmlns:cp=\"urn:p\" xmlns:dc=\"urn:d\" xmlns:dcterms=\"urn:t\"><dc:title>T</dc:title>"
            + "<cp:revision>\(revision)</cp:revision>"
            + "<dcterms:modified>2026-01-0\(revision)T00:00:00Z</dcterms:modified></cp:coreProperties>"
    }

    // MARK: Texts

    /// - Parameter lines: A paragraph each, as XML behind its properties.
    static func text(_ lines: [String]) -> SampleArchive {
        package([
            ("word/document.xml", "wordprocessingml.document.main", document(lines)),
            (
                "word/styles.xml", "wordprocessingml.styles",
                "<w:styles xmlns:w=\"urn:w\"><w:docDefaults/><w:style w:styleId=\"Head\"/></w:styles>"
            ),
            ("word/settings.xml", "wordprocessingml.settings", settings(rsid: 1)),
            (
                "word/numbering.xml", "wordprocessingml.numbering",
                "<w:numbering xmlns:w=\"urn:w\"><w:abstractNum w:abstractNumId=\"0\"><w:a/></w:abstractNum>"
                    + "<w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num></w:numbering>"
            ),
            (
                "word/footnotes.xml", "wordprocessingml.footnotes",
                "<w:footnotes xmlns:w=\"urn:w\"><w:footnote w:id=\"1\">one</w:footnote></w:footnotes>"
            ),
        ]).with([
            (
                "word/_rels/document.xml.rels",
                relationships([
                    ("rId1", "styles", "styles.xml"), ("rId2", "settings", "settings.xml"),
                    ("rId3", "numbering", "numbering.xml"), ("rId4", "footnotes", "footnotes.xml"),
                ])
            )
        ])
    }

    static func document(_ lines: [String]) -> String {
        head + "<w:document xmlns:w=\"urn:w\" xmlns:r=\"urn:r\"><w:body>"
            + lines.map { "<w:p>\($0)</w:p>" }.joined() + "<w:sectPr/></w:body></w:document>"
    }

    static func settings(rsid: Int, option: String = "") -> String {
        "<w:settings xmlns:w=\"urn:w\"><w:zoom w:percent=\"\(rsid)\"/>\(option)"
            + "<w:rsids><w:rsid w:val=\"\(rsid)\"/></w:rsids></w:settings>"
    }

    // MARK: Workbooks

    /// - Parameters:
    ///   - texts: The list of texts.
    ///   - rows: The rows of the first sheet, as XML.
    static func workbook(_ texts: [String], _ rows: String, second: String = "") -> SampleArchive {
        func sheet(_ rows: String) -> String {
            "<worksheet xmlns=\"urn:s\"><dimension ref=\"A1\"/><sheetViews><sheetView/></sheetViews>"
                + "<sheetData>\(rows)</sheetData><pageMargins left=\"1\"/></worksheet>"
        }
        return package([
            (
                "xl/workbook.xml", "spreadsheetml.sheet.main",
                "<workbook xmlns=\"urn:s\"><bookViews><workbookView/></bookViews><sheets><sheet name=\"A\"/></sheets></workbook>"
            ),
            ("xl/worksheets/sheet1.xml", "spreadsheetml.worksheet", sheet(rows)),
            ("xl/worksheets/sheet2.xml", "spreadsheetml.worksheet", sheet(second)),
            (
                "xl/sharedStrings.xml", "spreadsheetml.sharedStrings",
                "<sst xmlns=\"urn:s\" count=\"\(texts.count)\">"
                    + texts.map { "<si><t>\($0)</t></si>" }.joined() + "</sst>"
            ),
            (
                "xl/styles.xml", "spreadsheetml.styles",
                "<styleSheet xmlns=\"urn:s\"><cellXfs count=\"1\"><xf/></cellXfs></styleSheet>"
            ),
        ]).with([
            (
                "xl/_rels/workbook.xml.rels",
                relationships([
                    ("rId1", "worksheet", "worksheets/sheet1.xml"),
                    ("rId2", "worksheet", "worksheets/sheet2.xml"),
                    ("rId3", "sharedStrings", "sharedStrings.xml"),
                    ("rId4", "styles", "styles.xml"),
                ])
            )
        ])
    }

    /// - Parameter cells: References, and numbers of texts or values that begin with `=`.
    static func row(_ number: Int, _ cells: [(String, String)]) -> String {
        let text = cells.map { name, value in
            value.hasPrefix("=")
                ? "<c r=\"\(name)\(number)\"><v>\(value.dropFirst())</v></c>"
                : "<c r=\"\(name)\(number)\" t=\"s\"><v>\(value)</v></c>"
        }
        return "<row r=\"\(number)\" spans=\"1:\(cells.count)\">\(text.joined())</row>"
    }

    // MARK: Presentations

    /// - Parameter slides: What each slide says, with a picture of its number.
    static func presentation(_ slides: [String]) -> SampleArchive {
        let parts = slides.enumerated().map { index, text in
            (
                "ppt/slides/slide\(index + 1).xml", "presentationml.slide",
                "<p:sld xmlns:p=\"urn:p\" xmlns:r=\"urn:r\"><p:t>\(text)</p:t><p:pic r:id=\"rId1\"/></p:sld>"
            )
        }
        let numbers = slides.indices.map { $0 + 1 }
        return package(
            [
                (
                    "ppt/presentation.xml", "presentationml.presentation.main",
                    "<p:presentation xmlns:p=\"urn:p\" xmlns:r=\"urn:r\">"
                        + numbers.map { "<p:sldId r:id=\"rId\($0)\"/>" }.joined()
                        + "</p:presentation>"
                )
            ] + parts
        ).with(
            [
                (
                    "ppt/_rels/presentation.xml.rels",
                    relationships(numbers.map { ("rId\($0)", "slide", "slides/slide\($0).xml") })
                )
            ]
                + numbers.map { number in
                    (
                        "ppt/slides/_rels/slide\(number).xml.rels",
                        relationships([("rId1", "image", "../media/image\(number).png")])
                    )
                } + numbers.map { ("ppt/media/image\($0).png", "picture \($0)") })
    }
}

extension MergeOutcome {
    /// What the paragraphs of a merged text have in them.
    func wordParagraphs() throws -> [String] {
        guard let content = try part("word/document.xml") else { return ["declined"] }
        return content.split(separator: "<w:p>").dropFirst().map { piece in
            String(piece.split(separator: "</w:p>", omittingEmptySubsequences: false)[0])
        }
    }
}
