import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// A commit as `log` shows it.
extension CommitSummary {
    /// The paths are the first ones, or all if all are listed.
    var json: JSONObject {
        var object: JSONObject = ["type": "commit"]
        object.add("sequence", sequence)
        object.add("time", time)
        object.add("device", device.name)
        object.add("device_id", hexadecimal(device.id))
        object.add("operation", operation)
        object.add("added", added)
        object.add("modified", modified)
        object.add("deleted", deleted)
        object.add("renamed", renamed)
        object.add("superseded", superseded)
        object.add("paths", .array(changes.map(\.path.jsonValue)))
        let renames = changes.compactMap(\.rename)
        object.add("renames", renames.isEmpty ? nil : .array(renames.map { .object($0) }))
        object.add(
            "kept_aside", keptAside.isEmpty ? nil : .array(keptAside.map(\.jsonValue)))
        object.add("left_off", leftOff > 0 ? leftOff : nil)
        return object
    }

    /// Adds the commit as a line: number, time, device, what it changed.
    ///
    /// - Parameter isFull: Whether the changes follow on lines of their own, so that the line counts them only.
    func add(to table: inout TextTable, now: Timestamp, isFull: Bool) {
        table.add(
            String(sequence), TimeText.day(time, now: now), printable(device.name.utf8),
            isFull ? counts : words)
    }

    /// The changes, a line each, then what the commit keeps in the history without a change of its path.
    var lines: [String] {
        changes.map { "    " + $0.text } + keptAside.map { "    kept aside  \($0)" }
    }

    /// How many changes are not listed.
    var leftOff: Int { max(0, count - changes.reduce(0) { $0 + $1.files }) }

    /// What leads to all changes of a commit.
    static func remedy(of number: UInt64) -> String {
        "To see what commit \(number) changed, use filesinki log --commit \(number), and for the lines "
            + "filesinki diff --commit \(number)."
    }

    /// `12 added, 3 deleted`
    private var counts: String {
        let numbers = [
            (added, "added"), (modified, "modified"), (deleted, "deleted"), (renamed, "renamed"),
        ]
        let words = numbers.filter { $0.0 > 0 }.map { "\(CountText.text($0)) \($1)" }
        return words.isEmpty ? otherWords : words.joined(separator: ", ")
    }

    /// What a commit did that changed no path.
    private var otherWords: String {
        superseded > 0
            ? "\(CountText.text(superseded, "version")) kept aside" : printable(operation.utf8)
    }

    private var words: String {
        var words = changes.map(\.text)
        if leftOff > 0 { words.append("and \(CountText.text(leftOff)) more") }
        if words.isEmpty { words.append(otherWords) }
        return words.joined(separator: "  ")
    }
}

extension CommitSummary.NamedChange {
    /// How many changes it stands for.
    fileprivate var files: Int {
        if case .renamed(_, let files?) = kind { files } else { 1 }
    }

    /// Both names of what was renamed, and whether it was edited, too; nil for any other change.
    fileprivate var rename: JSONObject? {
        var object: JSONObject = [:]
        object.add("path", path)
        switch kind {
        case .added, .modified, .deleted: return nil
        case .renamed(let origin, _): object.add("moved_from", origin)
        case .renamedAndEdited(let origin):
            object.add("moved_from", origin)
            object.add("edited", true)
        }
        return object
    }

    fileprivate var text: String {
        switch kind {
        case .added: "A \(path)\(isFolder ? "/" : "")"
        case .modified: "M \(path)"
        case .deleted: "D \(path)"
        case .renamed(let origin, nil): "R \(origin) -> \(path)"
        case .renamed(let origin, let files?):
            "R \(origin)/ -> \(path)/ (\(CountText.text(files, "file")))"
        case .renamedAndEdited(let origin): "M \(path) (renamed from \(origin))"
        }
    }
}
