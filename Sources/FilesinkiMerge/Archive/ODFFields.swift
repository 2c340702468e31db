/// The fields of ODF texts that programs compute: the time, and how long the document is.
///
/// A spreadsheet of LibreOffice has the time of the save in the header of each page style.
/// Source: Open Document Format for Office Applications, version 1.3, part 3, sections 7.3 and 7.5.
enum ODFFields {
    static let computed = ComputedFields(
        isField: { part, element in
            // The time that a person put down is content.
            names.contains(Array(part.name(element)))
                && part.attribute("text:fixed", of: element)?.elementsEqual("true".utf8) != true
        }, attributes: attributes)

    /// Whether a side changed nothing in a part but such fields.
    static func isOnlySaved(
        _ name: [UInt8], _ side: MergeVersion, _ versions: PackageVersions
    ) throws(ZipError) -> Bool {
        if try versions.isUnchanged(name, side) { return true }
        guard let base = try versions.base.document(name),
            let part = try versions[side].document(name)
        else { return false }
        return computed.text(base, 0) == computed.text(part, 0)
    }

    private static let names = Set(
        [
            "date", "time", "modification-date", "modification-time", "print-date", "print-time",
            "editing-cycles", "editing-duration", "page-number", "page-count", "paragraph-count",
            "word-count", "character-count", "table-count", "image-count", "object-count",
        ].map { Array("text:\($0)".utf8) })

    private static let attributes = Set(
        ["date-value", "time-value", "duration"].map { Array("text:\($0)".utf8) })
}
