import FilesinkiEngine

/// Conflicts of folders of which a partial replica holds only a part.
extension OpenConflict {
    /// What comes before a resolve, which is refused until all of the folder is here; nil where nothing does.
    func firstSteps(_ hints: CommandHints) -> String? {
        guard isPartlyHeld else { return nil }
        let add = "\(hints.text("filesinki only add")) \(hints.word(path))"
        return "only a part of the folder is here, so first: \(add);  "
            + hints.text("filesinki sync")
    }
}
