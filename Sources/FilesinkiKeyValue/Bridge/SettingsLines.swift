internal import FilesinkiModel

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
    /// With the carriage return that stands at the end in some files.
    private var lines: [String]
    private(set) var settings: [Setting] = []
    /// By section, the number of its last line that holds anything.
    private var sectionEnds: [String: Int] = [:]

    /// - Throws: `Failure` with code `usage` for what is no UTF-8.
    init(_ bytes: [UInt8], _ format: SettingsFile.Format) throws(Failure) {
        isINI = format == .ini
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Failure(
                .usage, "The settings file is not UTF-8.", remedy: "Convert it, with iconv say.")
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

    /// What stands before the closing quote. By scalars, as an accent makes one character of itself and
    /// the quote before it.
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
