package import FilesinkiModel
import FilesinkiStore

/// The words of commands that a change in the log has as its reason, and the journal as its action. They are stored: another
/// word would not be found in what is there.
extension Change {
    /// A user brought back an older version.
    package static let restored = "restore"

    /// A user brought back what was deleted.
    package static let undeleted = "undelete"

    /// A user ended a conflict.
    static let resolved = "resolve"

    /// A user opened a conflict again.
    static let openedAgain = "undo"
}

/// The words that a commit has as its operation, where that is none of the reasons of its changes.
extension Commit {
    /// By such a commit, `delete` sends what is in place of a folder that it deletes, so that the history has it: `undelete`
    /// brings back the folder.
    static let deletion = "delete"

    /// Keeps in the history what gives way to a received version, or to a save.
    static let preservation = "preserve"

    /// Takes out of use what no kept version needs.
    static let prune = "prune"

    /// Ends, or records, what is damaged.
    static let repair = "repair"
}
