/// The name of a setting in a file of Java properties, which may have escapes, such as `new\ name`.
///
/// Source: `java.util.Properties.load`.
enum PropertyName {
    /// What a written name says.
    ///
    /// - Returns: nil for a name that goes on in the next line, and for `\u`: the character could also be there as
    ///   a byte, in an encoding that nothing says.
    static func unescaped(_ name: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(name.count)
        var place = name.startIndex
        while place < name.endIndex {
            if name[place] == UInt8(ascii: "\\") {
                place += 1
                guard place < name.endIndex, let byte = unescaped(name[place]) else { return nil }
                result.append(byte)
            } else {
                result.append(name[place])
            }
            place += 1
        }
        return result
    }

    /// What a byte behind a backslash stands for.
    private static func unescaped(_ byte: UInt8) -> UInt8? {
        switch byte {
        // The u of a character's number.
        case 0x75: nil
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "r"): 0x0D
        default: byte
        }
    }
}
