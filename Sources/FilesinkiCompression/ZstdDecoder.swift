import CZstd
package import FilesinkiModel

/// Decompresses Zstandard frames, one or several directly after each other, as `zstd -d` does, with
/// windows of up to 128 MiB.
package struct ZstdDecoder: StreamCoder {
    private let stream: Stream

    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when there is too little memory.
    package init() throws(Failure) {
        stream = try Stream()
    }

    package mutating func process(
        _ input: UnsafeRawBufferPointer, finish: Bool,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try stream.process(input, finish: finish, output)
    }
}

extension ZstdDecoder {
    /// Owns the context.
    private final class Stream {
        private let context: OpaquePointer
        private let buffer = UnsafeMutableRawPointer.allocate(
            byteCount: streamBufferSize, alignment: 16)
        /// Whether everything so far ended with a whole frame.
        private var isWhole = false

        init() throws(Failure) {
            guard let context = ZSTD_createDCtx() else {
                buffer.deallocate()
                throw .tooMuchMemory(streamMemoryLimit)
            }
            self.context = context
            ZSTD_DCtx_setParameter(
                context, ZSTD_d_windowLogMax, ZstdDecompressor.maximumWindowLog)
        }

        deinit {
            ZSTD_freeDCtx(context)
            buffer.deallocate()
        }

        func process(
            _ input: UnsafeRawBufferPointer, finish: Bool,
            _ output: (UnsafeRawBufferPointer) throws -> Void
        ) throws {
            var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
            var mayHoldMore = false
            while source.pos < source.size || mayHoldMore {
                var target = ZSTD_outBuffer(dst: buffer, size: streamBufferSize, pos: 0)
                let rest = ZSTD_decompressStream(context, &target, &source)
                guard ZSTD_isError(rest) == 0 else { throw Self.failure(rest) }
                if target.pos > 0 {
                    try output(UnsafeRawBufferPointer(start: buffer, count: target.pos))
                }
                isWhole = rest == 0
                mayHoldMore = !isWhole && target.pos == target.size
            }
            guard isWhole || !finish else {
                throw Failure.damaged("The zstd stream is cut short.")
            }
        }

        private static func failure(_ result: Int) -> Failure {
            switch ZSTD_getErrorCode(result) {
            case ZSTD_error_frameParameter_windowTooLarge, ZSTD_error_memory_allocation:
                .tooMuchMemory(streamMemoryLimit)
            case ZSTD_error_prefix_unknown: .damaged("These bytes are not a zstd stream.")
            default: .damaged("The zstd stream is damaged.")
            }
        }
    }
}
