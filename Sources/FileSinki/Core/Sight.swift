/// What a program has seen of a file.
enum Sight: Sendable, Equatable {
    /// That there is none.
    case absent
    case content([UInt8])
    /// A content that is too large to be kept in memory.
    case large(count: Int, hash: Int)

    /// Contents larger than this are not kept, in bytes.
    private static let keptBytes = 1 << 20

    init(_ content: [UInt8]?) {
        guard let content else {
            self = .absent
            return
        }
        guard content.count > Self.keptBytes else {
            self = .content(content)
            return
        }
        var hasher = Hasher()
        content.withUnsafeBytes { hasher.combine(bytes: $0) }
        self = .large(count: content.count, hash: hasher.finalize())
    }

    /// The content as a base for a merge; nil where there is none, or nobody has it.
    var base: [UInt8]? {
        if case .content(let content) = self { return content }
        return nil
    }
}
