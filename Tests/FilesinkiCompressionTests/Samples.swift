import FilesinkiModel
import FilesinkiTesting

/// Bytes to compress, the same in every run.
enum Sample {
    /// Text of some repetition.
    static let text = Array(
        (0..<400).map { "line \($0) of a text that repeats itself\n" }.joined().utf8)

    /// `zstd -3 --no-check` of "filesinki" ten times, made by zstd's own program (1.5.4).
    static let zstdGolden = unwrap("28b52ffd205a8500004866696c6573696e6b6901004eb41c01")

    /// `xz -6` of the same, made by xz's own program (5.4.1).
    static let xzGolden = unwrap(
        "fd377a585a000004e6d6b4460200210116000000742fe5a3e0005900105d00331a49d6bb960cb8a0"
            + "d4191be360000000ea3aa1f79ef2d30500012c5a6f6609921fb6f37d010000000004595a")

    static let goldenPlain = Array(String(repeating: "filesinki", count: 10).utf8)

    /// The bytes of hexadecimal digits; empty when they are none.
    static func unwrap(_ text: String) -> [UInt8] { bytes(hexadecimal: text) ?? [] }
}

/// What is compressed and decompressed again.
enum Input: CaseIterable {
    case nothing, oneByte, threeLetters, zeros, text, noise

    var bytes: [UInt8] {
        switch self {
        case .nothing: []
        case .oneByte: [7]
        case .threeLetters: Array("abc".utf8)
        case .zeros: Array(repeating: 0, count: 300_000)
        case .text: Sample.text
        case .noise: FilesinkiTesting.noise(50_000)
        }
    }
}

/// The code of the failure that `body` ends with; nil when it succeeds.
func failureCode(_ body: () throws -> Void) -> Failure.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? Failure)?.code
    }
}
