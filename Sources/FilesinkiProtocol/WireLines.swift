package import FilesinkiModel
package import FilesinkiRemote

/// The request of ``WirePaths/read``: one line for each object, `KEY[ START-END][ sha256=HEX]`, where
/// END is exclusive.
package enum ReadLines {
    package static func encode(_ requests: some Sequence<ObjectRequest>) -> [UInt8] {
        var text: [UInt8] = []
        for request in requests {
            text += line(request).utf8
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }

    /// The line of one request, without its newline.
    package static func line(_ request: ObjectRequest) -> String {
        var line = request.key.description
        if let range = request.range { line += " \(range.lowerBound)-\(range.upperBound)" }
        if let known = request.known { line += " sha256=\(hexadecimal(known))" }
        return line
    }

    /// Parses the request.
    ///
    /// - Throws: `Failure`: `bad-path` for an invalid key, `usage` for any other error, `limit` for more
    ///   than ``WireLimits`` allows.
    package static func decode(_ bytes: [UInt8]) throws(Failure) -> [ObjectRequest] {
        try lines(of: bytes).map { line throws(Failure) in try request(line) }
    }

    private static func request(_ line: Substring) throws(Failure) -> ObjectRequest {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard let key = words.first else { throw malformedLine(line) }
        var request = ObjectRequest(try ObjectKey(String(key)))
        var rest = words.dropFirst()
        if let word = rest.first, !word.hasPrefix("sha256=") {
            request.range = try range(word, line)
            rest = rest.dropFirst()
        }
        if let word = rest.popFirst() {
            guard word.hasPrefix("sha256="),
                let known = FilesinkiModel.bytes(hexadecimal: word.dropFirst(7)), known.count == 32
            else { throw malformedLine(line) }
            request.known = known
        }
        guard rest.isEmpty else { throw malformedLine(line) }
        return request
    }

    private static func range(
        _ word: Substring, _ line: Substring
    ) throws(Failure) -> Range<Int64> {
        let ends = word.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let start = number(ends[0]), let end = number(ends[1]), start <= end
        else { throw malformedLine(line) }
        return start..<end
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text) : nil
    }
}

/// The request and the reply of ``WirePaths/has``: one key on each line, then `1` or `0` for each.
package enum KeyLines {
    /// Parses the request; throws as ``ReadLines/decode(_:)`` does.
    package static func decode(_ bytes: [UInt8]) throws(Failure) -> [ObjectKey] {
        try lines(of: bytes).map { line throws(Failure) in try ObjectKey(String(line)) }
    }

    package static func encode(answers: some Sequence<Bool>) -> [UInt8] {
        answers.flatMap { [UInt8(ascii: $0 ? "1" : "0"), UInt8(ascii: "\n")] }
    }
}

/// The reply of ``WirePaths/list``: one line for each object, `SIZE KEY`, in key order.
package enum ListLines {
    package static func encode(_ objects: some Sequence<ObjectInfo>) -> [UInt8] {
        objects.flatMap { Array("\($0.size) \($0.key)\n".utf8) }
    }

    /// Parses the reply.
    ///
    /// - Throws: `Failure` with code `corrupt` when it is malformed or its keys are out of order.
    package static func decode(_ bytes: [UInt8]) throws(Failure) -> [ObjectInfo] {
        guard bytes.isEmpty || bytes.last == UInt8(ascii: "\n") else {
            throw WireFailure.malformedReply
        }
        var result: [ObjectInfo] = []
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .dropLast()
        {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count == 2, let size = Int64(words[0]), size >= 0,
                let key = try? ObjectKey(String(words[1])),
                result.last.map({ $0.key < key }) ?? true
            else { throw WireFailure.malformedReply }
            result.append(ObjectInfo(key: key, size: size))
        }
        return result
    }
}

/// The lines of a request, within ``WireLimits``.
private func lines(of bytes: [UInt8]) throws(Failure) -> [Substring] {
    guard bytes.count <= WireLimits.batchBytes else { throw requestTooLong }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw malformedLine("") }
    if text.isEmpty { return [] }
    guard text.utf8.last == UInt8(ascii: "\n") else { throw malformedLine("") }
    let lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count <= WireLimits.batchLines else { throw requestTooLong }
    return lines
}

private func malformedLine(_ line: Substring) -> Failure {
    Failure(
        .usage, path: String(line.prefix(100)), "Malformed line in the request.",
        remedy: "See Docs/Protocol.md for the format of batch requests.")
}

private var requestTooLong: Failure {
    Failure(
        .limit, "The request is too long.",
        remedy:
            "Request at most \(WireLimits.batchLines) objects in \(WireLimits.batchBytes) bytes.")
}
