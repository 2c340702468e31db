package import FilesinkiModel

/// A settings file of a program: names and values, of which some are changed and the rest stays as it
/// is written.
package struct SettingsFile: Sendable {
    /// How settings are written.
    package enum Format: String, CaseIterable, Sendable {
        case json, env, ini, plist

        /// The format of a file by its name; nil for any other.
        package init?(fileName: String) {
            let name = fileName.lowercased()
            if name.hasSuffix(".env") || name == ".env" || name.hasPrefix(".env.") {
                self = .env
            } else if let found = Self.allCases.first(where: { name.hasSuffix("." + $0.rawValue) })
            {
                self = found
            } else {
                return nil
            }
        }
    }

    package let format: Format
    package private(set) var bytes: [UInt8]

    /// - Parameter bytes: The file's content; empty for a file that is not there.
    package init(_ bytes: [UInt8], _ format: Format) {
        self.bytes = bytes
        self.format = format
    }

    /// What the file says.
    ///
    /// - Throws: `Failure` with code `usage` when it is not of its format.
    package func values() throws(Failure) -> [[UInt8]: TypedValue] {
        var result: [[UInt8]: TypedValue] = [:]
        switch format {
        case .json:
            for member in try JSONMembers(bytes).members {
                if case .null = member.value { continue }
                result[Array(member.name.utf8)] = member.value
            }
        case .plist:
            guard !bytes.isEmpty else { return [:] }
            guard case .dictionary(let members) = try PropertyList.decode(bytes) else {
                throw Failure(
                    .usage, "The property list is not a dictionary.",
                    remedy: "Name a file that holds settings.")
            }
            for member in members { result[Array(member.name.utf8)] = member.value }
        case .env, .ini:
            for line in try SettingsLines(bytes, format).settings {
                result[line.key] = .string(line.value)
            }
        }
        return result
    }

    /// The value as the file can say it: what ``values()`` gives once it is written; nil for what it
    /// has no way to say at that name.
    package func form(of value: TypedValue, at name: [UInt8]) -> TypedValue? {
        guard String(validating: name, as: UTF8.self) != nil else { return nil }
        switch format {
        case .json: return try? JSONText.decode(JSONText.encode(value))
        case .plist:
            return (try? PropertyList.encode(value)).flatMap { try? PropertyList.decode($0) }
        case .env, .ini:
            guard let text = Self.text(value), isLine(name, text) else { return nil }
            return .string(text)
        }
    }

    /// Whether a line that says this is read as just that: no name or value of the store makes another
    /// line of a program's settings.
    private func isLine(_ name: [UInt8], _ text: String) -> Bool {
        guard var lines = try? SettingsLines([], format) else { return false }
        lines.set(name, text)
        let found = (try? SettingsLines(lines.bytes, format).settings) ?? []
        return found.count == 1 && found[0].key == name
            && found[0].value.utf8.elementsEqual(text.utf8)
    }

    private static func text(_ value: TypedValue) -> String? {
        switch value {
        case .string(let text), .url(let text): text.contains("\0") ? nil : text
        default:
            (try? JSONText.decode(JSONText.encode(value))).map { value in
                if case .string(let text) = value { return text }
                return String(decoding: JSONText.encode(value), as: UTF8.self)
            }
        }
    }

    /// Changes what the file says of some names; nil removes. All else stays as it is written, but in
    /// a property list, which is written anew.
    package mutating func change(_ changes: [[UInt8]: TypedValue?]) throws(Failure) {
        let ordered = changes.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        switch format {
        case .json:
            for (key, value) in ordered {
                var members = try JSONMembers(bytes)
                members.set(String(decoding: key, as: UTF8.self), value)
                bytes = members.bytes
            }
        case .plist:
            var all = try values()
            for (key, value) in ordered { all[key] = value }
            bytes = try PropertyList.encode(
                .dictionary(
                    ValueMembers(all.map { (String(decoding: $0.key, as: UTF8.self), $0.value) })))
        case .env, .ini:
            var lines = try SettingsLines(bytes, format)
            for (key, value) in ordered { lines.set(key, value.flatMap(Self.text)) }
            bytes = lines.bytes
        }
    }
}
