/// Escapes bytes for safe display on a terminal.
///
/// UTF-8 is unchanged. Control characters, marks of text direction, backslashes and bytes that are
/// not part of valid UTF-8 become `\xNN`, one for each byte, so that names remain distinct and none
/// moves the cursor.
///
/// - Parameter bytes: Any bytes, such as a name or a path.
package func printable(_ bytes: some Collection<UInt8>) -> String {
    let bytes = Array(bytes)
    var result = ""
    var index = 0
    while index < bytes.count {
        let length = sequenceLength(bytes[index])
        let end = index + length
        if length > 0, end <= bytes.count,
            let text = String(validating: bytes[index..<end], as: UTF8.self),
            let scalar = text.unicodeScalars.first, !mustEscape(scalar)
        {
            result += text
            index = end
        } else {
            result += escaped(bytes[index])
            index += 1
        }
    }
    return result
}

/// The length of the UTF-8 sequence that starts with this byte; 0 if none does.
private func sequenceLength(_ first: UInt8) -> Int {
    switch first {
    case 0x00..<0x80: 1
    case 0xC2..<0xE0: 2
    case 0xE0..<0xF0: 3
    case 0xF0..<0xF5: 4
    default: 0
    }
}

private func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == "\\" { return true }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
}

private func escaped(_ byte: UInt8) -> String {
    let digits = Array("0123456789abcdef")
    return "\\x\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
}
