package import FilesinkiModel

/// The head of a request or a reply: its first line, and fields as `Name: value`. Each line ends with a
/// newline.
///
/// The first line of a request is `METHOD TARGET`, that of a reply its status.
package struct StreamHead: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package var first: String
    package var fields: [Field]

    /// The longest head in bytes, and the most fields: those of HTTP.
    package static let maximumLength = 16 << 10
    package static let maximumFields = 100

    package init(_ first: String, _ fields: [Field] = []) {
        self.first = first
        self.fields = fields
    }

    package var encoded: [UInt8] {
        Array(([first] + fields.map { "\($0.name): \($0.value)" }).map { $0 + "\n" }.joined().utf8)
    }

    /// Whether ``decode(_:)`` accepts it: no value contains a control character, and it is not too long.
    package var isValid: Bool { (try? Self.decode(encoded)) == self }

    /// The first value of a field; names are case-insensitive.
    package subscript(name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name.lowercased() == name }?.value
    }

    /// Parses a head.
    ///
    /// - Throws: `Failure` with code `corrupt` for anything else than lines of printable ASCII.
    package static func decode(_ bytes: [UInt8]) throws(Failure) -> StreamHead {
        guard bytes.count <= maximumLength, bytes.last == UInt8(ascii: "\n") else {
            throw StreamFailure.malformed
        }
        let lines = bytes.dropLast().split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count <= maximumFields + 1, let first = lines.first, !first.isEmpty,
            lines.allSatisfy({ $0.allSatisfy { (0x20...0x7E).contains($0) } })
        else { throw StreamFailure.malformed }
        var head = StreamHead(String(decoding: first, as: UTF8.self))
        for line in lines.dropFirst() { head.fields.append(try field(line)) }
        return head
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(Failure) -> Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(isOfName),
            line.dropFirst(colon - line.startIndex + 1).first == 0x20
        else { throw StreamFailure.malformed }
        return Field(
            String(decoding: line[..<colon], as: UTF8.self),
            String(decoding: line[(colon + 2)...], as: UTF8.self))
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
