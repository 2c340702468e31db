import FilesinkiModel

/// What a process that waits wants to be saved, beside the content.
struct SaveRequest: Equatable {
    var path: RelativePath
    /// Permission bits for a new file.
    var mode: UInt16
    /// When the content was given.
    var modified: Timestamp

    init(path: RelativePath, mode: UInt16, modified: Timestamp) {
        self.path = path
        self.mode = mode
        self.modified = modified
    }

    /// Nil for bytes that are no wish.
    init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 3, let path = FilesinkiModel.bytes(hexadecimal: String(words[0])),
            let path = try? RelativePath(path), let mode = UInt16(words[1]),
            let modified = Int64(words[2])
        else { return nil }
        self.init(path: path, mode: mode, modified: Timestamp(nanoseconds: modified))
    }

    var bytes: [UInt8] {
        Array("\(hexadecimal(path.bytes)) \(mode) \(modified.nanoseconds)".utf8)
    }
}
