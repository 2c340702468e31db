/// Percent-encoding of names in addresses: https://www.rfc-editor.org/rfc/rfc3986#section-2.1
package enum PercentCoding {
    /// Encodes all but letters, digits and `- . _ ~`.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var result: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Encodes a path, leaving its slashes.
    package static func encodePath(_ path: String) -> String { encodePath(Array(path.utf8)) }

    /// Encodes a path of any bytes, leaving its slashes.
    package static func encodePath(_ path: [UInt8]) -> String {
        path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { encode($0) }.joined(separator: "/")
    }

    /// Nil when a `%` is not followed by two hexadecimal digits.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(value),
                let low = rest.popFirst().flatMap(value)
            else { return nil }
            result.append(high << 4 | low)
        }
        return result
    }

    /// The decoded text; nil when it is malformed or not UTF-8.
    package static func decodedText(_ text: some StringProtocol) -> String? {
        decode(text).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
