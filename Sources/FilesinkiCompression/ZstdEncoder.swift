import CZstd
package import FilesinkiModel

/// Compresses what passes by to one Zstandard frame with a checksum, as `zstd` does.
package struct ZstdEncoder: StreamCoder {
    private let stream: Stream

    /// - Parameter level: 1 (fast) to 19 (small).
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when there is too little memory.
    package init(level: Int32 = 3) throws(Failure) {
        stream = try Stream(level: level)
    }

    package mutating func process(
        _ input: UnsafeRawBufferPointer, finish: Bool,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try stream.process(input, finish: finish, output)
    }
}

extension ZstdEncoder {
    /// Owns the context.
    private final class Stream {
        private let context: OpaquePointer
        private let buffer = UnsafeMutableRawPointer.allocate(
            byteCount: streamBufferSize, alignment: 16)

        init(level: Int32) throws(Failure) {
            guard let context = ZSTD_createCCtx() else {
                buffer.deallocate()
                throw .compressorRefused("there is not enough memory")
            }
            self.context = context
            ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
            ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        }

        deinit {
            ZSTD_freeCCtx(context)
            buffer.deallocate()
        }

        func process(
            _ input: UnsafeRawBufferPointer, finish: Bool,
            _ output: (UnsafeRawBufferPointer) throws -> Void
        ) throws {
            var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
            var isDone = false
            while !isDone {
                var target = ZSTD_outBuffer(dst: buffer, size: streamBufferSize, pos: 0)
                let rest = ZSTD_compressStream2(
                    context, &target, &source, finish ? ZSTD_e_end : ZSTD_e_continue)
                guard ZSTD_isError(rest) == 0 else {
                    throw Failure.compressorRefused(String(cString: ZSTD_getErrorName(rest)))
                }
                if target.pos > 0 {
                    try output(UnsafeRawBufferPointer(start: buffer, count: target.pos))
                }
                isDone = finish ? rest == 0 : source.pos == source.size
            }
        }
    }
}
