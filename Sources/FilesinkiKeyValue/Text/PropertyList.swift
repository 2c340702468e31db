package import FilesinkiModel
import FilesinkiText

/// Values as a property list in XML, as Apple's systems keep settings.
///
/// It has no addresses and no null: an address becomes a text, and null is refused. Dates have a
/// fraction of a second only where they need one.
package enum PropertyList {
    /// The value of a property list.
    ///
    /// - Throws: `Failure` with code `usage` that says what is wrong.
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
