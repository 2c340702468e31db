import FilesinkiModel

/// A word of the language of predicates, in any case. A field of this name is written with `#` before it.
enum QueryWord: String, CaseIterable {
    case and = "AND", or = "OR", not = "NOT", `in` = "IN", between = "BETWEEN"
    case beginsWith = "BEGINSWITH", endsWith = "ENDSWITH", contains = "CONTAINS", like = "LIKE"
    case any = "ANY", some = "SOME", all = "ALL", now = "NOW", `self` = "SELF"
    case truePredicate = "TRUEPREDICATE", falsePredicate = "FALSEPREDICATE"
    // Words of other predicates, so that an error can name them.
    case matches = "MATCHES", none = "NONE", null = "NULL", `nil` = "NIL", `true` = "TRUE"
    case `false` = "FALSE", yes = "YES", no = "NO", subquery = "SUBQUERY", cast = "CAST"
}

/// A part of a predicate's text.
struct QueryToken: Equatable {
    enum Kind: Equatable {
        case word(QueryWord)
        /// A name that is not a word of the language, or one that was written with `#`.
        case name(String)
        case number(FieldValue)
        case string(String)
        /// One of ``QueryLexer/symbols``.
        case symbol(String)
        case end
    }

    let kind: Kind
    /// The text as it is written.
    let text: String
    /// In bytes, from 1.
    let column: Int
}

/// Splits the text of a predicate or a sort order.
struct QueryLexer {
    /// Longer ones first.
    static let symbols = [
        "&&", "||", "==", "!=", "<>", "<=", "=<", ">=", "=>", "=", "<", ">", "!", "(", ")", "{",
        "}", ",", "-",
    ]

    private let bytes: [UInt8]
    private var position = 0

    /// The tokens of a text; the last one is the end.
    ///
    /// - Throws: `Failure` with code `usage` that names the column.
    static func tokens(_ text: String, what: String) throws(Failure) -> [QueryToken] {
        var lexer = QueryLexer(bytes: Array(text.utf8), what: what)
        var tokens: [QueryToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    /// What is read, in errors: `predicate`.
    private let what: String

    private init(bytes: [UInt8], what: String) {
        self.bytes = bytes
        self.what = what
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func next() throws(Failure) -> QueryToken {
        while let byte = current, byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
        let start = position
        guard let byte = current else { return token(.end, from: start) }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return try string(byte)
        case UInt8(ascii: "#"):
            position += 1
            let name = word()
            guard !name.isEmpty else { throw error(start, "A name must follow '#'.") }
            return token(.name(name), from: start)
        case _ where Self.isLetter(byte) || byte == UInt8(ascii: "_"):
            let name = word()
            let found = QueryWord(rawValue: name.uppercased())
            return token(found.map(QueryToken.Kind.word) ?? .name(name), from: start)
        case _ where Self.isDigit(byte): return try number()
        case UInt8(ascii: "-") where bytes[(start + 1)...].first.map(Self.isDigit) ?? false:
            return try number()
        default: return try symbol()
        }
    }

    private func token(_ kind: QueryToken.Kind, from start: Int) -> QueryToken {
        QueryToken(
            kind: kind, text: String(decoding: bytes[start..<position], as: UTF8.self),
            column: start + 1)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Letters, digits, `_`, and `:`, which is in the name of a function.
    private mutating func word() -> String {
        let rest = bytes[position...]
        let word = rest.prefix {
            Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "_")
                || $0 == UInt8(ascii: ":")
        }
        position += word.count
        return String(decoding: word, as: UTF8.self)
    }

    private mutating func symbol() throws(Failure) -> QueryToken {
        let start = position
        for symbol in Self.symbols where bytes[start...].starts(with: symbol.utf8) {
            position += symbol.utf8.count
            return token(.symbol(symbol), from: start)
        }
        // The whole character, so that the message is valid text.
        let rest = String(decoding: bytes[start...], as: UTF8.self)
        let shown = printable(String(rest.prefix(1)).utf8)
        throw error(start, "Unexpected '\(shown)'.")
    }

    /// A date as people write it, where it would be a number and the rest; nil if there is none.
    private var bareDate: String? {
        let form = Array("0000-00-00".utf8)
        let found = bytes[position...].prefix(form.count)
        let fits = zip(found, form).allSatisfy { byte, wanted in
            wanted == UInt8(ascii: "-") ? byte == wanted : Self.isDigit(byte)
        }
        return found.count == form.count && fits ? String(decoding: found, as: UTF8.self) : nil
    }

    private mutating func number() throws(Failure) -> QueryToken {
        let start = position
        if let date = bareDate {
            throw QueryError.failure(
                what, start + 1, "\(date) is not a number.",
                remedy: "Write a date as date('\(date)').")
        }
        position += 1
        var last: UInt8 = 0
        while let byte = current {
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            let isExponent = last | 0x20 == UInt8(ascii: "e")
            guard
                Self.isDigit(byte) || byte == UInt8(ascii: ".") || Self.isLetter(byte)
                    || (isSign && isExponent)
            else { break }
            last = byte
            position += 1
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
        if digits.allSatisfy(Self.isDigit) {
            guard let whole = Int64(text) else {
                throw error(start, "The number \(text) does not fit into 64 bits.")
            }
            return token(.number(.integer(whole)), from: start)
        }
        let isPlain = digits.allSatisfy {
            Self.isDigit($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
        }
        guard isPlain, let number = Double(text), number.isFinite else {
            throw error(start, "'\(text)' is not a number.")
        }
        return token(.number(.double(number)), from: start)
    }

    private mutating func string(_ quote: UInt8) throws(Failure) -> QueryToken {
        let start = position
        var content: [UInt8] = []
        position += 1
        while let byte = current, byte != quote {
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                continue
            }
            guard let escaped = current else { break }
            position += 1
            switch escaped {
            case UInt8(ascii: "n"): content.append(0x0A)
            case UInt8(ascii: "r"): content.append(0x0D)
            case UInt8(ascii: "t"): content.append(0x09)
            case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): content.append(escaped)
            default: throw error(position - 2, "Unknown escape in a text.")
            }
        }
        guard current == quote else { throw error(start, "The text does not end.") }
        position += 1
        return token(.string(String(decoding: content, as: UTF8.self)), from: start)
    }

    private func error(_ position: Int, _ message: String) -> Failure {
        QueryError.failure(what, position + 1, message)
    }
}

/// The errors of predicates and sort orders.
enum QueryError {
    static func failure(
        _ what: String, _ column: Int, _ message: String,
        remedy: String = "Correct it; filesinki help predicates lists the forms."
    ) -> Failure {
        Failure(.usage, "Invalid \(what), column \(column): \(message)", remedy: remedy)
    }
}
