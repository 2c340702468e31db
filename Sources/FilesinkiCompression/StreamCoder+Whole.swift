import FilesinkiModel

extension StreamCoder {
    /// What becomes of bytes that are all in memory. The result is the same as of bytes that come piece by
    /// piece.
    ///
    /// - Parameter limit: The most bytes that may come out.
    /// - Throws: As ``process(_:finish:_:)``; code `limit` when more would come out.
    package mutating func processWhole(
        _ bytes: UnsafeRawBufferPointer, limit: Int = .max
    ) throws -> [UInt8] {
        var result: [UInt8] = []
        func take(_ piece: UnsafeRawBufferPointer) throws(Failure) {
            guard piece.count <= limit - result.count else {
                throw Failure(
                    .limit, "The decompressed bytes are more than \(limit).",
                    remedy: "Decompress them with filesinki decompress, into a file.")
            }
            result.append(contentsOf: piece)
        }
        try process(bytes, finish: false, take)
        // All of it at once would let zstd choose by the length, which is not known of a stream.
        try process(UnsafeRawBufferPointer(start: nil, count: 0), finish: true, take)
        return result
    }

    /// What becomes of an array.
    package mutating func processWhole(_ bytes: [UInt8], limit: Int = .max) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try processWhole($0, limit: limit) }
    }
}
