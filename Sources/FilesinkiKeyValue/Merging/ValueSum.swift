/// Adds what two devices have added to a number.
enum ValueSum {
    /// The base and both differences; held to what 64 bits can say. Nil for what are no numbers.
    static func sum(
        base: TypedValue?, _ left: TypedValue, _ right: TypedValue
    ) -> TypedValue? {
        let base = base ?? .integer(0)
        if case .integer(let base) = base, case .integer(let left) = left,
            case .integer(let right) = right
        {
            return .integer(sum(base, left, right))
        }
        guard let base = number(base), let left = number(left), let right = number(right) else {
            return nil
        }
        // In an order that does not depend on which side is which.
        let sum = left + right - base
        return sum.isNaN ? nil : .double(sum)
    }

    private static func sum(_ base: Int64, _ left: Int64, _ right: Int64) -> Int64 {
        // 128 bits hold every sum of three.
        let sum = Int128(left) + Int128(right) - Int128(base)
        return Int64(clamping: sum)
    }

    private static func number(_ value: TypedValue) -> Double? {
        switch value {
        case .integer(let whole): Double(whole)
        case .double(let number): number
        default: nil
        }
    }
}
