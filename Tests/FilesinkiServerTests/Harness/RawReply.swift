/// A reply as a client reads it.
struct RawReply {
    var status: Int
    /// Names in lower case.
    var fields: [String: String]
    var body: [UInt8]
    /// Whether the body was as long as it said, or chunked and ended.
    var isWhole: Bool

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Nil when there is no head. A reply with status 100 before it is passed over.
    init?(_ received: [UInt8], ofHead: Bool = false) {
        let mark = Array("\r\n\r\n".utf8)
        var bytes = received
        if bytes.starts(with: Array("HTTP/1.1 100 ".utf8)), let end = bytes.firstRange(of: mark) {
            bytes.removeFirst(end.upperBound)
        }
        guard let end = bytes.firstRange(of: mark) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            .split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { return nil }
        self.status = status
        fields = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields[line[..<colon].lowercased()] = String(value)
        }
        let rest = Array(bytes[end.upperBound...])
        if fields["transfer-encoding"] == "chunked" {
            (body, isWhole) = Self.unchunked(rest)
        } else {
            body = rest
            isWhole = ofHead || fields["content-length"].flatMap(Int.init) ?? 0 == rest.count
        }
    }

    private static func unchunked(_ bytes: [UInt8]) -> (body: [UInt8], isWhole: Bool) {
        var rest = bytes[...]
        var body: [UInt8] = []
        while let end = rest.firstRange(of: Array("\r\n".utf8)),
            let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16)
        {
            if size == 0 { return (body, true) }
            body += rest[end.upperBound...].prefix(size)
            rest = rest[end.upperBound...].dropFirst(size + 2)
        }
        return (body, false)
    }
}

extension [UInt8] {
    /// Where a row of bytes is.
    func firstRange(of mark: [UInt8]) -> Range<Int>? { self[...].firstRange(of: mark) }
}

extension ArraySlice<UInt8> {
    func firstRange(of mark: [UInt8]) -> Range<Int>? {
        guard let first = mark.first else { return nil }
        var start = startIndex
        while let index = self[start...].firstIndex(of: first) {
            if self[index...].starts(with: mark) { return index..<(index + mark.count) }
            start = index + 1
        }
        return nil
    }
}
