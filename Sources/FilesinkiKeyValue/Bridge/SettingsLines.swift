/// The lines of a `.env` or an INI file. A name in an INI section is `section.name`.
struct SettingsLines {
    struct Setting {
        var key: [UInt8]
        var value: String
        fileprivate var line: Int
        /// What stands before the value on the line.
        fileprivate var head: String
    }

    private let isINI: Bool
    private var lines: [String]
    private(set) var settings: [Setting] = []
    /// By section, the number of its last line that holds anything.
    private var sectionEnds: [String: Int] = [:]

    init(_ bytes: [UInt8], _ format: SettingsFile.Format) {
        isINI = format == .ini
        var text = String(decoding: bytes, as: UTF8.self)
        if text.hasSuffix("\n") { text.removeLast() }
        lines =
            text.isEmpty
            ? [] : text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
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
        guard let cut = line.firstIndex(of: "=") else { return nil }
        var name = Self.trimmed(line[..<cut])
        if !isINI, name.hasPrefix("export ") { name = Self.trimmed(name.dropFirst(7)) }
        guard !name.isEmpty else { return nil }
        let rest = line[line.index(after: cut)...]
        let space = rest.prefix { $0 == " " || $0 == "\t" }
        let key = section.isEmpty ? String(name) : section + "." + name
        return Setting(
            key: Array(key.utf8), value: isINI ? String(Self.trimmed(rest)) : Self.unquoted(rest),
            line: number, head: String(line[...cut]) + space)
    }

    /// Sets or removes one name.
    mutating func set(_ key: [UInt8], _ value: String?) {
        let found = settings.first { $0.key == key }
        switch (found, value) {
        case (let setting?, let value?):
            lines[setting.line] = setting.head + (isINI ? value : Self.quoted(value))
        case (let setting?, nil): lines.remove(at: setting.line)
        case (nil, let value?): append(String(decoding: key, as: UTF8.self), value)
        case (nil, nil): break
        }
        read()
    }

    private mutating func append(_ key: String, _ value: String) {
        guard isINI else { return lines.append(key + "=" + Self.quoted(value)) }
        guard let cut = key.lastIndex(of: ".") else {
            // Names without a section stand before the first one.
            return lines.insert(key + " = " + value, at: sectionEnds[""].map { $0 + 1 } ?? 0)
        }
        let section = String(key[..<cut])
        let line = key[key.index(after: cut)...] + " = " + value
        if let end = sectionEnds[section] {
            lines.insert(line, at: end + 1)
        } else {
            lines += ["[\(section)]", line]
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
        var result = ""
        var isEscaped = false
        for character in text.dropFirst() {
            if isEscaped {
                result.append(character == "n" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                break
            } else {
                result.append(character)
            }
        }
        return result
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || "0123456789_-./:@%+,".unicodeScalars.contains(scalar)
        }
        guard !isPlain else { return value }
        var result = "\""
        for character in value {
            switch character {
            case "\n": result += "\\n"
            case "\"", "\\", "$", "`": result += "\\" + String(character)
            default: result.append(character)
            }
        }
        return result + "\""
    }
}
