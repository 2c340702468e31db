import FilesinkiMerge
import FilesinkiModel

/// What a content is, as far as a merge goes by it.
enum ContentKind: String {
    case database = "a database"
    case json = "JSON"
    case text, other

    /// The kind that all versions have, by their bytes and not by their name.
    static func common(of folder: MergeFolder, hasBase: Bool) throws(Failure) -> ContentKind {
        let roles: [MergeFolder.Role] = hasBase ? [.base, .here, .there] : [.here, .there]
        var kinds: [ContentKind] = []
        for role in roles { kinds.append(try ContentKind(of: folder, role)) }
        guard let first = kinds.first else { return .other }
        if kinds.allSatisfy({ $0 == first }) { return first }
        // JSON is text; where one side is no JSON any more, its lines can still be merged.
        return kinds.allSatisfy { $0 == .json || $0 == .text } ? .text : .other
    }

    /// Whether a content of the other kind may stand where one of this kind stood.
    func covers(_ other: ContentKind) -> Bool { self == other || self == .text && other == .json }

    /// The kind of one version.
    init(of folder: MergeFolder, _ role: MergeFolder.Role) throws(Failure) {
        self = .other
        let head = try folder.read(role, first: 16)
        if head.elementsEqual("SQLite format 3\0".utf8) {
            self = .database
        } else if let bytes = try folder.read(role, limit: LinkRunner.memoryLimit),
            !bytes.contains(0)
        {
            self = Self.isContainer(bytes) && JSONMerge.isDocument(bytes) ? .json : .text
        }
    }

    /// Whether the first character begins an object or an array: a word or a number alone is text.
    private static func isContainer(_ bytes: [UInt8]) -> Bool {
        let blank: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        let first = bytes.first { !blank.contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
