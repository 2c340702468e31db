/// A format whose documents can be merged, by its name in strategies, rules and messages.
package enum ContentFormat: String, Hashable, Sendable, CaseIterable {
    /// Any text, by lines.
    case text
    /// Both sides' additions and removals of whole lines.
    case lines
    /// Lines as a set.
    case unionLines = "union-lines"
    /// Members and elements.
    case json
    /// JSON with comments, trailing commas or bare keys.
    case jsonc
    /// Rows by a key column.
    case csv
    /// Settings in lines, by section and key.
    case ini
    /// Tables and keys.
    case toml
    /// Keys and elements.
    case yaml
    /// Translations of gettext, by message.
    case po
    /// iCalendar, by component and property.
    case ical
    /// vCard, by person and property.
    case vcard
    /// Elements and attributes.
    case xml
    /// The front matter as YAML, the rest by lines and blocks.
    case markdown
    /// Jupyter notebooks: as JSON, with the outputs of one run.
    case ipynb
    /// Bookmarks that a browser exports as HTML, by folder and address.
    case bookmarks
    /// OpenDocument, by the parts of its archive.
    case odf
    /// Office Open XML, by the parts of its archive.
    case ooxml
    /// Books in the EPUB format, by the parts of their archive.
    case epub
    /// Databases: rows by primary key, cells within a row.
    case sqlite
}
