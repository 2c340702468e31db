import CLZMA
import FilesinkiModel

/// Owns a liblzma stream and turns its crank; the encoder and the decoder differ only in how it is
/// set up.
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
