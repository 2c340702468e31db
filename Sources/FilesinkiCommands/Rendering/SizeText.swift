import FilesinkiModel

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

    /// Reads `500`, `1.5G`, `20 GB`, `4Ki`: powers of a thousand, or with an `i` of 1024.
    ///
    /// - Throws: `Failure` with code `usage` for anything else, and for what 64 bits cannot count.
    static func bytes(of text: String) throws(Failure) -> Int64 {
        let digits = text.prefix { $0.isNumber && $0.isASCII || $0 == "." }
        var unit = text.dropFirst(digits.count).drop { $0 == " " }.uppercased()
        if unit.hasSuffix("B") { unit.removeLast() }
        var base = 1000.0
        if unit.hasSuffix("I") {
            unit.removeLast()
            base = 1024
        }
        let powers = ["", "K", "M", "G", "T", "P"]
        guard let number = Double(String(digits)), let power = powers.firstIndex(of: unit),
            let bytes = Int64(
                exactly: ((0..<power).reduce(number) { size, _ in size * base }).rounded())
        else {
            throw Failure(
                .usage, path: text, "Invalid size.", remedy: "Write it as 500M, 1.5G or 4Ki.")
        }
        return bytes
    }
}

/// Numbers of things for people: `1 file`, `1,204 files`.
enum CountText {
    /// - Parameter noun: In the singular; an `s` makes its plural.
    static func text(_ count: Int, _ noun: String) -> String {
        "\(text(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    /// With commas between thousands.
    static func text(_ count: Int) -> String {
        let digits = Array(String(count.magnitude))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (count < 0 ? "-" : "") + text
    }
}
