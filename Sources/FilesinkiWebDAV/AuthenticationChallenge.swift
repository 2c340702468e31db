/// One way of authentication that a server offers in the field `WWW-Authenticate`:
/// https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
struct AuthenticationChallenge: Hashable {
    /// In lower case.
    var scheme: String
    /// By their names in lower case.
    var parameters: [String: String] = [:]

    /// Longer fields than this, in bytes, are no challenge.
    private static let maximumLength = 8192

    /// Every challenge in a field, as far as it can be read.
    static func all(_ field: String) -> [AuthenticationChallenge] {
        guard field.utf8.count <= maximumLength else { return [] }
        var reader = Reader(rest: Array(field.utf8)[...])
        var found: [AuthenticationChallenge] = []
        while let word = reader.word() {
            if reader.skip(UInt8(ascii: "=")), !found.isEmpty {
                guard let value = reader.value() else { break }
                // The first counts: a second one of a name is not for good.
                let name = word.lowercased()
                if found[found.count - 1].parameters[name] == nil {
                    found[found.count - 1].parameters[name] = value
                }
            } else {
                found.append(AuthenticationChallenge(scheme: word.lowercased()))
            }
        }
        return found
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        /// The next word, behind blanks and commas; nil at the end or at anything else.
        mutating func word() -> String? {
            rest = rest.drop { [0x20, 0x09, UInt8(ascii: ",")].contains($0) }
            return token()
        }

        /// What comes behind an equals sign: a word, or a text in quotes.
        mutating func value() -> String? {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            return rest.first == UInt8(ascii: "\"") ? quoted() : token()
        }

        mutating func skip(_ byte: UInt8) -> Bool {
            let trimmed = rest.drop { $0 == 0x20 || $0 == 0x09 }
            guard trimmed.first == byte else { return false }
            rest = trimmed.dropFirst()
            return true
        }

        private mutating func token() -> String? {
            let ends: Set<UInt8> = Set(" \t,=\"".utf8)
            let word = rest.prefix { !ends.contains($0) }
            rest = rest.dropFirst(word.count)
            return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
        }

        private mutating func quoted() -> String? {
            rest = rest.dropFirst()
            var text: [UInt8] = []
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
                if byte == UInt8(ascii: "\\") {
                    guard let next = rest.popFirst() else { return nil }
                    text.append(next)
                } else {
                    text.append(byte)
                }
            }
            return nil
        }
    }
}
