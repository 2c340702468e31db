/// Numbers of bytes for people.
enum SizeText {
    /// `999 B`, `1.5 kB`, `12 MB`: powers of a thousand, two digits at least.
    static func text(_ bytes: Int64) -> String {
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
        guard bytes.magnitude >= 1000 else { return "\(bytes) B" }
        var scaled = Double(bytes)
        var unit = ""
        for next in units where scaled.magnitude >= 1000 {
            scaled /= 1000
            unit = next
        }
        let tenths = Int64((scaled * 10).rounded())
        let isShort = tenths.magnitude >= 100
        return (isShort ? "\(Int64(scaled.rounded()))" : "\(tenths / 10).\(tenths.magnitude % 10)")
            + " " + unit
    }
}
