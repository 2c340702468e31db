import Glibc

/// The order of two byte strings: negative, 0 or positive, as memcmp(3) has it.
package func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let common = min(left.count, right.count)
    if common > 0, let first = left.baseAddress, let second = right.baseAddress {
        let order = memcmp(first, second, common)
        if order != 0 { return Int(order) }
    }
    return left.count - right.count
}

/// The order of two byte strings.
package func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { compare(left, $0) } }
}

/// The order of two byte strings.
package func compare(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { compare(left, $0) } }
}
