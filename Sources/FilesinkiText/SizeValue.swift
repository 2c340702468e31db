/// Numbers of bytes as people write them.
package enum SizeValue {
    private static let powers = ["", "K", "M", "G", "T", "P"]

    /// Reads `500`, `1.5G`, `20 GB`, `4Ki` as bytes: powers of a thousand, or with an `i` of 1024. Nil for anything else,
    /// and for what 64 bits cannot count.
    package static func bytes(of text: some StringProtocol) -> Int64? {
        let digits = text.prefix { $0.isNumber && $0.isASCII || $0 == "." }
        var unit = text.dropFirst(digits.count).drop { $0 == " " }.uppercased()
        if unit.hasSuffix("B") { unit.removeLast() }
        var base = 1000.0
        if unit.hasSuffix("I") {
            unit.removeLast()
            base = 1024
        }
        guard let number = Double(String(digits)), let power = powers.firstIndex(of: unit) else {
            return nil
        }
        return Int64(exactly: ((0..<power).reduce(number) { size, _ in size * base }).rounded())
    }
}
