import CLZMA
package import FilesinkiModel

/// Compresses what passes by to one .xz stream with a CRC64, as `xz` does.
package struct XZEncoder: StreamCoder {
    private let stream: LZMAStream

    /// - Parameter preset: 0 (fast) to 9 (small; takes 674 MiB of memory), as of `xz`.
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` for another preset, or too little
    ///   memory.
    package init(preset: UInt32 = 6) throws(Failure) {
        stream = try LZMAStream { (raw) in lzma_easy_encoder(raw, preset, LZMA_CHECK_CRC64) }
    }

    package mutating func process(
        _ input: UnsafeRawBufferPointer, finish: Bool,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try stream.process(input, finish: finish, output)
    }
}
