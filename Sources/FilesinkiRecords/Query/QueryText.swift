@_spi(_Unicode) import Swift

/// How queries compare texts. An index that stores what these functions return answers as the evaluator does.
package enum QueryText {
    /// The form in which texts are equal and ordered: in lower case and normalization form D
    /// (https://www.unicode.org/reports/tr15/).
    package static func folded(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return text.utf8.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }
        }
        return Array(String(String.UnicodeScalarView(text.lowercased()._nfd)).utf8)
    }

    /// The words of a text for a search: runs of letters and digits, in lower case, without diacritics.
    package static func tokens(_ text: String) -> [String] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return folded(text).split { kind(of: Unicode.Scalar($0)) == .other }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        var tokens: [String] = []
        var token = String.UnicodeScalarView()
        for scalar in text.lowercased()._nfd {
            switch kind(of: scalar) {
            case .mark: continue
            case .letter: token.append(scalar)
            case .other:
                if !token.isEmpty { tokens.append(String(token)) }
                token = String.UnicodeScalarView()
            }
        }
        return token.isEmpty ? tokens : tokens + [String(token)]
    }

    private enum Kind { case letter, mark, other }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        if scalar.isASCII {
            return ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) ? .letter : .other
        }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark: .mark
        case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
            .letter
        default: .other
        }
    }

    /// Whether a whole text matches a pattern of `*` and `?`; a backslash makes the next character a plain one.
    static func matches(_ text: String, pattern: String) -> Bool {
        let (text, pattern) = (Array(text.unicodeScalars), LikePattern(pattern).parts)
        var (position, part) = (0, 0)
        // After the last star: the part behind it, and where its text began.
        var retry: (part: Int, position: Int)?
        while position < text.count {
            if part < pattern.count, pattern[part] == .any {
                retry = (part + 1, position)
                part += 1
            } else if part < pattern.count, pattern[part].matches(text[position]) {
                position += 1
                part += 1
            } else if let last = retry {
                retry = (last.part, last.position + 1)
                (part, position) = (last.part, last.position + 1)
            } else {
                return false
            }
        }
        return pattern[part...].allSatisfy { $0 == .any }
    }

    /// A text in single quotes.
    static func quoted(_ text: String) -> String {
        var quoted = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'", "\\": quoted.unicodeScalars.append(contentsOf: ["\\", scalar])
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "'"
    }
}

/// A pattern of `LIKE`.
private struct LikePattern {
    enum Part: Equatable {
        case any, one
        case exactly(Unicode.Scalar)

        func matches(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .any: false
            case .one: true
            case .exactly(let expected): scalar == expected
            }
        }
    }

    var parts: [Part] = []

    init(_ pattern: String) {
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                parts.append(.exactly(scalar))
                isEscaped = false
            case "\\": isEscaped = true
            case "*": parts.append(.any)
            case "?": parts.append(.one)
            default: parts.append(.exactly(scalar))
            }
        }
        if isEscaped { parts.append(.exactly("\\")) }
    }
}
