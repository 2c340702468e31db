/// Gives keys numbers, equal ones the same.
struct KeyNumbers {
    private var numbers: [[UInt8]: Int32] = [:]
    /// The keys by their number.
    private(set) var keys: [[UInt8]] = []

    mutating func number(of key: [UInt8]) -> Int32 {
        if let known = numbers[key] { return known }
        let new = Int32(truncatingIfNeeded: keys.count)
        numbers[key] = new
        keys.append(key)
        return new
    }

    /// Orders runs by the bytes of their keys.
    var lineMerge3: LineMerge3 {
        let keys = keys
        return LineMerge3 { first, second in
            first.lexicographicallyPrecedes(second) {
                keys[Int($0)].lexicographicallyPrecedes(keys[Int($1)])
            }
        }
    }
}
