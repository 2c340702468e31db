import FilesinkiModel

/// A small text of `key = value` lines between a fixed first line and the SHA-256 of all lines before
/// the last.
///
/// ```
/// filesinki store
/// format = 1
/// sha256 = (64 digits: of all bytes before this line)
/// ```
package struct ChecksummedText: Hashable, Sendable {
    /// The maximum length, in bytes.
    package static let maximumLength = 65536

    /// The value of each key.
    package let values: [String: String]

    /// Encodes a text.
    ///
    /// - Parameter pairs: Keys and values. Control characters in values are left out.
    package static func encode(title: String, _ pairs: [(key: String, value: String)]) -> [UInt8] {
        let lines = pairs.map { "\($0.key) = \(oneLine($0.value))\n" }
        let body = Array((title + "\n" + lines.joined()).utf8)
        return body + Array("sha256 = \(ContentHasher.hash(body))\n".utf8)
    }

    private static func oneLine(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 })
    }

    /// Decodes a text; nil when it is too long, or its title, its checksum or a line is invalid. A key must not
    /// occur twice.
    package init?(decoding bytes: [UInt8], title: String) {
        guard bytes.count <= Self.maximumLength, let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 3, lines[0] == title, lines[lines.count - 1].isEmpty else {
            return nil
        }
        let last = lines[lines.count - 2]
        let body = bytes.dropLast(last.utf8.count + 1)
        guard last == "sha256 = \(ContentHasher.hash(Array(body)))" else { return nil }
        var values: [String: String] = [:]
        for line in lines[1..<(lines.count - 2)] {
            guard let (key, value) = Self.pair(line), values.updateValue(value, forKey: key) == nil
            else { return nil }
        }
        self.values = values
    }

    private static func pair(_ line: Substring) -> (key: String, value: String)? {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, words[1] == "=" else { return nil }
        return (String(words[0]), String(words[2]))
    }
}
