import FilesinkiModel
import FilesinkiText

/// Two contents of a path to be compared, and what they are called.
struct Difference {
    var path: RelativePath
    var old: [UInt8]
    var oldName: String
    var new: [UInt8]
    var newName: String
    /// Whether the new content is none, as the file was deleted.
    var isDeleted = false
    /// What is said in place of lines; nil where the contents are compared.
    var note: String?
    /// What tells more of two contents that are not text than that they differ; nil for none.
    var step: String?

    /// The name of the content of a path that was not there, as in git.
    static let nothing = "/dev/null"

    /// The name of the content that a person looks for.
    var shownName: String { newName == Self.nothing ? oldName : newName }

    var isSome: Bool { old != new || isDeleted || note != nil }

    /// Of a deletion, that it is one: nobody has to read what is gone.
    func lines(_ style: TerminalStyle) -> [[UInt8]] {
        if let note { return [Array("\(shownName): \(note)".utf8)] }
        if isDeleted { return [Array("\(newName): deleted".utf8)] }
        return UnifiedDiff(old, new).lines(oldName, newName, style)
    }

    /// How many lines were added and removed; nil where the contents are not compared by lines.
    var counts: (added: Int, removed: Int)? {
        note == nil ? UnifiedDiff(old, new).counts : nil
    }

    /// What stands in the table of `--stat` in place of counts.
    var countless: String { note ?? "binary" }

    var json: JSONObject {
        var object: JSONObject = ["type": "difference"]
        object.add("path", path)
        object.add("old", oldName)
        object.add("new", newName)
        object.add("added", counts?.added)
        object.add("removed", counts?.removed)
        let plain =
            note == nil
            ? UnifiedDiff(old, new).lines(oldName, newName, TerminalStyle(isEnabled: false))
            : lines(TerminalStyle(isEnabled: false))
        object.add("diff", bytes: plain.flatMap { $0 + [0x0A] })
        return object
    }
}
