/// Reads strict JSON (RFC 8259) and remembers where everything is written.
///
/// It keeps its own stack, so that depth costs no stack of the thread.
struct JSONParser {
    /// Containers inside each other. The merge recurses, and has to end somewhere.
    static let deepest = 512
    /// Bytes of one version.
    static let largest = 256 << 20
    /// Values of one version: each takes as much memory as fifty letters.
    static let mostValues = 8 << 20

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    private var nodes: [JSONNode] = []
    /// The containers that are open, outermost first.
    private var open: [Int] = []
    private var key: Range<Int32> = 0..<0
    private var keyHash = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// All nodes of the document that the bytes are.
    mutating func parse() throws(JSONProblem) -> [JSONNode] {
        guard bytes.count <= Self.largest else { throw problem("begins a file that is too large") }
        nodes.reserveCapacity(bytes.count / 16 + 1)
        if bytes.starts(with: JSONDocument.byteOrderMark) { position = 3 }
        while true {
            if try beginValue() { continue }
            if try !wantsAnother() { break }
        }
        skipSpace()
        guard position == bytes.count else { throw problem("goes on after the end") }
        return nodes
    }

    /// Reads a scalar or the beginning of a container.
    /// - Returns: whether it is a container that has something in it.
    private mutating func beginValue() throws(JSONProblem) -> Bool {
        skipSpace()
        let start = position
        guard let first = peek() else { throw problem("ends too early") }
        guard nodes.count < Self.mostValues else { throw problem("has too many values before it") }
        switch first {
        case UInt8(ascii: "{"): return try beginContainer(.object)
        case UInt8(ascii: "["): return try beginContainer(.array)
        case UInt8(ascii: "\""):
            try skipString()
            finishScalar(.string, start, hash: JSONText.hash(text(from: start)))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try skipNumber()
            finishScalar(.number, start, hash: JSONNumber.hash(text(from: start)))
        default:
            try skipLiteral(first)
            finishScalar(.literal, start, hash: JSONHash.literal(first))
        }
        return false
    }

    private mutating func beginContainer(_ kind: JSONNode.Kind) throws(JSONProblem) -> Bool {
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
    private mutating func wantsAnother() throws(JSONProblem) -> Bool {
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

    private mutating func readKey() throws(JSONProblem) {
        skipSpace()
        let start = position
        guard peek() == UInt8(ascii: "\"") else { throw problem("has no key in quotes") }
        try skipString()
        key = Int32(start)..<Int32(position)
        keyHash = JSONText.hash(text(from: start))
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
