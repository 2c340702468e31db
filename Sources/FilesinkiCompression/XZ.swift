import CLZMA
package import FilesinkiModel

/// Encodes and decodes .xz streams in memory.
package enum XZ {
    /// The memory limit of decoding, without the plain bytes: 64 MiB.
    package static let memoryLimit = 64 << 20

    /// Half of ``memoryLimit``, so that every encoded stream can be decoded.
    private static let largestDictionary: UInt32 = 32 << 20
    private static let smallestDictionary: UInt32 = 4096

    /// One .xz stream with a CRC64 and a dictionary no larger than the input: an encoder for a few
    /// bytes would otherwise allocate up to 95 MB at preset 6.
    ///
    /// - Parameter preset: 0 (fast) to 9 (small), as of `xz`.
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when the library fails.
    package static func compress(
        _ bytes: UnsafeRawBufferPointer, preset: UInt32
    ) throws(Failure) -> [UInt8] {
        var options = lzma_options_lzma()
        guard lzma_lzma_preset(&options, preset) == 0 else {
            throw .compressorRefused("invalid preset \(preset)")
        }
        let wanted = min(options.dict_size, UInt32(clamping: bytes.count))
        options.dict_size = max(smallestDictionary, min(wanted, largestDictionary))
        let bound = lzma_stream_buffer_bound(bytes.count)
        var result = LZMA_OK
        let stream = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            result = withUnsafeMutablePointer(to: &options) { options in
                var filters = [
                    lzma_filter(id: LZMAConstant.lzma2, options: options),
                    lzma_filter(id: LZMAConstant.endOfFilters, options: nil),
                ]
                return lzma_stream_buffer_encode(
                    &filters, LZMA_CHECK_CRC64, nil,
                    bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count,
                    buffer.baseAddress, &count, bound)
            }
            if result != LZMA_OK { count = 0 }
        }
        guard result == LZMA_OK else {
            throw .compressorRefused("liblzma answered \(result.rawValue)")
        }
        return stream
    }

    /// Decodes exactly one stream with a check.
    ///
    /// - Parameters:
    ///   - plainLength: The exact plain length. The caller must limit it.
    ///   - memoryLimit: The maximum memory of the decoder itself, in bytes.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the bytes are not one
    ///   complete, valid stream of that length, `limit` when its dictionary is too large.
    package static func decompress(
        _ bytes: UnsafeRawBufferPointer, plainLength: Int, memoryLimit: Int = XZ.memoryLimit
    ) throws(Failure) -> [UInt8] {
        guard plainLength >= 0 else { throw .damaged("A length cannot be negative.") }
        var limit = UInt64(clamping: memoryLimit)
        var used = 0
        var result = LZMA_OK
        let plain = [UInt8](unsafeUninitializedCapacity: plainLength) { buffer, count in
            result = lzma_stream_buffer_decode(
                &limit, LZMAConstant.tellNoCheck | LZMAConstant.tellUnsupportedCheck, nil,
                bytes.bindMemory(to: UInt8.self).baseAddress, &used, bytes.count,
                buffer.baseAddress, &count, plainLength)
            if result != LZMA_OK { count = 0 }
        }
        if let failure = LZMAConstant.failure(result, memoryLimit: memoryLimit) { throw failure }
        guard used == bytes.count, plain.count == plainLength else {
            throw .damaged("The xz stream does not hold exactly \(plainLength) bytes.")
        }
        return plain
    }
}

/// Compresses to one .xz stream with a CRC64, as `xz` does.
package struct XZEncoder: StreamCoder {
    private let stream: LZMAStream

    /// - Parameter preset: 0 (fast) to 9 (small; takes 674 MiB of memory), as of `xz`.
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` for an invalid preset or not enough
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

/// Decompresses one or several concatenated .xz streams, as `xz -d` does. Each must have a check.
package struct XZDecoder: StreamCoder {
    private let stream: LZMAStream

    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when there is not enough memory.
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

/// Owns a liblzma stream. Encoder and decoder differ only in its setup.
final class LZMAStream {
    private let stream: UnsafeMutablePointer<lzma_stream>
    private let buffer: UnsafeMutablePointer<UInt8>
    private var isAtEnd = false

    init(_ setUp: (UnsafeMutablePointer<lzma_stream>) -> lzma_ret) throws(Failure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: lzma_stream())
        buffer = .allocate(capacity: streamBufferSize)
        let result = setUp(stream)
        guard result == LZMA_OK else {
            throw .compressorRefused("liblzma answered \(result.rawValue)")
        }
    }

    deinit {
        lzma_end(stream)
        stream.deallocate()
        buffer.deallocate()
    }

    func process(
        _ input: UnsafeRawBufferPointer, finish: Bool,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        stream.pointee.next_in = input.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_in = input.count
        defer { stream.pointee.next_in = nil }
        let action = finish ? LZMA_FINISH : LZMA_RUN
        while !isAtEnd, finish || stream.pointee.avail_in > 0 {
            stream.pointee.next_out = buffer
            stream.pointee.avail_out = streamBufferSize
            let result = lzma_code(stream, action)
            let count = streamBufferSize - stream.pointee.avail_out
            if count > 0 { try output(UnsafeRawBufferPointer(start: buffer, count: count)) }
            if let failure = LZMAConstant.failure(result, memoryLimit: streamMemoryLimit) {
                throw failure
            }
            isAtEnd = result == LZMA_STREAM_END
        }
    }
}

/// Constants of liblzma that are function-like macros in its headers (lzma/container.h,
/// lzma/lzma12.h, lzma/vli.h), which Swift cannot import, and its result codes.
enum LZMAConstant {
    static let tellNoCheck: UInt32 = 0x01
    static let tellUnsupportedCheck: UInt32 = 0x02
    static let concatenated: UInt32 = 0x08
    static let lzma2: lzma_vli = 0x21
    static let endOfFilters = lzma_vli.max

    /// The failure for a result of the decoder; nil for success.
    static func failure(_ result: lzma_ret, memoryLimit: Int) -> Failure? {
        switch result {
        case LZMA_OK, LZMA_STREAM_END: nil
        case LZMA_MEMLIMIT_ERROR, LZMA_MEM_ERROR: .tooMuchMemory(memoryLimit)
        case LZMA_NO_CHECK, LZMA_UNSUPPORTED_CHECK:
            .damaged("The xz stream carries no check that could show damage.")
        case LZMA_FORMAT_ERROR: .damaged("These bytes are not an xz stream.")
        case LZMA_BUF_ERROR: .damaged("The xz stream is cut short or longer than it should be.")
        default: .damaged("The xz stream is damaged.")
        }
    }
}
