import FilesinkiModel
import FilesinkiText

/// Values as a person writes them in an argument.
struct ValueText {
    /// A reason that completes "The field 'f' at column N: …", and the byte in the text where it is.
    struct Invalid: Error {
        var offset: Int
        var reason: String
        var remedy: String
    }

    /// What `now` means, in milliseconds since 1970-01-01 00:00 UTC.
    let now: Int64

    func input(_ text: String, _ type: FieldType) throws(Invalid) -> FieldInput {
        if type.element == .asset { return try files(text, isList: type.isList) }
        guard type.isList else { return .value(try element(text, type.element, at: 0)) }
        let elements = try Self.elements(text, type.element).map { part throws(Invalid) in
            try element(part.text, type.element, at: part.offset)
        }
        do { return .value(.list(try FieldList(elements, of: type.element))) } catch {
            throw Invalid(offset: 0, reason: error.message, remedy: error.remedy)
        }
    }

    private func element(
        _ text: String, _ type: ElementType, at offset: Int
    ) throws(Invalid) -> FieldValue {
        let value: FieldValue? =
            switch type {
            case .string: .string(text)
            case .integer: Int64(text).map(FieldValue.integer)
            case .double: Double(text).flatMap { $0.isNaN ? nil : .double($0) }
            case .date: date(text).map { .date(milliseconds: $0) }
            case .data: Base64.decode(text).map(FieldValue.data)
            case .location: try location(text, at: offset)
            case .reference: try reference(text, at: offset)
            case .asset: nil
            }
        guard let value else {
            throw Invalid(
                offset: offset, reason: "'\(printable(text.utf8))' is not \(Self.name(of: type)).",
                remedy: Self.remedy(for: type))
        }
        return value
    }

    private func date(_ text: String) -> Int64? {
        if text == "now" { return now }
        return DateText.milliseconds(text)
            ?? DateText.timestamp(text).map { $0.seconds * 1_000 + $0.remainder / 1_000_000 }
    }

    private func location(_ text: String, at offset: Int) throws(Invalid) -> FieldValue? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let latitude = Double(parts[0]), let longitude = Double(parts[1])
        else { return nil }
        do { return .location(try Location(latitude: latitude, longitude: longitude)) } catch {
            throw Invalid(offset: offset, reason: error.message, remedy: error.remedy)
        }
    }

    private func reference(_ text: String, at offset: Int) throws(Invalid) -> FieldValue? {
        let isDeleting = text.hasSuffix(",delete")
        do {
            let target = try RecordName(isDeleting ? String(text.dropLast(7)) : text)
            return .reference(Reference(target, action: isDeleting ? .deleteSelf : .none))
        } catch {
            throw Invalid(offset: offset, reason: error.message, remedy: error.remedy)
        }
    }

    private func files(_ text: String, isList: Bool) throws(Invalid) -> FieldInput {
        let parts = isList ? Self.elements(text, .asset) : [(text: text, offset: 0)]
        let names = try parts.map { part throws(Invalid) in
            guard part.text.first == "@", part.text.count > 1 else {
                throw Invalid(
                    offset: part.offset,
                    reason: "'\(printable(part.text.utf8))' does not name a file.",
                    remedy: "Write @FILE, or @- for standard input.")
            }
            return String(part.text.dropFirst())
        }
        return .files(names, isList: isList)
    }

    /// The elements of a list and where each begins. A comma separates them, and a semicolon where an element
    /// has commas itself; a backslash before either, or before a backslash, makes it a part of the element.
    static func elements(_ text: String, _ type: ElementType) -> [(text: String, offset: Int)] {
        guard !text.isEmpty else { return [] }
        let separator: UInt8 =
            type == .location || type == .reference ? UInt8(ascii: ";") : UInt8(ascii: ",")
        var found: [(text: String, offset: Int)] = []
        var (element, start): ([UInt8], Int) = ([], 0)
        var isEscaped = false
        for (index, byte) in text.utf8.enumerated() {
            if isEscaped {
                if byte != separator, byte != UInt8(ascii: "\\") {
                    element.append(UInt8(ascii: "\\"))
                }
                element.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == separator {
                found.append((String(decoding: element, as: UTF8.self), start))
                (element, start) = ([], index + 1)
            } else {
                element.append(byte)
            }
        }
        if isEscaped { element.append(UInt8(ascii: "\\")) }
        return found + [(String(decoding: element, as: UTF8.self), start)]
    }

    private static func name(of type: ElementType) -> String {
        switch type {
        case .string: "a text"
        case .integer: "a whole number of 64 bits"
        case .double: "a number"
        case .date: "a date"
        case .data: "base 64"
        case .location: "a location"
        case .reference: "a record name"
        case .asset: "a file"
        }
    }

    private static func remedy(for type: ElementType) -> String {
        switch type {
        case .integer: "Write digits, e.g. -12."
        case .double: "Write a number, e.g. 2.5 or -1e9."
        case .date: "Write now, 2024-05-01T09:30:00.250Z or 2024-05-01."
        case .data: "Encode the bytes as base64(1) does."
        case .location: "Write the latitude, a comma and the longitude, e.g. 52.5,13.4."
        case .string, .reference, .asset: "Correct it and try again."
        }
    }
}
