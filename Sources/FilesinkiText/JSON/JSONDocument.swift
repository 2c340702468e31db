/// A strict JSON text (RFC 8259): its bytes, and where each value stands in them.
///
/// It keeps the order and the spelling of everything, duplicate names included, so that a merge can
/// write a text again byte by byte. ``JSONTree`` is the view for a caller that wants the values only.
package struct JSONDocument: Sendable {
    package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    package let bytes: [UInt8]
    /// The values in the order in which they begin. The first is the root.
    package let nodes: [JSONNode]

    /// The most values of a text: each takes about 50 bytes of memory.
    package static let mostValues = 8 << 20

    /// Parses a text, which may begin with a byte order mark.
    ///
    /// - Parameter mostValues: The most values that the text may have.
    /// - Throws: ``JSONError`` for invalid JSON, and for a text beyond the limits of ``JSONParser``.
    package init(
        _ bytes: [UInt8], mostValues: Int = JSONDocument.mostValues
    ) throws(JSONError) {
        let result = bytes.withUnsafeBufferPointer { buffer -> Result<[JSONNode], JSONError> in
            var parser = JSONParser(buffer, mostValues: mostValues)
            do throws(JSONError) {
                return .success(try parser.parse())
            } catch {
                return .failure(error)
            }
        }
        nodes = try result.get()
        self.bytes = bytes
    }

    /// The members or elements of a container, as indexes into ``nodes``.
    package func children(of node: Int) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(Int(nodes[node].count))
        var child = node + 1
        while child < nodes[node].after {
            result.append(child)
            child = Int(nodes[child].after)
        }
        return result
    }

    /// The value of the first member with a name; nil if it does not exist. O(members).
    package func member(_ name: [UInt8], of object: Int) -> Int? {
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
            ? JSONString.unescaped(quoted) == name : inside.elementsEqual(name)
    }

    package func slice(_ range: Range<Int32>) -> ArraySlice<UInt8> {
        bytes[Int(range.lowerBound)..<Int(range.upperBound)]
    }

    /// A value as it is written.
    package func text(_ node: Int) -> ArraySlice<UInt8> { slice(nodes[node].value) }

    /// The key of a member, without quotes and escapes.
    package func key(_ node: Int) -> [UInt8] { JSONString.unescaped(slice(nodes[node].key)) }

    /// A string without quotes and escapes, or any other scalar as it is written.
    package func plainText(_ node: Int) -> [UInt8] {
        nodes[node].kind == .string ? JSONString.unescaped(text(node)) : Array(text(node))
    }
}

/// A value in a ``JSONDocument``: its place and its hash.
///
/// Nodes are ordered by their beginnings; the content of a container follows it directly.
package struct JSONNode: Sendable {
    /// The kinds of values.
    package enum Kind: UInt8, Sendable {
        case object, array, string, number, literal

        package var isContainer: Bool { self == .object || self == .array }
    }

    package let kind: Kind
    /// The key of a member, quotes included; empty for elements and the root.
    package internal(set) var key: Range<Int32> = 0..<0
    /// The value itself, without the white space around it.
    package internal(set) var value: Range<Int32>
    /// The index of the first node that is not inside this one.
    package internal(set) var after: Int32
    /// The number of members or elements of a container.
    package internal(set) var count: Int32 = 0
    /// Equal for equal values; different values may have the same.
    package internal(set) var hash: Int = 0
    /// Equal for equal keys; different keys may have the same.
    package internal(set) var keyHash: Int = 0

    /// The place where the member or element begins.
    package var start: Int32 { key.isEmpty ? value.lowerBound : key.lowerBound }
    package var end: Int32 { value.upperBound }
}
