import FilesinkiEngine
import FilesinkiModel

extension OpenConflicts {
    /// What `explain` says of a path of which a conflict is open, or that is the conflict copy of one; empty for any
    /// other.
    ///
    /// - Parameters:
    ///   - isIgnored: Whether the path is not synced here: no command chooses a version then.
    ///   - width: The columns of a line; nil for lines that are not broken.
    func explanation(of path: RelativePath, isIgnored: Bool, within width: Int?) -> [String] {
        all.filter { $0.path == path || $0.copy == path || $0.oldName == path }.flatMap {
            FlowText.lines(
                parts(of: $0, at: path, isIgnored), separator: " ", indent: "  ", within: width)
        }
    }

    private func parts(
        of conflict: OpenConflict, at path: RelativePath, _ isIgnored: Bool
    ) -> [String] {
        var parts = ["A conflict is open: both sides keep their own version."]
        if let copy = conflict.copy {
            parts =
                copy == path
                ? ["The other version of", "\(conflict.path),", "whose conflict is open."]
                : ["A conflict is open: the other version is in", "\(copy)."]
        }
        parts.append("See \(hints.text("filesinki conflicts")).")
        // Of a folder of which a part is here, that lists what is to be done before.
        guard !isIgnored, !conflict.isPartlyHeld else { return parts }
        let resolve = hints.text("filesinki resolve")
        let name = hints.word(self.name(of: conflict))
        parts.append("To end it: \(resolve) \(name) --take \(conflict.takeWords)")
        return parts
    }
}
