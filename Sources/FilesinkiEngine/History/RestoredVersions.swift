import FilesinkiModel

extension Explanation {
    /// Names the versions of the path itself that `restore` and `undelete` have put in place again. The journal has one number
    /// for all that a command has written: that of the folder, or of the commit that was asked for.
    mutating func nameOwnVersions() {
        for index in actions.indices {
            if let own = ownVersion(of: actions[index]) { actions[index].baseVersion = own }
        }
    }

    /// The version of the path that a command has put in place again; nil for another action, and where the log does not have it.
    private func ownVersion(of action: RecordedAction) -> UInt64? {
        guard action.baseVersion > 0, action.version > action.baseVersion else { return nil }
        let older = versions.filter {
            $0.version < action.version && $0.change.entry.kind != .tombstone
        }
        switch action.action {
        case Change.restored:
            return older.first { $0.version <= action.baseVersion }?.version
        case Change.undeleted:
            let made = versions.first { $0.version == action.version && !$0.isSuperseded }
            guard let entry = made?.change.entry else { return nil }
            let same = older.filter { $0.change.entry.hasSameContent(as: entry) }
            return (same.first { $0.change.entry.agrees(with: entry) } ?? same.first)?.version
        default:
            return nil
        }
    }
}
