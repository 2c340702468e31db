import FilesinkiText
import Glibc

/// Equality of values, however they are written.
///
/// Numbers are equal when their exact decimal values are, strings when their code units are, objects
/// whatever the order of their members. An object with a duplicate key equals nothing but the same bytes.
extension JSONDocument {
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
        case .string:
            return JSONString.unescaped(text(left)) == JSONString.unescaped(other.text(right))
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
