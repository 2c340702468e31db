/// Numbers of things for people: `1 file`, `1,204 files`.
package enum CountText {
    /// - Parameter noun: In the singular; an `s` makes its plural.
    package static func text(_ count: Int, _ noun: String) -> String {
        "\(text(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    /// With commas between thousands.
    package static func text(_ count: Int) -> String {
        let digits = Array(String(count.magnitude))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (count < 0 ? "-" : "") + text
    }
}
