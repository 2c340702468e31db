import FilesinkiModel

/// The lines of a question, held to the limits.
func lines(of bytes: [UInt8]) throws(Failure) -> [Substring] {
    guard bytes.count <= WireLimits.batchBytes else { throw tooMuch }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw malformed("") }
    if text.isEmpty { return [] }
    guard text.utf8.last == UInt8(ascii: "\n") else { throw malformed("") }
    let lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count <= WireLimits.batchLines else { throw tooMuch }
    return lines
}

/// A line that is none of a question.
func malformed(_ line: Substring) -> Failure {
    Failure(
        .usage, path: String(line.prefix(100)), "A line of the question is malformed.",
        remedy: "See Docs/Protocol.md for how objects are asked for.")
}

private var tooMuch: Failure {
    Failure(
        .limit, "The question is too long.",
        remedy:
            "Ask for \(WireLimits.batchLines) objects in \(WireLimits.batchBytes) bytes at most.")
}
