/// Numbers for byte strings, from 0 in the order of their first appearance; equal strings have one number.
struct ByteNumbers {
    private var numbers: [ByteKey: Int] = [:]
    /// The string of each number.
    private(set) var texts: [[UInt8]] = []

    /// - Parameter capacity: How many strings are expected.
    init(capacity: Int) { numbers.reserveCapacity(capacity) }

    /// The number of a string, which is given one if it is new.
    mutating func number(of text: [UInt8]) -> Int {
        if let found = numbers[ByteKey(text)] { return found }
        numbers[ByteKey(text)] = texts.count
        texts.append(text)
        return texts.count - 1
    }
}
