import CZstd
package import FilesinkiModel

/// Compresses bytes to Zstandard frames with a reused context, which makes a frame of 1 KB three
/// times as fast. Must not be used by several threads at once.
package final class ZstdCompressor {
    private let context: OpaquePointer?
    private let level: Int32
    private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// - Parameter level: 1 (fast) to 19 (small); zstd clamps other values.
    package init(level: Int32) {
        self.level = level
        context = ZSTD_createCCtx()
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
    }

    deinit {
        ZSTD_freeCCtx(context)
        scratch.deallocate()
    }

    /// Compresses to one frame with its plain length and without a checksum; stored bytes are
    /// verified by their SHA-256.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when there is not enough memory.
    package func compress(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> [UInt8] {
        guard let context else { throw .compressorRefused("there is not enough memory") }
        let bound = ZSTD_compressBound(bytes.count)
        if scratch.count < bound {
            scratch.deallocate()
            scratch = .allocate(byteCount: bound, alignment: 16)
        }
        let count = ZSTD_compress2(
            context, scratch.baseAddress, scratch.count, bytes.baseAddress, bytes.count)
        guard ZSTD_isError(count) == 0 else {
            throw .compressorRefused(String(cString: ZSTD_getErrorName(count)))
        }
        return Array(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
    }

    /// Compresses an array to one frame.
    package func compress(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
            try compress(UnsafeRawBufferPointer(buffer))
        }
    }
}

/// Decompresses Zstandard frames with a reused context. Must not be used by several threads at
/// once.
package final class ZstdDecompressor {
    /// The maximum window of a stream, as a power of two: 2^27 bytes (128 MiB), zstd's limit for
    /// untrusted frames.
    static let maximumWindowLog: Int32 = 27

    private static let frameMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    private let context: OpaquePointer?

    package init() {
        context = ZSTD_createDCtx()
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.maximumWindowLog)
    }

    deinit { ZSTD_freeDCtx(context) }

    /// Decodes exactly one frame.
    ///
    /// The bytes are decoded in one step into a buffer of `plainLength`, which serves as the
    /// window, so the frame's header cannot demand more memory.
    ///
    /// - Parameter plainLength: The exact plain length. The caller must limit it.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the bytes are not exactly
    ///   one frame that declares and contains that length.
    package func decompress(
        _ bytes: UnsafeRawBufferPointer, plainLength: Int
    ) throws(Failure) -> [UInt8] {
        guard let context else { throw .tooMuchMemory(1 << Self.maximumWindowLog) }
        guard plainLength >= 0, bytes.starts(with: Self.frameMagic) else {
            throw .damaged("These bytes are not a zstd frame.")
        }
        guard ZSTD_findFrameCompressedSize(bytes.baseAddress, bytes.count) == bytes.count else {
            throw .damaged("The zstd frame is cut short, damaged or followed by something else.")
        }
        let declared = ZSTD_getFrameContentSize(bytes.baseAddress, bytes.count)
        guard declared == UInt64(plainLength) else {
            throw .damaged("The zstd frame does not hold \(plainLength) bytes.")
        }
        var result = 0
        let plain = [UInt8](unsafeUninitializedCapacity: plainLength) { buffer, count in
            result = ZSTD_decompressDCtx(
                context, buffer.baseAddress, plainLength, bytes.baseAddress, bytes.count)
            count = ZSTD_isError(result) == 0 ? result : 0
        }
        guard result == plainLength, plain.count == plainLength else {
            throw .damaged("The zstd frame is damaged.")
        }
        return plain
    }

    /// Decodes an array.
    package func decompress(_ bytes: [UInt8], plainLength: Int) throws(Failure) -> [UInt8] {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
            try decompress(UnsafeRawBufferPointer(buffer), plainLength: plainLength)
        }
    }
}

/// Compresses to one Zstandard frame with a checksum, as `zstd` does.
package struct ZstdEncoder: StreamCoder {
    private let stream: Stream

    /// - Parameter level: 1 (fast) to 19 (small).
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when there is not enough memory.
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

/// Decompresses one or several concatenated Zstandard frames, as `zstd -d` does, with windows of up
/// to 128 MiB.
package struct ZstdDecoder: StreamCoder {
    private let stream: Stream

    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when there is not enough memory.
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
        /// Whether the input so far ends with a complete frame.
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
