/// Where in the documents the merge is.
struct JSONPlace {
    /// A key without quotes and escapes, or the digits of an index.
    private(set) var tokens: [[UInt8]] = []

    mutating func enter(_ token: [UInt8]) { tokens.append(token) }

    mutating func leave() { tokens.removeLast() }

    /// The tokens as a pattern of fields compares them.
    var texts: [String] { tokens.map { String(decoding: $0, as: UTF8.self) } }

    /// RFC 6901; what is not a scalar of Unicode is shown as such.
    var pointer: String {
        tokens.map { token in
            var result: [UInt8] = [UInt8(ascii: "/")]
            for byte in token {
                switch byte {
                case UInt8(ascii: "~"): result += Array("~0".utf8)
                case UInt8(ascii: "/"): result += Array("~1".utf8)
                default: result.append(byte)
                }
            }
            return String(decoding: result, as: UTF8.self)
        }.joined()
    }
}
