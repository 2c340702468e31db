import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// Conflict copies that were edited after they had been made.
extension OpenConflict {
    /// What is said of the version that the conflict copy has; empty if nobody has edited it.
    var copyEditWords: String {
        if sides.unsentCopy != nil { return ", edited since, not yet synced" }
        return sides.isCopyEdited ? ", edited since" : ""
    }

    func addCopyEdit(to object: inout JSONObject) {
        if sides.isCopyEdited { object.add("copy_edited", true) }
        if sides.unsentCopy != nil { object.add("copy_unsent", true) }
    }

    /// Refuses to remove a conflict copy that was edited and that no run has sent yet.
    ///
    /// - Parameter isTakeable: Whether the same command may take it.
    /// - Throws: Code `usage`.
    func requireSentCopy(_ hints: CommandHints, isTakeable: Bool = true) throws(Failure) {
        guard sides.unsentCopy != nil else { return }
        var remedy = "Run filesinki sync first."
        // What is in place may not be replaced either.
        if isTakeable, sides.unsent == nil {
            remedy +=
                " To take what is in the copy, run filesinki resolve \(hints.word(path)) --take \(copyWord)."
        }
        throw Failure(
            .usage, path: path.bytes,
            "The conflict copy was edited here after the conflict was found, and is not synced yet: it would be removed.",
            remedy: remedy)
    }

    /// The word for the version that may be taken before a sync; nil where both may, or neither.
    var onlyWord: String? {
        switch (sides.unsent != nil, sides.unsentCopy != nil) {
        case (true, false) where !sides.isEditedHere: ShellWord.shown(keptWord.utf8)
        case (false, true): ShellWord.shown(copyWord.utf8)
        default: nil
        }
    }

    /// The word for the version of the conflict copy.
    private var copyWord: String {
        if !sides.isEditedHere, sides.here != nil { return sides.label(.ours) }
        return sides.side(named: "copy") == .ours ? "copy" : sides.label(.ours)
    }
}

/// The keys of a conflict whose copy was edited here and is not synced yet: none removes it.
extension ConflictKeys {
    /// The key that takes the conflict copy, and what it does; nil where what is in place may not be replaced either.
    private var copyKey: (key: String, name: String)? {
        if sides.isEditedHere { return ("c", "[c]opy") }
        if isHereUnsent { return nil }
        switch sides.here {
        case .ours: return ("h", "[h]ere")
        case .theirs: return ("t", "[t]here")
        case nil:
            let number = sides.inOrder[0] == .ours ? "1" : "2"
            return (number, "[\(number)] \(printable(sides.label(.ours).utf8))")
        }
    }

    var copyQuestion: String {
        (copyKey.map { $0.name + ", " } ?? "") + "[b]oth, [d]iff, [s]kip, [q]uit, [?]"
    }

    var copyHelp: [String] {
        let take = copyKey.map { ["  \($0.key)  take the conflict copy, which was edited since"] }
        return (take ?? []) + [
            "  b  keep both, as two files",
            "  d  show all differences", "  s  leave it open, and go on to the next",
            "  q  leave it open, and stop",
        ]
    }

    /// An answer, unless it would remove the conflict copy.
    func withoutLoss(_ answer: Answer?) -> Answer? {
        guard sides.unsentCopy != nil else { return answer }
        switch answer {
        case .take(.theirs), .edit, .tool:
            return .lost([
                "The conflict copy was edited here and is not synced yet: run sync first,",
                "then it can be removed.",
            ])
        default: return answer
        }
    }
}
