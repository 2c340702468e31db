/// Parses strict JSON (RFC 8259) and records where each value is written.
///
/// The stack of open containers is an array, so that nesting uses no stack of the thread. The input may
/// be hostile: size, depth and number of values are limited.
struct JSONParser {
    /// The deepest nesting of containers. A merge recurses over them.
    static let deepest = 512
    /// The largest text, in bytes.
    static let largest = 256 << 20

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    private let mostValues: Int
    private var nodes: [JSONNode] = []
    /// The containers that are open, outermost first.
    private var open: [Int] = []
    private var key: Range<Int32> = 0..<0
    private var keyHash = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, mostValues: Int) {
        self.bytes = bytes
        self.mostValues = mostValues
    }

    /// Parses the whole text.
    mutating func parse() throws(JSONError) -> [JSONNode] {
        guard bytes.count <= Self.largest else { throw problem("begins a file that is too large") }
        nodes.reserveCapacity(bytes.count / 16 + 1)
        if bytes.starts(with: JSONDocument.byteOrderMark) { position = 3 }
        while true {
            if try beginValue() { continue }
            if try !wantsAnother() { break }
        }
        skipSpace()
        guard position == bytes.count else { throw problem("has text after the end") }
        return nodes
    }

    /// Reads a scalar or the beginning of a container.
    /// - Returns: Whether it is a container that is not empty.
    private mutating func beginValue() throws(JSONError) -> Bool {
        skipSpace()
        let start = position
        guard let first = peek() else { throw problem("ends too early") }
        guard nodes.count < mostValues else { throw problem("has too many values before it") }
        switch first {
        case UInt8(ascii: "{"): return try beginContainer(.object)
        case UInt8(ascii: "["): return try beginContainer(.array)
        case UInt8(ascii: "\""):
            try skipString()
            finishScalar(.string, start, hash: JSONString.hash(text(from: start)))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try skipNumber()
            finishScalar(.number, start, hash: JSONNumber.hash(text(from: start)))
        default:
            try skipLiteral(first)
            finishScalar(.literal, start, hash: JSONHash.literal(first))
        }
        return false
    }

    private mutating func beginContainer(_ kind: JSONNode.Kind) throws(JSONError) -> Bool {
        guard open.count < Self.deepest else { throw problem("is nested too deep") }
        append(kind, position, hash: JSONHash.empty(kind))
        open.append(nodes.count - 1)
        position += 1
        skipSpace()
        guard peek() != Self.end(of: kind) else { return false }
        if kind == .object { try readKey() }
        return true
    }

    /// Closes what ends here, up to a comma or the end of the document.
    private mutating func wantsAnother() throws(JSONError) -> Bool {
        while let container = open.last {
            let kind = nodes[container].kind
            skipSpace()
            let next = peek()
            position += 1
            if next == Self.end(of: kind) {
                close(container)
            } else if next == UInt8(ascii: ",") {
                if kind == .object { try readKey() }
                return true
            } else {
                position -= 1
                throw unexpected(inside: kind)
            }
        }
        return false
    }

    private mutating func readKey() throws(JSONError) {
        skipSpace()
        let start = position
        guard peek() == UInt8(ascii: "\"") else { throw problem("has no key in quotes") }
        try skipString()
        key = Int32(start)..<Int32(position)
        keyHash = JSONString.hash(text(from: start))
        skipSpace()
        guard peek() == UInt8(ascii: ":") else { throw problem("has a key without a colon") }
        position += 1
    }

    private mutating func append(_ kind: JSONNode.Kind, _ start: Int, hash: Int) {
        let range = Int32(start)..<Int32(position)
        var node = JSONNode(kind: kind, value: range, after: Int32(nodes.count + 1), hash: hash)
        swap(&node.key, &key)
        swap(&node.keyHash, &keyHash)
        nodes.append(node)
    }

    private mutating func finishScalar(_ kind: JSONNode.Kind, _ start: Int, hash: Int) {
        append(kind, start, hash: hash)
        countLast(nodes.count - 1)
    }

    private mutating func close(_ container: Int) {
        open.removeLast()
        nodes[container].value = nodes[container].value.lowerBound..<Int32(position)
        nodes[container].after = Int32(nodes.count)
        countLast(container)
    }

    /// Adds a whole value to the container that it is in.
    private mutating func countLast(_ child: Int) {
        guard let parent = open.last else { return }
        let hash = nodes[child].hash
        nodes[parent].count += 1
        nodes[parent].hash =
            nodes[parent].kind == .object
            ? nodes[parent].hash &+ JSONHash.mix(nodes[child].keyHash, hash)
            : JSONHash.mix(nodes[parent].hash, hash)
    }
}

