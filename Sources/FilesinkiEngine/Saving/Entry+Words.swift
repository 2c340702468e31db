import FilesinkiModel

/// Files in the notes that processes leave each other, which are lines of words.
extension Entry {
    /// A file's content, size, mode and time. What else may be at a path is in no note.
    var fileWords: String { "\(content) \(size) \(mode) \(modified.nanoseconds)" }

    /// Nil for words that ``fileWords`` cannot have made.
    init?(fileWords words: some Collection<String>) {
        let words = Array(words)
        guard words.count == 4, let content = ContentID(hexadecimal: words[0]),
            let size = Int64(words[1]), let mode = UInt16(words[2]), let modified = Int64(words[3])
        else { return nil }
        self = .file(content, size: size, mode: mode, modified: Timestamp(nanoseconds: modified))
    }
}
