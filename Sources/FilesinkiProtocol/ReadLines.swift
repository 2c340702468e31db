package import FilesinkiModel
package import FilesinkiRemote

/// The question of ``WirePaths/read``: one line for each object,
/// `KEY[ START-END][ sha256=HEX]`, where the END is exclusive.
package enum ReadLines {
    package static func encode(_ requests: some Sequence<ObjectRequest>) -> [UInt8] {
        var text: [UInt8] = []
        for request in requests {
            text += line(request).utf8
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }

    /// The line of one request, without its end.
    package static func line(_ request: ObjectRequest) -> String {
        var line = request.key.description
        if let range = request.range { line += " \(range.lowerBound)-\(range.upperBound)" }
        if let known = request.known { line += " sha256=\(hexadecimal(known))" }
        return line
    }

    /// Reads the question.
    ///
    /// - Throws: `Failure`: `bad-path` for a key that is none, `usage` for anything else that is wrong,
    ///   `limit` for more than ``WireLimits`` allows.
    package static func decode(_ bytes: [UInt8]) throws(Failure) -> [ObjectRequest] {
        try lines(of: bytes).map { line throws(Failure) in try request(line) }
    }

    private static func request(_ line: Substring) throws(Failure) -> ObjectRequest {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard let key = words.first else { throw malformed(line) }
        var request = ObjectRequest(try ObjectKey(String(key)))
        var rest = words.dropFirst()
        if let word = rest.first, !word.hasPrefix("sha256=") {
            request.range = try range(word, line)
            rest = rest.dropFirst()
        }
        if let word = rest.popFirst() {
            guard word.hasPrefix("sha256="),
                let known = FilesinkiModel.bytes(hexadecimal: word.dropFirst(7)), known.count == 32
            else { throw malformed(line) }
            request.known = known
        }
        guard rest.isEmpty else { throw malformed(line) }
        return request
    }

    private static func range(
        _ word: Substring, _ line: Substring
    ) throws(Failure) -> Range<Int64> {
        let ends = word.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let start = number(ends[0]), let end = number(ends[1]), start <= end
        else { throw malformed(line) }
        return start..<end
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text) : nil
    }
}
