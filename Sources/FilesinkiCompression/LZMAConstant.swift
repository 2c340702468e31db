import CLZMA
import FilesinkiModel

/// Constants of liblzma that are function-like macros in its headers (lzma/container.h,
/// lzma/lzma12.h, lzma/vli.h), which Swift cannot see, and the meaning of its answers.
enum LZMAConstant {
    static let tellNoCheck: UInt32 = 0x01
    static let tellUnsupportedCheck: UInt32 = 0x02
    static let concatenated: UInt32 = 0x08
    static let lzma2: lzma_vli = 0x21
    static let endOfFilters = lzma_vli.max

    /// What an answer of a decoder means; nil when it went on well.
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
