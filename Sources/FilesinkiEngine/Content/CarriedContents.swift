import FilesinkiModel
import FilesinkiStore

/// Contents of commits that were just read, so that writing them here needs no second reading.
struct CarriedContents: Sendable {
    private(set) var contents: [ContentID: [UInt8]] = [:]
    private var size = 0

    /// The most bytes that are kept, 16 MiB; what came later is read again when it is wanted.
    private static let limit = 16 << 20

    mutating func keep(_ inline: [InlineContent]) {
        for content in inline where size + content.bytes.count <= Self.limit {
            guard contents.updateValue(content.bytes, forKey: content.id) == nil else { continue }
            size += content.bytes.count
        }
    }
}
