/// Which of two values is greater, where that means something: numbers with numbers, dates with dates,
/// texts with texts by their bytes, truth values.
enum ValueOrder {
    /// The greater one under `max`, the smaller one under `min`; nil under other policies, and where the
    /// two cannot be compared.
    static func chosen(
        by policy: MergePolicy, _ left: TypedValue, _ right: TypedValue
    ) -> TypedValue? {
        switch policy {
        case .max: precedes(left, right).map { $0 ? right : left }
        case .min: precedes(left, right).map { $0 ? left : right }
        case .newest, .sum, .union: nil
        }
    }

    /// Nil where the two cannot be compared.
    static func precedes(_ left: TypedValue, _ right: TypedValue) -> Bool? {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.double(let left), .double(let right)): precedes(left, right)
        case (.integer(let whole), .double(let right)): precedes(whole, right)
        case (.double(let left), .integer(let whole)): !precedes(whole, left)
        case (.date(let left), .date(let right)): left < right
        case (.string(let left), .string(let right)), (.url(let left), .url(let right)):
            left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.bool(let left), .bool(let right)): !left && right
        default: nil
        }
    }

    /// −0.0 comes before 0.0, so that the order of two different numbers is never open.
    private static func precedes(_ left: Double, _ right: Double) -> Bool {
        left == right ? left.sign == .minus && right.sign == .plus : left < right
    }

    /// Exact, which `Double(whole)` is not; of two equal numbers the whole one comes first.
    private static func precedes(_ whole: Int64, _ number: Double) -> Bool {
        if number >= 0x1p63 { return true }
        if number < -0x1p63 { return false }
        let floor = number.rounded(.down)
        let bound = Int64(floor)
        return whole < bound || whole == bound
    }
}
