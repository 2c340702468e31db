import FilesinkiModel
import FilesinkiStore

/// What a commit says of paths that somebody looks for in the log.
extension Commit {
    /// Its versions of paths: what lost a conflict at them, then what it put there. Without the names of renames: see
    /// ``named(_:)``, which costs a look at all changes.
    func versions(where isWanted: (RelativePath) -> Bool) -> [PathVersion] {
        let lost = superseded.filter { isWanted($0.path) }
        let present = changes.filter { isWanted($0.path) }
        let isAnyGone = present.contains { $0.entry.kind == .tombstone }
        let origins = isAnyGone ? oldNames : []
        let touched = changes.touched(for: present)
        return lost.map { version($0, isSuperseded: true, isMovedAway: false) }
            + present.map { change in
                let isGone = change.entry.kind == .tombstone
                var change = change
                change.movedFrom = change.origin(touched)
                return version(
                    change, isSuperseded: false,
                    isMovedAway: isGone && origins.contains(change.path))
            }
    }

    private func version(
        _ change: Change, isSuperseded: Bool, isMovedAway: Bool
    ) -> PathVersion {
        PathVersion(
            version: sequence, time: time, device: device, change: change,
            isSuperseded: isSuperseded, isMovedAway: isMovedAway,
            isOfDeletion: !isSuperseded && operation == Self.deletion)
    }

    /// One of its versions with the names that a rename of the commit has for it: the old one, and the new one.
    func named(_ version: PathVersion) -> PathVersion {
        var named = version
        named.change = withOrigin(version.change)
        if !version.isSuperseded {
            named.movedTo = goal(of: version.change)
            named.replacedName = goal(replacedBy: version.change)
        }
        return named
    }

    /// Which of some paths it has versions of; a folder has those of what is in it.
    func touched(where isNamed: (RelativePath) -> Bool) -> Set<RelativePath> {
        var touched: Set<RelativePath> = []
        for change in changes + superseded {
            touched.formUnion(([change.path] + change.path.ancestors).filter(isNamed))
        }
        return touched
    }
}
