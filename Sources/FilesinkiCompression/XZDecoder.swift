import CLZMA
package import FilesinkiModel

/// Decompresses .xz streams, one or several directly after each other, as `xz -d` does; each must
/// carry a check.
package struct XZDecoder: StreamCoder {
    private let stream: LZMAStream

    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when there is too little memory.
    package init() throws(Failure) {
        let flags =
            LZMAConstant.tellNoCheck | LZMAConstant.tellUnsupportedCheck | LZMAConstant.concatenated
        stream = try LZMAStream { (raw) in
            lzma_stream_decoder(raw, UInt64(streamMemoryLimit), flags)
        }
    }

    package mutating func process(
        _ input: UnsafeRawBufferPointer, finish: Bool,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try stream.process(input, finish: finish, output)
    }
}
