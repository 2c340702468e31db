/// A value with its type: what a key holds.
///
/// Two values are equal when their canonical encodings are: −0.0 and 0.0 differ, and so do texts that
/// only look alike in Unicode.
package indirect enum TypedValue: Sendable {
    /// Only inside of a JSON tree; a key that holds nothing is absent.
    case null
    case bool(Bool)
    case integer(Int64)
    /// Never NaN.
    case double(Double)
    /// Milliseconds since 1970-01-01 00:00 UTC.
    case date(milliseconds: Int64)
    case string(String)
    case data([UInt8])
    /// An absolute address, as it was given.
    case url(String)
    case array([TypedValue])
    case dictionary(ValueMembers)

    /// The bytes that count for limits: the content, without the tags of types.
    package var size: Int {
        switch self {
        case .null, .bool: 1
        case .integer, .double, .date: 8
        case .string(let text), .url(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .array(let values): values.reduce(0) { $0 + $1.size }
        case .dictionary(let members):
            members.reduce(0) { $0 + $1.name.utf8.count + $1.value.size }
        }
    }

    /// The type's name.
    package var type: ValueType {
        switch self {
        case .null: .null
        case .bool: .bool
        case .integer: .integer
        case .double: .double
        case .date: .date
        case .string: .string
        case .data: .data
        case .url: .url
        case .array: .array
        case .dictionary: .dictionary
        }
    }
}

extension TypedValue: Hashable {
    package static func == (left: TypedValue, right: TypedValue) -> Bool {
        ValueCoder.encode(left) == ValueCoder.encode(right)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(ValueCoder.encode(self)) }
}

/// The type of a value, by the name that commands and JSON use.
package enum ValueType: String, CaseIterable, Sendable {
    case null, bool, double, date, string, data, url, array, dictionary
    case integer = "int"
}

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

    /// The value of a name; nil for an unknown name.
    package subscript(name: String) -> TypedValue? {
        members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The order of names.
    static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

/// The state of a key on one side: its value or removal, and which device set it when.
package struct Register: Hashable, Sendable {
    /// Nil when the key was removed, or never set.
    package var value: TypedValue?
    /// The hybrid logical time of the change: see ``HybridClock``.
    package var time: Int64
    /// The id of the device that set the value; empty for a removal.
    package var device: [UInt8]
    package var policy: MergePolicy

    package init(
        _ value: TypedValue?, time: Int64, device: [UInt8], policy: MergePolicy = .newest
    ) {
        self.value = value
        self.time = time
        self.device = value == nil ? [] : device
        self.policy = value == nil ? .newest : policy
    }

    /// A key that was never set.
    package static let absent = Register(nil, time: 0, device: [])

    /// Whether this was set after the other. Of two at the same moment a value is newer than a
    /// removal, and the greater id than the smaller; where even that is the same, value and policy decide.
    func isNewer(than other: Register) -> Bool {
        if time != other.time { return time > other.time }
        guard let value, let theirs = other.value else { return value != nil }
        if device != other.device { return other.device.lexicographicallyPrecedes(device) }
        if value == theirs { return policy.rawValue > other.policy.rawValue }
        return ValueCoder.encode(theirs).lexicographicallyPrecedes(ValueCoder.encode(value))
    }
}
