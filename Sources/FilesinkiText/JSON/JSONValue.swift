package import FilesinkiModel

/// A JSON value (RFC 8259) to be written. ``JSONTree`` reads.
package enum JSONValue {
    case null
    case bool(Bool)
    case integer(Int64)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
    /// Bytes that are JSON already.
    case written([UInt8])

    package func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .string(let value): JSONString.append(value, to: &bytes)
        case .array(let values): Self.append(values, to: &bytes)
        case .object(let object): object.append(to: &bytes)
        case .written(let text): bytes.append(contentsOf: text)
        }
    }

    private static func append(_ values: [JSONValue], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            value.append(to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
}

/// A JSON object whose members keep the order in which they were given.
package struct JSONObject: ExpressibleByDictionaryLiteral {
    private var members: [(name: String, value: JSONValue)]

    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = elements.map { (name: $0.0, value: $0.1) }
    }

    /// Adds a member; nil adds nothing.
    package mutating func add(_ name: String, _ value: JSONValue?) {
        if let value { members.append((name: name, value: value)) }
    }

    /// Adds a text.
    package mutating func add(_ name: String, _ value: String?) {
        add(name, value.map(JSONValue.string))
    }

    /// Adds a number. What does not fit in 64 signed bits is held to the largest that does.
    package mutating func add(_ name: String, _ value: (some BinaryInteger)?) {
        add(name, value.map { JSONValue.integer(Int64(clamping: $0)) })
    }

    /// Adds a truth value.
    package mutating func add(_ name: String, _ value: Bool?) {
        add(name, value.map(JSONValue.bool))
    }

    /// Adds bytes that are mostly text, such as a path, without losing any.
    ///
    /// UTF-8 becomes the string it is. Other bytes become the form that a person sees, with `\xNN`
    /// for what is not UTF-8, and a second member, `NAME_bytes`, holds all of them in hexadecimal.
    package mutating func add(_ name: String, bytes: [UInt8]) {
        if let text = String(validating: bytes, as: UTF8.self) {
            add(name, text)
        } else {
            add(name, printable(bytes))
            add(name + "_bytes", hexadecimal(bytes))
        }
    }

    /// Adds a path, nil adds nothing: see ``add(_:bytes:)``.
    package mutating func add(_ name: String, _ path: RelativePath?) {
        if let path { add(name, bytes: path.bytes) }
    }

    /// Adds a moment as RFC 3339 text with nanoseconds, in UTC.
    package mutating func add(_ name: String, _ time: Timestamp?) {
        add(name, time.map { DateText.rfc3339($0, digits: 9) })
    }

    /// The object as UTF-8 on one line, without a newline.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONString.append(member.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            member.value.append(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

extension RelativePath {
    /// The path as an element of a list: text, or an object with `path` and `path_bytes` when it is
    /// not UTF-8.
    package var jsonValue: JSONValue {
        if let text = String(validating: bytes, as: UTF8.self) { return .string(text) }
        var object: JSONObject = [:]
        object.add("path", self)
        return .object(object)
    }
}
