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
}

extension JSONDocument {
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
}
