import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiRules
import FilesinkiText

extension UnsentDeletions {
    /// Says where that is which comes back though it was only renamed here, and that no run has sent the rename. Of a
    /// folder, one line.
    ///
    /// - Parameter report: With what comes back.
    func notices(
        ofMoved wanted: [UnsentDeletion], _ report: RestoreReport
    ) throws -> [Problem] {
        let back = Set(report.restored)
        let moves = try wanted.compactMap { deletion -> (old: RelativePath, new: RelativePath)? in
            guard back.contains(deletion.path), let new = deletion.movedTo, try root.holds(new)
            else { return nil }
            return (old: deletion.path, new: new)
        }
        guard !moves.isEmpty else { return [] }
        var notices: [Problem] = []
        for top in report.restoredTops.sorted() {
            let inside = moves.filter { $0.old == top || $0.old.isInside(top) }
            guard let first = inside.first else { continue }
            let gone = wanted.map(\.path).filter { $0.isInside(top) }
            var whole = RenamedWhole(top, without: Set(gone))
            for move in inside { whole.add(move.old, at: move.new) }
            let isFolder = report.folders.contains(top)
            var message = "What was in it was moved: \(first.old) is \(first.new) now"
            message += inside.count == 1 ? "" : ", and others elsewhere"
            if let place = whole.place { message = "It was moved to \(place)" }
            notices.append(
                Problem(
                    top,
                    .copyOfUnsentMove(
                        top, message, "\(isFolder ? "rm -r" : "rm") \(placeWord(top))")))
        }
        return Array(notices.prefix(Self.noticed))
    }
}

extension Failure {
    /// - Parameter removal: The system's command that removes the copy: the store has the path still.
    fileprivate static func copyOfUnsentMove(
        _ path: RelativePath, _ what: String, _ removal: String
    ) -> Failure {
        Failure(
            .exists, path: path.bytes,
            "\(what), which is not sent yet; this is a copy, and the next sync sends what was moved as new.",
            remedy: "To send the move instead, remove the copy before, with \(removal).")
    }
}
