package import FilesinkiModel

extension Change {
    /// The name that its commit has taken from the path's content; nil where the commit renamed nothing to this path.
    ///
    /// An edit of a file that an earlier commit has renamed has the old name in ``movedFrom``, too. Its commit does not change
    /// the old name, and replaces what the new one had.
    ///
    /// - Parameter touched: All paths that the commit changes.
    package func origin(_ touched: Set<RelativePath>) -> RelativePath? {
        guard let movedFrom, isEditIfUntouched else { return movedFrom }
        return touched.contains(movedFrom) ? movedFrom : nil
    }

    /// Whether the change is no rename if its commit does not change the old name.
    fileprivate var isEditIfUntouched: Bool { movedFrom != nil && basedOn > 0 }
}

extension [Change] {
    /// The paths of all changes of a commit, as far as ``FilesinkiModel/Change/origin(_:)`` needs them for some of its
    /// changes.
    package func touched(for changes: [Change]) -> Set<RelativePath> {
        changes.contains(where: \.isEditIfUntouched) ? Set(lazy.map(\.path)) : []
    }
}
