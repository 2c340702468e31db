package import FilesinkiModel

/// The names of files that select a format.
///
/// A pattern has at most one star, which stands for any bytes, so that git's attributes can have it as it is.
package enum FormatNames {
    /// The patterns of each format, in lower case. Names do not select `text`, `lines` and `union-lines`.
    package static let all: [(format: ContentFormat, patterns: [String])] = [
        (.ini, SettingsDialect.names.flatMap(\.patterns)),
        (.toml, ["*.toml"]),
        (.yaml, ["*.yaml", "*.yml"]),
        (.po, ["*.po", "*.pot"]),
        (.ical, ["*.ics", "*.ical", "*.ifb", "*.vcs"]),
        (.vcard, ["*.vcf", "*.vcard"]),
        (.xml, xml),
        (.markdown, ["*.md", "*.markdown"]),
        (.ipynb, ["*.ipynb"]),
        (.jsonc, json),
        (.csv, ["*.csv", "*.tsv"]),
        (.bookmarks, ["bookmark*.html", "bookmark*.htm", "*bookmarks.html"]),
        (.odf, ["*.odt", "*.ott", "*.odm", "*.ods", "*.ots", "*.odp", "*.otp", "*.odg", "*.otg"]),
        (
            .ooxml,
            [
                "*.docx", "*.docm", "*.dotx", "*.dotm", "*.xlsx", "*.xlsm", "*.xltx", "*.xltm",
                "*.pptx", "*.pptm", "*.potx", "*.potm", "*.ppsx", "*.ppsm",
            ]
        ),
        (.epub, ["*.epub"]),
        (.sqlite, ["*.sqlite", "*.sqlite3", "*.db"]),
    ]

    /// The format of a file by its name, whatever the case of its letters; nil for a name that says nothing.
    static func format(of fileName: [UInt8]) -> ContentFormat? {
        let name = fileName.map(\.lowercasedASCII)
        return all.first { $0.patterns.contains { matches($0, name) } }?.format
    }

    /// - Parameter name: In lower case.
    static func matches(_ pattern: String, _ name: [UInt8]) -> Bool {
        let parts = pattern.utf8.split(
            separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return name.elementsEqual(pattern.utf8) }
        return name.count >= parts[0].count + parts[1].count && name.starts(with: parts[0])
            && name.suffix(parts[1].count).elementsEqual(parts[1])
    }

    /// JSON, which may have comments.
    private static let json = [
        "*.json", "*.jsonc", "*.json5", "*.code-workspace", "*.code-snippets", "*.babelrc",
        "*.eslintrc", "*.jshintrc", "*.swcrc", "*.sublime-settings", "*.sublime-project",
        "*.sublime-keymap",
    ]

    private static let xml = [
        "*.xml", "*.svg", "*.drawio", "*.dio", "*.opml", "*.plist", "*.mobileconfig",
        "*.entitlements", "*.gpx", "*.tcx", "*.kml", "*.xspf", "*.rss", "*.atom", "*.xhtml",
        "*.xsd", "*.xsl", "*.xslt", "*.wsdl", "*.csproj", "*.fsproj", "*.vbproj", "*.vcxproj",
        "*.props", "*.targets", "*.resx", "*.xaml", "*.nuspec", "*.xib", "*.storyboard",
        "*.xcscheme", "*.ui", "*.glade", "*.qrc", "*.xlf", "*.xliff", "*.graphml", "*.gexf",
        "*.musicxml", "*.opf", "*.ncx", "*.iml", "*.csl",
    ]
}
