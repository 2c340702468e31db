import FilesinkiModel
import FilesinkiText

extension Entry {
    /// Adds what the entry says to an object: kind, mode, size, time, content, target.
    func describe(in object: inout JSONObject) {
        object.add("kind", kindWord)
        if kind == .tombstone { return }
        if kind != .symlink { object.add("mode", octalMode) }
        object.add("modified", modified)
        if kind == .file {
            object.add("size", size)
            object.add("content", content.description)
        }
        if kind == .symlink { object.add("target", bytes: target) }
    }

    /// `file`, `directory`, `symlink` or `tombstone`.
    var kindWord: String {
        switch kind {
        case .file: "file"
        case .directory: "directory"
        case .symlink: "symlink"
        case .tombstone: "tombstone"
        }
    }

    /// The permission bits as `0644`.
    var octalMode: String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Kind and permissions as `ls -l` shows them.
    var symbolicMode: String {
        let bits = Array("rwxrwxrwx")
        let letters = bits.enumerated().map { mode >> (8 - $0.offset) & 1 == 1 ? $0.element : "-" }
        switch kind {
        case .directory: return "d" + String(letters)
        case .symlink: return "lrwxrwxrwx"
        case .file, .tombstone: return "-" + String(letters)
        }
    }
}
