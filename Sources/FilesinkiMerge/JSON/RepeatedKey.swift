import FilesinkiText

/// A key that an object of a JSON text has more than once. Programs that read the text take one of the members and
/// leave out the others.
struct RepeatedKey: Hashable {
    /// Without quotes and escapes.
    let name: [UInt8]
    /// Of the second member with the key, counted from 1.
    let line: Int

    /// The first in a text; nil if there is none, or the text is not JSON.
    init?(in bytes: [UInt8]) {
        guard let document = try? JSONDocument(bytes), let member = document.repeatedMember else {
            return nil
        }
        name = document.key(member)
        let start = Int(document.nodes[member].start)
        line = 1 + bytes[..<start].count { $0 == UInt8(ascii: "\n") }
    }
}

extension JSONDocument {
    /// The first member whose key another one of its object has before it.
    fileprivate var repeatedMember: Int? {
        var first: Int?
        for object in nodes.indices where nodes[object].kind == .object && nodes[object].count > 1 {
            var keys: Set<[UInt8]> = []
            let repeated = children(of: object).first { !keys.insert(key($0)).inserted }
            if let repeated { first = min(first ?? repeated, repeated) }
        }
        return first
    }
}
