/// A name as SQL takes it, whatever characters it has.
func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        + "\""
}

/// Names of SQLite are the same in either case of ASCII's letters.
func folded(_ name: String) -> String {
    String(
        String.UnicodeScalarView(
            name.unicodeScalars.map {
                ("A"..."Z").contains($0) ? Unicode.Scalar(UInt8($0.value) + 32) : $0
            }))
}
