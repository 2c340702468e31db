package import FilesinkiModel
import Glibc

/// One version of a document: its bytes, and the values in them.
struct JSONDocument: Sendable {
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    let bytes: [UInt8]
    /// The first is the root.
    let nodes: [JSONNode]

    init(_ bytes: [UInt8]) throws(JSONProblem) {
        let result = bytes.withUnsafeBufferPointer { buffer -> Result<[JSONNode], JSONProblem> in
            var parser = JSONParser(buffer)
            do throws(JSONProblem) {
                return .success(try parser.parse())
            } catch {
                return .failure(error)
            }
        }
        nodes = try result.get()
        self.bytes = bytes
    }

    /// The members or elements of a container.
    func children(of node: Int) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(Int(nodes[node].count))
        var child = node + 1
        while child < nodes[node].after {
            result.append(child)
            child = Int(nodes[child].after)
        }
        return result
    }

    func slice(_ range: Range<Int32>) -> ArraySlice<UInt8> {
        bytes[Int(range.lowerBound)..<Int(range.upperBound)]
    }

    func text(_ node: Int) -> ArraySlice<UInt8> { slice(nodes[node].value) }

    /// The key of a member, without quotes and escapes.
    func key(_ node: Int) -> [UInt8] { JSONText.unescaped(slice(nodes[node].key)) }

    /// A text without quotes and escapes, or any other scalar as it is written.
    func plainText(_ node: Int) -> [UInt8] {
        nodes[node].kind == .string ? JSONText.unescaped(text(node)) : Array(text(node))
    }

    func decimal(_ node: Int) -> JSONDecimal? {
        nodes[node].kind == .number ? JSONDecimal(Array(text(node))) : nil
    }

    /// The value of the first member with a key.
    func member(_ name: [UInt8], of object: Int) -> Int? {
        var child = object + 1
        while child < nodes[object].after {
            if isKey(child, name) { return child }
            child = Int(nodes[child].after)
        }
        return nil
    }

    private func isKey(_ node: Int, _ name: [UInt8]) -> Bool {
        let quoted = slice(nodes[node].key)
        let inside = quoted.dropFirst().dropLast()
        return inside.contains(UInt8(ascii: "\\"))
            ? JSONText.unescaped(quoted) == name : inside.elementsEqual(name)
    }

    // MARK: Equality of values

    // Numbers are equal where their exact decimal values are, texts where their code units are,
    // objects whatever the order of their members. An object that has a key twice equals nothing but
    // the same bytes.

    func sameBytes(_ left: Int, _ other: JSONDocument, _ right: Int) -> Bool {
        Self.same(self, nodes[left].value, other, other.nodes[right].value)
    }

    func sameValue(_ left: Int, _ other: JSONDocument, _ right: Int) -> Bool {
        let (one, two) = (nodes[left], other.nodes[right])
        guard one.hash == two.hash, one.kind == two.kind, one.count == two.count else {
            return false
        }
        if sameBytes(left, other, right) { return true }
        switch one.kind {
        case .literal: return true
        case .string: return JSONText.unescaped(text(left)) == JSONText.unescaped(other.text(right))
        case .number:
            guard let value = decimal(left) else { return false }
            return value == other.decimal(right)
        case .array:
            return zip(children(of: left), other.children(of: right)).allSatisfy {
                sameValue($0, other, $1)
            }
        case .object: return sameMembers(left, other, right)
        }
    }

    func sameKey(_ left: Int, _ other: JSONDocument, _ right: Int) -> Bool {
        let (one, two) = (nodes[left], other.nodes[right])
        guard one.keyHash == two.keyHash else { return false }
        return Self.same(self, one.key, other, two.key) || key(left) == other.key(right)
    }

    private func sameMembers(_ left: Int, _ other: JSONDocument, _ right: Int) -> Bool {
        let (ours, theirs) = (children(of: left), other.children(of: right))
        var byKey: [Int: Int] = [:]
        for child in theirs
        where byKey.updateValue(child, forKey: other.nodes[child].keyHash) != nil {
            return false
        }
        return ours.allSatisfy { child in
            guard let match = byKey.removeValue(forKey: nodes[child].keyHash) else { return false }
            return sameKey(child, other, match) && sameValue(child, other, match)
        }
    }

    private static func same(
        _ left: JSONDocument, _ one: Range<Int32>, _ right: JSONDocument, _ two: Range<Int32>
    ) -> Bool {
        guard one.count == two.count else { return false }
        return left.bytes.withUnsafeBytes { left in
            right.bytes.withUnsafeBytes { right in
                guard let from = left.baseAddress, let to = right.baseAddress else { return true }
                return memcmp(from + Int(one.lowerBound), to + Int(two.lowerBound), one.count) == 0
            }
        }
    }

    /// Whether at least half of a container is the same in another.
    func isSimilar(_ left: Int, _ other: JSONDocument, _ right: Int) -> Bool {
        guard nodes[left].kind == other.nodes[right].kind else { return false }
        let ours = children(of: left)
        let kept =
            nodes[left].kind == .object
            ? ours.count { child in
                other.member(key(child), of: right).map { sameValue(child, other, $0) } ?? false
            }
            : zip(ours, other.children(of: right)).count { sameValue($0, other, $1) }
        return kept * 2 >= ours.count && kept > 0
    }
}

