package import FilesinkiModel
import FilesinkiText

/// Values as a property list in XML, as Apple's systems keep settings.
///
/// It has no addresses and no null: an address becomes a text, and null is refused. Dates have a
/// fraction of a second only where they need one.
package enum PropertyList {
    /// The value of a property list.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid document.
    package static func decode(_ bytes: [UInt8]) throws(Failure) -> TypedValue {
        var reader = PropertyListReader(bytes)
        return try reader.document()
    }

    /// A property list of a value.
    ///
    /// - Throws: `Failure` with code `usage` for null.
    package static func encode(_ value: TypedValue) throws(Failure) -> [UInt8] {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
            "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        try append(value, to: &text, depth: 0)
        text += "</plist>\n"
        return Array(text.utf8)
    }

    private static func append(
        _ value: TypedValue, to text: inout String, depth: Int
    ) throws(Failure) {
        let indent = String(repeating: "\t", count: depth)
        switch value {
        case .null:
            throw Failure(
                .usage, "A property list cannot hold null.",
                remedy: "Use another format.")
        case .bool(let value): text += indent + (value ? "<true/>\n" : "<false/>\n")
        case .integer(let value): text += indent + "<integer>\(value)</integer>\n"
        case .double(let value): text += indent + "<real>\(value)</real>\n"
        case .date(let value): text += indent + "<date>\(date(value))</date>\n"
        case .string(let value), .url(let value):
            text += indent + "<string>" + escaped(value) + "</string>\n"
        case .data(let value): text += indent + "<data>" + Base64.encode(value) + "</data>\n"
        case .array(let values):
            text += indent + "<array>\n"
            for value in values { try append(value, to: &text, depth: depth + 1) }
            text += indent + "</array>\n"
        case .dictionary(let members):
            text += indent + "<dict>\n"
            for member in members {
                text += indent + "\t<key>" + escaped(member.name) + "</key>\n"
                try append(member.value, to: &text, depth: depth + 1)
            }
            text += indent + "</dict>\n"
        }
    }

    private static func date(_ milliseconds: Int64) -> String {
        let text = DateText.text(milliseconds)
        return milliseconds.isMultiple(of: 1_000) ? String(text.dropLast(5)) + "Z" : text
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\r": result += "&#13;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Reads the subset of XML that property lists use. Nothing outside of the file is read, and no entity
/// is defined.
struct PropertyListReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(Failure) -> TypedValue {
        var tag = try nextTag()
        if tag == "plist" { tag = try nextTag() }
        return try value(tag, depth: 0)
    }

    private mutating func value(_ tag: String, depth: Int) throws(Failure) -> TypedValue {
        guard depth <= ValueCoder.maximumDepth else { throw error("It is nested too deeply.") }
        switch tag {
        case "true/": return .bool(true)
        case "false/": return .bool(false)
        case "array/": return .array([])
        case "dict/": return .dictionary(ValueMembers([]))
        case "string/": return .string("")
        case "data/": return .data([])
        case "array":
            var values: [TypedValue] = []
            while case let next = try nextTag(), next != "/array" {
                values.append(try value(next, depth: depth + 1))
            }
            return .array(values)
        case "dict": return try dictionary(depth: depth)
        default: return try scalar(tag)
        }
    }

    private mutating func dictionary(depth: Int) throws(Failure) -> TypedValue {
        var members: [ValueMembers.Member] = []
        while case let next = try nextTag(), next != "/dict" {
            guard next == "key" || next == "key/" else { throw error("A key is missing.") }
            let name = next == "key" ? try text(upTo: "key") : ""
            let tag = try nextTag()
            members.append(
                ValueMembers.Member(name: name, value: try value(tag, depth: depth + 1)))
        }
        guard let members = ValueMembers(members) else { throw error("A key occurs twice.") }
        return .dictionary(members)
    }

    private mutating func scalar(_ tag: String) throws(Failure) -> TypedValue {
        guard ["string", "integer", "real", "date", "data"].contains(tag) else {
            throw error("<\(printable(tag.utf8))> is not a value.")
        }
        let text = try text(upTo: tag)
        let plain = String(text.filter { !$0.isWhitespace })
        let value: TypedValue? =
            switch tag {
            case "string": .string(text)
            case "integer": Int64(plain).map(TypedValue.integer)
            case "real": Double(plain).flatMap { $0.isNaN ? nil : .double($0) }
            case "date": DateText.milliseconds(plain).map { .date(milliseconds: $0) }
            default: Base64.decode(plain).map(TypedValue.data)
            }
        guard let value else { throw error("Invalid \(tag).") }
        return value
    }

    /// The next tag's name, with the slash before or behind it; comments and declarations are passed
    /// over.
    private mutating func nextTag() throws(Failure) -> String {
        while true {
            while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
            if skip("\u{FEFF}") { continue }
            guard skip("<") else { throw error("A tag is missing.") }
            if skip("!--") {
                _ = try read(upTo: "-->")
            } else if next == UInt8(ascii: "?") || next == UInt8(ascii: "!") {
                let declaration = try read(upTo: ">")
                guard !declaration.contains("[") else { throw error("It defines entities.") }
            } else {
                let tag = try read(upTo: ">")
                let name = tag.prefix { !$0.isWhitespace }
                return String(name) + (tag.hasSuffix("/") && !name.hasSuffix("/") ? "/" : "")
            }
        }
    }

    /// The text up to the end of its element.
    private mutating func text(upTo tag: String) throws(Failure) -> String {
        var result = ""
        while true {
            let part = try read(upTo: "<")
            result += try unescaped(part)
            if skip("![CDATA[") {
                result += try read(upTo: "]]>")
            } else if skip("!--") {
                _ = try read(upTo: "-->")
            } else if skip("/\(tag)>") {
                return result
            } else {
                throw error("</\(tag)> is missing.")
            }
        }
    }

    private func unescaped(_ text: String) throws(Failure) -> String {
        let known: [String: Unicode.Scalar] = [
            "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
        ]
        // By scalars: an accent behind a semicolon makes one character of both.
        var rest = text.unicodeScalars[...]
        var result = String.UnicodeScalarView()
        while let start = rest.firstIndex(of: "&") {
            let reference = rest[start...].dropFirst()
            guard let end = reference.firstIndex(of: ";") else {
                throw error("An & does not begin an entity.")
            }
            let name = String(reference[..<end])
            guard let character = known[name] ?? Self.character(name) else {
                throw error("&\(printable(name.utf8)); is not known.")
            }
            result.append(contentsOf: rest[..<start])
            result.append(character)
            rest = reference[end...].dropFirst()
        }
        result.append(contentsOf: rest)
        return String(result)
    }

    private static func character(_ name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let code =
            digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return code.flatMap(Unicode.Scalar.init)
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    private mutating func read(upTo end: String) throws(Failure) -> String {
        let start = position
        let wanted = Array(end.utf8)
        while position < bytes.count {
            if bytes[position] == wanted[0], bytes[position...].starts(with: wanted) {
                guard let text = String(validating: bytes[start..<position], as: UTF8.self) else {
                    throw error("It is not UTF-8.")
                }
                position += wanted.count
                return text
            }
            position += 1
        }
        throw error("\(end) is missing.")
    }

    private func error(_ message: String) -> Failure {
        Failure(
            .usage, "Invalid XML property list, at byte \(position): \(message)",
            remedy: "Correct it and try again; a binary one is converted by plutil or plistutil.")
    }
}
