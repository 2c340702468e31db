import FilesinkiItems
package import FilesinkiModel
import FilesinkiText

/// All values of a store as one document.
package enum ExportText {
    /// The formats.
    package enum Format: String, CaseIterable, Sendable {
        case json, plist
    }

    /// Values as a document that ``decode(_:_:)`` reads.
    ///
    /// - Throws: `Failure` with code `usage` for values that the format cannot hold.
    package static func encode(
        _ values: [(key: [UInt8], held: Register)], _ format: Format
    ) throws(Failure) -> [UInt8] {
        switch format {
        case .json: return json(values)
        case .plist:
            var members: [(String, TypedValue)] = []
            for value in values {
                guard let name = String(validating: value.key, as: UTF8.self) else {
                    throw Failure(
                        .usage, path: value.key, "A property list cannot hold this key.",
                        remedy: "Use --format json.")
                }
                if let value = value.held.value { members.append((name, value)) }
            }
            return try PropertyList.encode(.dictionary(ValueMembers(members)))
        }
    }

    /// `{"values":[{"key":…,"merge":…,"value":…},…]}`, a value on each line; `key_bytes` in
    /// hexadecimal where a key is not UTF-8.
    private static func json(_ values: [(key: [UInt8], held: Register)]) -> [UInt8] {
        let lines = values.compactMap { key, held -> [UInt8]? in
            guard let value = held.value else { return nil }
            var line = Array("{\"key".utf8)
            if let name = String(validating: key, as: UTF8.self) {
                line += Array("\":".utf8)
                JSONString.append(name, to: &line)
            } else {
                line += Array("_bytes\":\"\(hexadecimal(key))\"".utf8)
            }
            line += Array(",\"merge\":\"\(held.policy.name)\",\"value\":".utf8)
            return line + JSONText.encode(value, .exact) + Array("}".utf8)
        }
        let separator = Array(",\n".utf8)
        return Array("{\"values\":[\n".utf8) + lines.joined(separator: separator)
            + Array("\n]}\n".utf8)
    }

    /// The changes that a document describes: one of ``encode(_:_:)``, or any
    /// object or dictionary of names and values, where null removes.
    ///
    /// - Parameter prefix: Put before every key.
    /// - Throws: `Failure` with code `usage` for anything else.
    package static func decode(
        _ bytes: [UInt8], _ format: Format, prefix: [UInt8] = []
    ) throws(Failure) -> [ValueChange] {
        let value =
            switch format {
            case .json: try JSONText.decode(bytes, .exact)
            case .plist: try PropertyList.decode(bytes)
            }
        guard case .dictionary(let members) = value else { throw strange }
        if format == .json, members.count == 1, case .array(let rows)? = members["values"] {
            return try rows.map { row throws(Failure) in try change(row, prefix) }
        }
        return try members.map { member throws(Failure) in
            let key = try ValueKey(prefix + Array(member.name.utf8))
            if case .null = member.value { return ValueChange(key, nil) }
            return ValueChange(key, member.value)
        }
    }

    private static func change(
        _ row: TypedValue, _ prefix: [UInt8]
    ) throws(Failure) -> ValueChange {
        guard case .dictionary(let members) = row, let value = members["value"] else {
            throw strange
        }
        var name: [UInt8]?
        if case .string(let text)? = members["key"] { name = Array(text.utf8) }
        if case .string(let text)? = members["key_bytes"] { name = bytes(hexadecimal: text) }
        guard let name else { throw strange }
        var policy: MergePolicy?
        if case .string(let text)? = members["merge"] { policy = MergePolicy(name: text) }
        return ValueChange(try ValueKey(prefix + name), value, policy: policy)
    }

    private static let strange = Failure(
        .usage, "Neither an export of a key-value store nor an object of names and values.",
        remedy: "Give what kv export wrote, or an object such as {\"theme\":\"dark\"}.")
}
