import CZstd
package import FilesinkiModel

/// Compresses bytes to Zstandard frames, one after the other, with one reused context: a frame of
/// 1 KB costs a third of what it costs with a new one. For one thread at a time.
package final class ZstdCompressor {
    private let context: OpaquePointer?
    private let level: Int32
    private var scratch = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// - Parameter level: 1 (fast) to 19 (small); zstd holds other values to its own limits.
    package init(level: Int32) {
        self.level = level
        context = ZSTD_createCCtx()
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
    }

    deinit {
        ZSTD_freeCCtx(context)
        scratch.deallocate()
    }

    /// One frame that says its plain length, without a checksum: what is stored is checked by its
    /// SHA-256.
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

    /// One frame of an array.
    package func compress(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
            try compress(UnsafeRawBufferPointer(buffer))
        }
    }
}
