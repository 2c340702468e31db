package import FilesinkiModel
package import FilesinkiRemote

/// The question and the reply of ``WirePaths/has``: one key on each line, then `1` or `0` for each.
package enum KeyLines {
    package static func encode(_ keys: some Sequence<ObjectKey>) -> [UInt8] {
        keys.flatMap { Array($0.description.utf8) + [UInt8(ascii: "\n")] }
    }

    /// Reads the question; throws as ``ReadLines/decode(_:)`` does.
    package static func decode(_ bytes: [UInt8]) throws(Failure) -> [ObjectKey] {
        try lines(of: bytes).map { line throws(Failure) in try ObjectKey(String(line)) }
    }

    package static func encode(answers: some Sequence<Bool>) -> [UInt8] {
        answers.flatMap { [UInt8(ascii: $0 ? "1" : "0"), UInt8(ascii: "\n")] }
    }

    /// Reads the reply to a question for `count` keys.
    ///
    /// - Throws: `Failure` with code `corrupt` when it is not one.
    package static func decode(answers bytes: [UInt8], count: Int) throws(Failure) -> [Bool] {
        let answers = bytes.split(separator: UInt8(ascii: "\n"))
        guard answers.count == count, bytes.count == 2 * count,
            answers.allSatisfy({ $0 == [UInt8(ascii: "1")] || $0 == [UInt8(ascii: "0")] })
        else { throw WireFailure.corruptReply }
        return answers.map { $0 == [UInt8(ascii: "1")] }
    }
}
