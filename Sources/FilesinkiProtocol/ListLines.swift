package import FilesinkiModel
package import FilesinkiRemote

/// The reply of ``WirePaths/list``: one line for each object, `SIZE KEY`, in key order.
package enum ListLines {
    package static func encode(_ objects: some Sequence<ObjectInfo>) -> [UInt8] {
        objects.flatMap { Array("\($0.size) \($0.key)\n".utf8) }
    }

    /// Reads the reply.
    ///
    /// - Throws: `Failure` with code `corrupt` when it is not one, also when keys are out of order.
    package static func decode(_ bytes: [UInt8]) throws(Failure) -> [ObjectInfo] {
        guard bytes.isEmpty || bytes.last == UInt8(ascii: "\n") else {
            throw WireFailure.corruptReply
        }
        var result: [ObjectInfo] = []
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .dropLast()
        {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count == 2, let size = Int64(words[0]), size >= 0,
                let key = try? ObjectKey(String(words[1])),
                result.last.map({ $0.key < key }) ?? true
            else { throw WireFailure.corruptReply }
            result.append(ObjectInfo(key: key, size: size))
        }
        return result
    }
}
