/// The header fields of a request or a reply, in order. Names are compared without regard to case.
package struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
    private(set) package var all: [(name: String, value: String)] = []

    package init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { (name: $0.0, value: $0.1) }
    }

    package init(_ fields: some Sequence<(String, String)>) {
        all = fields.map { (name: $0.0, value: $0.1) }
    }

    /// The first value of a field; setting replaces all of them, and nil removes them.
    package subscript(name: String) -> String? {
        get { all.first { Self.isSame($0.name, name) }?.value }
        set {
            all.removeAll { Self.isSame($0.name, name) }
            if let newValue { all.append((name, newValue)) }
        }
    }

    /// Every value of a field, in order.
    package func values(of name: String) -> [String] {
        all.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { lowercase($0) == lowercase($1) }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