/// A value in a document: where it is written, and its hash.
///
/// Nodes lie in the order of their beginnings; what is inside a container follows it directly.
package struct JSONNode: Sendable {
    /// The kind of a value.
    package enum Kind: UInt8, Sendable {
        case object, array, string, number, literal

        var isContainer: Bool { self == .object || self == .array }
    }

    var kind: Kind
    /// The key of a member, quotes included; empty for elements and the root.
    var key: Range<Int32> = 0..<0
    /// The value itself, without the white space around it.
    var value: Range<Int32>
    /// The index of the first node that is not inside this one.
    var after: Int32
    /// How many members or elements a container has.
    var count: Int32 = 0
    /// Equal for equal values; not the other way round.
    var hash: Int = 0
    /// Equal for equal keys; not the other way round.
    var keyHash: Int = 0

    /// Where the member or element begins.
    var start: Int32 { key.isEmpty ? value.lowerBound : key.lowerBound }
    var end: Int32 { value.upperBound }
}

/// A value in a strict JSON text (RFC 8259), for callers outside of the merge.
package struct JSONTree: Sendable {
    package typealias Kind = JSONNode.Kind

    private let document: JSONDocument
    private let node: Int

    /// Parses a text that is one value with nothing but white space around it.
    ///
    /// - Throws: `Failure` with code `usage` that says what is wrong and where.
    package init(_ bytes: [UInt8]) throws(Failure) {
        do throws(JSONProblem) {
            document = try JSONDocument(bytes)
        } catch {
            throw Failure(
                .usage, "Invalid JSON: line \(error.line) \(error.reason).",
                remedy: "Correct it and try again.")
        }
        node = 0
    }

    private init(_ document: JSONDocument, _ node: Int) {
        self.document = document
        self.node = node
    }

    package var kind: Kind { document.nodes[node].kind }

    /// The range of the value in the bytes.
    package var place: Range<Int> {
        let value = document.nodes[node].value
        return Int(value.lowerBound)..<Int(value.upperBound)
    }

    /// A text without quotes and escapes, or any other scalar as it is written. Half a surrogate pair
    /// gives bytes that are not valid UTF-8.
    package var text: [UInt8] { document.plainText(node) }

    /// The members of an object or the elements of an array, in their order.
    package var children: [JSONTree] {
        document.children(of: node).map { JSONTree(document, $0) }
    }

    /// The name of a member, without quotes and escapes.
    package var name: [UInt8] { document.key(node) }

    /// The range of a member in the bytes, from its name to the end of its value.
    package var wholePlace: Range<Int> {
        Int(document.nodes[node].start)..<Int(document.nodes[node].end)
    }
}
