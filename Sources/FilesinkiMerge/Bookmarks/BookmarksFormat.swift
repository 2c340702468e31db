/// Bookmarks as browsers export them in HTML: folders by name, bookmarks by address, both with their attributes.
///
/// Source: "Netscape Bookmark File Format", as Firefox, Chrome, Edge and Safari write it.
struct BookmarksFormat: SyntaxFormat {
    let name = "bookmarks"
    let repeats = RepeatedNames.override

    /// What tells apart bookmarks of one address in a folder.
    let identities = ["ADD_DATE", "LAST_MODIFIED"].map { Array($0.utf8) }

    /// Browsers write these by themselves. A folder was modified whenever something in it was.
    let fields = Self.stamps.map { name, resolution in
        FieldRule(pattern: FieldPattern(["**", name]), resolution: resolution)
    }

    /// Attributes of which one value stays if both sides changed them.
    static let stamps: [(name: String, resolution: FieldRule.Resolution)] = [
        ("ADD_DATE", .min), ("LAST_MODIFIED", .max), ("LAST_VISIT", .max), ("ICON", .max),
        ("ICON_URI", .max),
    ]

    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size else { return nil }
        var reader = BookmarksReader(bytes)
        return reader.document()
    }
}
