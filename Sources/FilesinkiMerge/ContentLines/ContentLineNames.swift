/// The names of the lines of a document, each known by a number: a document has many lines and few names.
struct ContentLineNames {
    /// A name, and what the format says about it.
    struct Name {
        /// With the group of a vCard, if there is one, in upper case.
        let bytes: [UInt8]
        /// The same, for the items of the tree.
        let text: SyntaxText
        /// What a key begins with that the value follows.
        let keyStart: [UInt8]
        let identity: ContentLineDialect.Identity
        /// Whether it is `AGENT`, in whatever group.
        let isAgent: Bool
    }

    static let begin = 0
    static let end = 1
    static let uid = 2
    static let timeZone = 3
    static let recurrence = 4
    static let name = 5
    static let formattedName = 6

    /// The names of the numbers above.
    private static let known = ["BEGIN", "END", "UID", "TZID", "RECURRENCE-ID", "N", "FN"]

    private let store: SyntaxStore
    private let dialect: ContentLineDialect
    /// By each spelling that occurs.
    private var numbers: [ByteKey: Int] = [:]
    private var names: [Name] = []

    init(_ store: SyntaxStore, _ dialect: ContentLineDialect) {
        self.store = store
        self.dialect = dialect
        for name in Self.known { _ = number(ofNew: Array(name.utf8)[...]) }
    }

    subscript(number: Int) -> Name { names[number] }

    var count: Int { names.count }

    /// - Parameter spelling: In any case of its letters, without folds.
    /// - Returns: nil for what is not a name.
    mutating func number(of spelling: ArraySlice<UInt8>) -> Int? {
        numbers[ByteKey(spelling)] ?? number(ofNew: spelling)
    }

    private mutating func number(ofNew spelling: ArraySlice<UInt8>) -> Int? {
        let name = spelling.map(\.uppercasedASCII)
        guard Self.isName(name[...]) else { return nil }
        let number = numbers[ByteKey(name)] ?? names.count
        if number == names.count { names.append(described(name)) }
        numbers[ByteKey(name)] = number
        numbers[ByteKey(spelling)] = number
        return number
    }

    private func described(_ name: [UInt8]) -> Name {
        let start = name.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? 0
        return Name(
            bytes: name, text: store.copy(name), keyStart: name + Array("\0=".utf8),
            identity: dialect.identity(of: name[start...]),
            isAgent: name[start...].elementsEqual("AGENT".utf8))
    }

    /// Whether it is a name with at most one group, of letters, digits, hyphens and underscores.
    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count <= 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "A")...UInt8(ascii: "Z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                            UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }
}
