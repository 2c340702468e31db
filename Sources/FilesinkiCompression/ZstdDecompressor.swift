import CZstd
package import FilesinkiModel

/// Decompresses Zstandard frames, one after the other, with one reused context. For one thread at a
/// time.
package final class ZstdDecompressor {
    /// The largest window of a frame that is decoded piece by piece: 2 to the power of 27 bytes
    /// (128 MiB), zstd's own limit for frames of unknown origin.
    static let maximumWindowLog: Int32 = 27

    private static let frameMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    private let context: OpaquePointer?

    package init() {
        context = ZSTD_createDCtx()
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.maximumWindowLog)
    }

    deinit { ZSTD_freeDCtx(context) }

    /// The plain bytes of exactly one frame.
    ///
    /// The bytes are decoded in one step into a buffer of `plainLength`, which serves as the
    /// window: whatever the frame claims of itself, nothing more is allocated.
    ///
    /// - Parameter plainLength: How many bytes must come out; the caller has held it to a limit.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the bytes are not one whole
    ///   frame that says and holds exactly that length, or anything follows it.
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

    /// The plain bytes of an array.
    package func decompress(_ bytes: [UInt8], plainLength: Int) throws(Failure) -> [UInt8] {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
            try decompress(UnsafeRawBufferPointer(buffer), plainLength: plainLength)
        }
    }
}
