/// The members of a dictionary, in the order of their names' UTF-8 bytes, each name once.
package struct ValueMembers: Sendable, RandomAccessCollection {
    /// A name and its value.
    package struct Member: Sendable {
        package var name: String
        package var value: TypedValue

        package init(name: String, value: TypedValue) {
            self.name = name
            self.value = value
        }
    }

    private let members: [Member]

    /// - Parameter members: In any order; nil is the result when a name occurs twice.
    package init?(_ members: some Sequence<Member>) {
        let sorted = members.sorted { Self.precedes($0.name, $1.name) }
        for (one, next) in zip(sorted, sorted.dropFirst()) where !Self.precedes(one.name, next.name)
        {
            return nil
        }
        self.members = sorted
    }

    /// Of values by names that are different as bytes.
    package init(_ values: [(String, TypedValue)]) {
        var byName: [[UInt8]: Member] = [:]
        for (name, value) in values {
            byName[Array(name.utf8)] = Member(name: name, value: value)
        }
        members = byName.values.sorted { Self.precedes($0.name, $1.name) }
    }

    package var startIndex: Int { members.startIndex }
    package var endIndex: Int { members.endIndex }
    package subscript(position: Int) -> Member { members[position] }

    /// The value of a name; nil when there is none.
    package subscript(name: String) -> TypedValue? {
        members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The order of names.
    static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
