import CLZMA
package import FilesinkiModel

/// Encodes and decodes whole .xz streams in memory.
package enum XZ {
    /// The memory that decoding may take beside the plain bytes: 64 MiB.
    package static let memoryLimit = 64 << 20

    /// Half of ``memoryLimit``, so that what is encoded here can always be decoded here.
    private static let largestDictionary: UInt32 = 32 << 20
    private static let smallestDictionary: UInt32 = 4096

    /// One .xz stream with a CRC64 and a dictionary no larger than the input: an encoder for a few
    /// bytes would otherwise allocate up to 95 MB at preset 6.
    ///
    /// - Parameter preset: 0 (fast) to 9 (small), as of `xz`.
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when the library refuses.
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

    /// The plain bytes of exactly one stream that carries a check.
    ///
    /// - Parameters:
    ///   - plainLength: How many bytes must come out; the caller has held it to a limit.
    ///   - memoryLimit: The most memory that the decoder may take for itself, in bytes.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the bytes are not one whole
    ///   stream of that length with a good check, and `limit` when its dictionary is too large.
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
