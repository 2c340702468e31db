package import FilesinkiModel
import FilesinkiText

/// A settings file of a program: names and values. A change leaves the rest as it is written.
package struct SettingsFile: Sendable {
    /// The format of a settings file.
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

    /// - Parameter bytes: The file's content; empty for a missing file.
    package init(_ bytes: [UInt8], _ format: Format) {
        self.bytes = bytes
        self.format = format
    }

    /// The values of the file by their names.
    ///
    /// - Throws: `Failure` with code `usage` when it is not in its format.
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

    /// The value as the format can hold it: what ``values()`` returns after it was written; nil when the
    /// format cannot hold it under that name.
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

    /// Whether a line with this name and value is read back as just that: a name or value of the store must
    /// not add other lines to a program's settings.
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

    /// Changes some values; nil removes one. The rest stays as it is written, except in a property list,
    /// which is rewritten.
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

/// The lines of a `.env` or an INI file. A name in an INI section is `section.name`.
struct SettingsLines {
    struct Setting {
        var key: [UInt8]
        var value: String
        fileprivate var line: Int
        /// The text before the value on the line.
        fileprivate var head: String
    }

    private let isINI: Bool
    /// The lines, with the carriage return that some files have at their ends.
    private var lines: [String]
    private(set) var settings: [Setting] = []
    /// By section, the number of its last line that is not blank.
    private var sectionEnds: [String: Int] = [:]

    /// - Throws: `Failure` with code `usage` for invalid UTF-8.
    init(_ bytes: [UInt8], _ format: SettingsFile.Format) throws(Failure) {
        isINI = format == .ini
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Failure(
                .usage, "The settings file is not UTF-8.",
                remedy: "Convert it, for example with iconv.")
        }
        let text = bytes.last == 10 ? bytes.dropLast() : bytes[...]
        lines =
            bytes.isEmpty
            ? []
            : text.split(separator: 10, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        read()
    }

    var bytes: [UInt8] { lines.isEmpty ? [] : Array((lines.joined(separator: "\n") + "\n").utf8) }

    private mutating func read() {
        settings = []
        sectionEnds = [:]
        var section = ""
        for (number, line) in lines.enumerated() {
            let content = Self.trimmed(line[...])
            guard let first = content.first, first != "#", first != ";" else { continue }
            if isINI, first == "[", content.last == "]" {
                section = String(content.dropFirst().dropLast())
            } else if let setting = setting(line, number, section) {
                settings.removeAll { $0.key == setting.key }
                settings.append(setting)
            }
            sectionEnds[section] = number
        }
    }

    private func setting(_ line: String, _ number: Int, _ section: String) -> Setting? {
        // By scalars: an accent behind it makes one character of both.
        let scalars = line.unicodeScalars
        guard let cut = scalars.firstIndex(of: "=") else { return nil }
        var name = Self.trimmed(line[..<cut])
        if !isINI, name.hasPrefix("export ") { name = Self.trimmed(name.dropFirst(7)) }
        guard !name.isEmpty else { return nil }
        let rest = line[scalars.index(after: cut)...]
        let space = rest.prefix { $0 == " " || $0 == "\t" }
        let key = section.isEmpty ? String(name) : section + "." + name
        return Setting(
            key: Array(key.utf8), value: isINI ? String(Self.trimmed(rest)) : Self.unquoted(rest),
            line: number, head: String(line[..<rest.startIndex]) + space)
    }

    /// Sets or removes one name.
    mutating func set(_ key: [UInt8], _ value: String?) {
        let found = settings.first { $0.key == key }
        switch (found, value) {
        case (let setting?, let value?):
            let end = lines[setting.line].hasSuffix("\r") ? "\r" : ""
            lines[setting.line] = setting.head + (isINI ? value : Self.quoted(value)) + end
        case (let setting?, nil): lines.remove(at: setting.line)
        case (nil, let value?): append(String(decoding: key, as: UTF8.self), value)
        case (nil, nil): break
        }
        read()
    }

    private mutating func append(_ key: String, _ value: String) {
        let end = lines.first?.hasSuffix("\r") == true ? "\r" : ""
        guard isINI else { return lines.append(key + "=" + Self.quoted(value) + end) }
        guard let cut = key.lastIndex(of: ".") else {
            // Names without a section stand before the first one.
            return lines.insert(
                key + " = " + value + end, at: sectionEnds[""].map { $0 + 1 } ?? 0)
        }
        let section = String(key[..<cut])
        let line = key[key.index(after: cut)...] + " = " + value + end
        if let last = sectionEnds[section] {
            lines.insert(line, at: last + 1)
        } else {
            lines += ["[\(section)]" + end, line]
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text.drop { $0.isWhitespace }
    }

    /// The value of a `.env` line: in single quotes as it is, in double quotes with escapes, else up
    /// to a comment.
    private static func unquoted(_ rest: Substring) -> String {
        let text = trimmed(rest)
        if text.first == "'", let end = text.dropFirst().firstIndex(of: "'") {
            return String(text[text.index(after: text.startIndex)..<end])
        }
        guard text.first == "\"" else {
            let comment = text.firstRange(of: " #")?.lowerBound ?? text.endIndex
            return String(trimmed(text[..<comment]))
        }
        return unescaped(text.unicodeScalars.dropFirst())
    }

    /// The text before the closing quote. By scalars, as a combining accent forms one character with the
    /// quote before it.
    private static func unescaped(_ text: Substring.UnicodeScalarView) -> String {
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text {
            if isEscaped {
                result.append(scalar == "n" ? "\n" : scalar == "r" ? "\r" : scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                break
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || "0123456789_-./:@%+,".unicodeScalars.contains(scalar)
        }
        guard !isPlain else { return value }
        var result = "\"".unicodeScalars
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\r": result.append(contentsOf: "\\r".unicodeScalars)
            case "\"", "\\", "$", "`": result.append(contentsOf: ["\\", scalar])
            default: result.append(scalar)
            }
        }
        result.append("\"")
        return String(result)
    }
}

/// The members of a JSON object with their ranges in the text, so that one can be changed and the
/// others stay as they are written.
struct JSONMembers {
    struct Member {
        var name: String
        var value: TypedValue
        /// From the name's quote to the end of the value.
        var whole: Range<Int>
        var content: Range<Int>
    }

    private(set) var bytes: [UInt8]
    private(set) var members: [Member]

    /// - Throws: `Failure` with code `usage` for anything but an object; an empty text is an empty object.
    init(_ bytes: [UInt8]) throws(Failure) {
        let isEmpty = bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        self.bytes = isEmpty ? Array("{}\n".utf8) : bytes
        members = try JSONReader(form: .plain).members(self.bytes)
    }

    /// Sets or removes one member.
    mutating func set(_ name: String, _ value: TypedValue?) {
        let index = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        switch (index, value) {
        case (let index?, let value?):
            bytes.replaceSubrange(members[index].content, with: JSONText.encode(value))
        case (let index?, nil): remove(index)
        case (nil, let value?): append(name, value)
        case (nil, nil): break
        }
    }

    private mutating func remove(_ index: Int) {
        if index + 1 < members.count {
            bytes.removeSubrange(
                members[index].whole.lowerBound..<members[index + 1].whole.lowerBound)
        } else if index > 0 {
            bytes.removeSubrange(
                members[index - 1].whole.upperBound..<members[index].whole.upperBound)
        } else {
            bytes.removeSubrange(members[index].whole)
        }
    }

    private mutating func append(_ name: String, _ value: TypedValue) {
        var text: [UInt8] = []
        JSONString.append(name, to: &text)
        text += Array(": ".utf8) + JSONText.encode(value)
        guard let last = members.last else {
            let place = (bytes.firstIndex(of: UInt8(ascii: "{")) ?? 0) + 1
            bytes.insert(contentsOf: Array("\n  ".utf8) + text, at: place)
            if bytes[place + 3 + text.count] == UInt8(ascii: "}") {
                bytes.insert(UInt8(ascii: "\n"), at: place + 3 + text.count)
            }
            return
        }
        // The space before the last name is the file's own indentation.
        var start = last.whole.lowerBound
        while start > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[start - 1]) { start -= 1 }
        let space = Array(bytes[start..<last.whole.lowerBound])
        bytes.insert(
            contentsOf: [UInt8(ascii: ",")] + space + text, at: last.whole.upperBound)
    }
}
