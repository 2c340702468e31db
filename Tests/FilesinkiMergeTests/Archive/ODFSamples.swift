@testable import FilesinkiMerge

/// Small ODF documents as LibreOffice writes them.
enum ODFSample {
    static let namespaces =
        "xmlns:office=\"urn:o\" xmlns:text=\"urn:t\" xmlns:style=\"urn:s\" xmlns:table=\"urn:b\" "
        + "xmlns:draw=\"urn:d\" xmlns:xlink=\"urn:x\" xmlns:fo=\"urn:f\" xmlns:dc=\"urn:c\" "
        + "xmlns:meta=\"urn:m\" xmlns:config=\"urn:k\""

    /// - Parameters:
    ///   - styles: The automatic styles: names, and what they say.
    ///   - body: What is in the body's only element.
    static func document(
        _ kind: String = "text", styles: [(name: String, text: String)] = [], _ body: String
    ) -> SampleArchive {
        let automatic = styles.map { name, text in
            "<style:style style:name=\"\(name)\" style:family=\"paragraph\">\(text)</style:style>"
        }
        let content =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<office:document-content \(namespaces)>"
            + "<office:automatic-styles>\(automatic.joined())</office:automatic-styles>"
            + "<office:body><office:\(kind)>\(body)</office:\(kind)></office:body>"
            + "</office:document-content>"
        return SampleArchive([
            ("mimetype", "application/vnd.oasis.opendocument.\(kind)"), ("content.xml", content),
            (
                "styles.xml",
                "<office:document-styles \(namespaces)><office:styles>"
                    + "<style:style style:name=\"Text\" style:family=\"paragraph\"/>"
                    + "<style:style style:name=\"Head\" style:family=\"paragraph\"/>"
                    + "</office:styles></office:document-styles>"
            ),
            ("meta.xml", meta(cycles: 1)), ("settings.xml", settings(view: 1, option: 1)),
            ("Thumbnails/thumbnail.png", "thumbnail 1"),
            (
                "META-INF/manifest.xml",
                manifest([
                    "content.xml", "styles.xml", "meta.xml", "settings.xml",
                    "Thumbnails/thumbnail.png",
                ])
            ),
        ])
    }

    /// - Parameter lines: A paragraph each.
    static func text(_ lines: [String], styles: [(name: String, text: String)] = [])
        -> SampleArchive
    {
        document(styles: styles, paragraphs(lines))
    }

    /// - Parameter lines: Texts; those with a bar have the name of a style before it.
    static func paragraphs(_ lines: [String]) -> String {
        lines.map { line in
            let parts = line.split(separator: "|", maxSplits: 1)
            let style = parts.count == 2 ? parts[0] : "Text"
            return "<text:p text:style-name=\"\(style)\">\(parts.last ?? "")</text:p>"
        }.joined()
    }

    static func meta(cycles: Int) -> String {
        "<office:document-meta \(namespaces)><office:meta><dc:title>T</dc:title>"
            + "<dc:date>2026-01-0\(cycles)T00:00:00</dc:date>"
            + "<meta:editing-cycles>\(cycles)</meta:editing-cycles></office:meta></office:document-meta>"
    }

    static func settings(view: Int, option: Int) -> String {
        func item(_ name: String, _ value: Int) -> String {
            "<config:config-item config:name=\"\(name)\">\(value)</config:config-item>"
        }
        return "<office:document-settings \(namespaces)><office:settings>"
            + "<config:config-item-set config:name=\"ooo:view-settings\">\(item("ViewTop", view))"
            + "</config:config-item-set>"
            + "<config:config-item-set config:name=\"ooo:configuration-settings\">"
            + item("Rsid", view) + item("Option", option) + item("Other", 1)
            + "</config:config-item-set></office:settings></office:document-settings>"
    }

    static func manifest(_ names: [String]) -> String {
        "<manifest:manifest xmlns:manifest=\"urn:n\">\n"
            + " <manifest:file-entry manifest:full-path=\"/\"/>\n"
            + names.map { " <manifest:file-entry manifest:full-path=\"\($0)\"/>\n" }.joined()
            + "</manifest:manifest>"
    }
}

extension SampleArchive {
    /// As a program saves it: with other metadata.
    func saved(_ cycles: Int) -> SampleArchive {
        with([
            ("meta.xml", ODFSample.meta(cycles: cycles)),
            ("settings.xml", ODFSample.settings(view: cycles, option: 1)),
            ("Thumbnails/thumbnail.png", "thumbnail \(cycles)"),
        ])
    }

    /// With a part that the manifest lists.
    func listing(_ name: String, _ content: String) -> SampleArchive {
        with([(name, content)]).edited(
            "META-INF/manifest.xml", "</manifest:manifest>",
            " <manifest:file-entry manifest:full-path=\"\(name)\"/>\n</manifest:manifest>")
    }
}

extension MergeOutcome {
    /// The paragraphs of a merged text, with their styles.
    func paragraphs() throws -> [String] {
        guard let content = try part("content.xml") else { return ["declined"] }
        return content.split(separator: "<text:p text:style-name=\"").dropFirst().map { piece in
            let text = piece.prefix { $0 != "<" }
            return String(text).replacing("\">", with: ":")
        }
    }
}
