/// Finds out what stands between the fields of a file.
enum CSVSeparator {
    private static let candidates: [UInt8] = [
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|"),
    ]
    /// So many records show it.
    private static let sampleSize = 50

    /// The separator with which all contents are tables of one width; of several the one that
    /// makes most columns, then the more usual one. A comma where nothing separates anything.
    static func found(in contents: [[UInt8]]) -> UInt8 {
        var best = (separator: candidates[0], tables: 0, width: 1)
        for separator in candidates {
            let widths = contents.compactMap { width(of: $0, separator) }
            let narrowest = widths.min() ?? 1
            if (widths.count, narrowest) > (best.tables, best.width) {
                best = (separator, widths.count, narrowest)
            }
        }
        return best.separator
    }

    /// nil if the records are not equally wide, or only one column wide.
    private static func width(of content: [UInt8], _ separator: UInt8) -> Int? {
        guard
            let table = CSVTable(content, separator: separator, recordLimit: sampleSize),
            let first = table.records.first?.fields.count, first > 1
        else { return nil }
        let isEven = table.records.allSatisfy { $0.fields.count == first || table.isBlank($0) }
        return isEven ? first : nil
    }
}