// MARK: - Scalars and white space

extension JSONParser {
    static func end(of kind: JSONNode.Kind) -> UInt8 {
        kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
    }

    func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    func text(from start: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[start..<position])
    }

    func problem(_ reason: String) -> JSONError {
        let read = bytes[..<min(position, bytes.count)]
        return JSONError(line: 1 + read.count { $0 == UInt8(ascii: "\n") }, reason: reason)
    }

    func unexpected(inside kind: JSONNode.Kind) -> JSONError {
        switch peek() {
        case nil: problem("ends too early")
        case UInt8(ascii: "/"), UInt8(ascii: "#"): problem("has a comment")
        default: problem("has neither a comma nor the end of the \(kind)")
        }
    }

    mutating func skipSpace() {
        while position < bytes.count, JSONString.isSpace(bytes[position]) { position += 1 }
    }

    mutating func skipLiteral(_ first: UInt8) throws(JSONError) {
        let word: StaticString =
            switch first {
            case UInt8(ascii: "t"): "true"
            case UInt8(ascii: "f"): "false"
            case UInt8(ascii: "n"): "null"
            case UInt8(ascii: "/"), UInt8(ascii: "#"): throw problem("has a comment")
            default: throw problem("lacks a value")
            }
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, memory(position..<end, equals: word) else {
            throw problem("lacks a value")
        }
        position = end
    }

    private func memory(_ range: Range<Int>, equals word: StaticString) -> Bool {
        word.withUTF8Buffer { $0.elementsEqual(bytes[range]) }
    }

    mutating func skipNumber() throws(JSONError) {
        if peek() == UInt8(ascii: "-") { position += 1 }
        let start = position
        try skipDigits()
        guard position == start + 1 || bytes[start] != UInt8(ascii: "0") else {
            throw problem("has a number that begins with 0")
        }
        if peek() == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        guard peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") else { return }
        position += 1
        if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
        try skipDigits()
    }

    private mutating func skipDigits() throws(JSONError) {
        let start = position
        while let byte = peek(), JSONString.isDigit(byte) { position += 1 }
        guard position > start else { throw problem("has a number without a digit") }
    }

    mutating func skipString() throws(JSONError) {
        position += 1
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"): try skipEscape()
            case 0x20..<0x80: position += 1
            case 0x80...: try skipScalar(byte)
            default: throw problem("has a control character in a string")
            }
        }
        throw problem("ends inside a string")
    }

    private mutating func skipEscape() throws(JSONError) {
        position += 1
        switch peek() {
        case UInt8(ascii: "u"):
            let digits = bytes[min(position + 1, bytes.count)..<min(position + 5, bytes.count)]
            guard digits.count == 4, digits.allSatisfy({ JSONString.hexadecimal($0) != nil }) else {
                throw problem("has a \\u without four digits")
            }
            position += 5
        case .some(let byte) where JSONString.escaped(byte) != nil: position += 1
        default: throw problem("has an invalid escape")
        }
    }

    /// One scalar of two to four bytes: the table 3-7 of the Unicode standard, version 15.
    private mutating func skipScalar(_ first: UInt8) throws(JSONError) {
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch first {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: throw problem("is not UTF-8")
            }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]),
            bytes[(position + 2)..<(position + length)].allSatisfy({ $0 & 0xC0 == 0x80 })
        else { throw problem("is not UTF-8") }
        position += length
    }
}

/// Why bytes are not JSON that can be read.
package struct JSONError: Error, Hashable {
    /// Counted from 1.
    package var line: Int
    /// The rest of a sentence that begins with the line: `has a comment`.
    package var reason: String
}
