import CZlib
package import FilesinkiModel

/// Raw DEFLATE streams (RFC 1951) and their checksums, as archives in the ZIP format have them, in memory.
package enum Deflate {
    /// Neither a header nor a checksum around the stream, with the largest window.
    private static let rawWindow = -MAX_WBITS
    /// The memory for matches that zlib uses by default.
    private static let memoryLevel: Int32 = 8

    /// Compresses with zlib's default level. The bytes depend on the version of zlib.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` for 4 GiB or more, or when there is not enough memory.
    package static func compress(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        guard UInt32(exactly: bytes.count) != nil else {
            throw .compressorRefused("there are too many bytes")
        }
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, rawWindow, memoryLevel,
                Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw .compressorRefused("there is not enough memory") }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        let (result, output) = run(&stream, bytes[...], capacity: bound) {
            deflate(&$0, Z_FINISH)
        }
        guard result == Z_STREAM_END else {
            throw .compressorRefused("zlib answered \(result)")
        }
        return output
    }

    /// Decodes exactly one stream.
    ///
    /// - Parameter plainLength: The exact plain length. It is allocated, so the caller must limit it.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the bytes are not exactly one stream of that
    ///   length, `limit` when there is not enough memory.
    package static func decompress(
        _ bytes: ArraySlice<UInt8>, plainLength: Int
    ) throws(Failure) -> [UInt8] {
        guard UInt32(exactly: bytes.count) != nil, 0..<Int(UInt32.max) ~= plainLength else {
            throw .damaged("The DEFLATE stream has no valid length.")
        }
        var stream = z_stream()
        guard
            inflateInit2_(
                &stream, rawWindow, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw .tooMuchMemory(streamMemoryLimit) }
        defer { inflateEnd(&stream) }
        // One byte more, as a stream without room cannot show that it ends.
        let (result, plain) = run(&stream, bytes, capacity: plainLength + 1) {
            inflate(&$0, Z_FINISH)
        }
        guard result == Z_STREAM_END, plain.count == plainLength, stream.avail_in == 0 else {
            throw .damaged("The DEFLATE stream does not hold exactly \(plainLength) bytes.")
        }
        return plain
    }

    /// The CRC-32 of the ZIP format.
    package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBufferPointer { buffer in
            UInt32(truncatingIfNeeded: crc32_z(0, buffer.baseAddress, buffer.count))
        }
    }

    /// Gives all input and all room for the output to one call.
    private static func run(
        _ stream: inout z_stream, _ input: ArraySlice<UInt8>, capacity: Int,
        _ code: (inout z_stream) -> Int32
    ) -> (result: Int32, output: [UInt8]) {
        var result: Int32 = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            result = input.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(clamping: capacity)
                let result = code(&stream)
                stream.next_in = nil
                return result
            }
            count = capacity - Int(stream.avail_out)
        }
        return (result, output)
    }
}
