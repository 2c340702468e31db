package import FilesinkiModel

/// What git leaves out of a root without an ignore file of this program, and what is synced.
package struct ForeignExclusions: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What a `.gitignore` lists, where no settings say that it applies.
    package static let gitignored = ForeignExclusions(rawValue: 1)
    /// The repository itself.
    package static let repository = ForeignExclusions(rawValue: 2)

    /// When the user is told.
    package enum Moment: Sendable {
        /// Before the first sync, with a new store or none.
        case beforeSync
        /// Before the first sync with a store whose settings are not here yet.
        case beforeSyncWithStore
        /// Before the question of a `clone`, which syncs at once.
        case beforeClone
        /// After a `clone`, when the settings of the store are here.
        case afterClone
    }

    /// What the user should know.
    package func notices(_ moment: Moment, in root: String) -> [Failure] {
        if contains(.gitignored) { return [ofGitignored(moment, root)] }
        return contains(.repository) ? [Self.ofRepository(moment, root)] : []
    }

    private func ofGitignored(_ moment: Moment, _ root: String) -> Failure {
        let isStoreUnknown = moment == .beforeSyncWithStore || moment == .beforeClone
        let unless = isStoreUnknown ? ", unless the store's settings have gitignore = true" : ""
        var notice = Failure(
            .usage, path: root + "/.gitignore", "What git ignores by this file is synced\(unless).",
            remedy: "If it is not to be, " + Self.setting(moment, root))
        if contains(.repository) {
            let list =
                moment == .beforeClone ? Self.shown(".filesinkiignore", root) : ".filesinkiignore"
            notice.message += " The repository itself, .git, is synced, too."
            notice.remedy += " For .git, write the line .git into \(list)."
        }
        return notice
    }

    /// What makes a `.gitignore` apply.
    private static func setting(_ moment: Moment, _ root: String) -> String {
        switch moment {
        case .beforeSync, .beforeSyncWithStore:
            "before the first sync run filesinki config set gitignore true."
        case .beforeClone:
            "answer no, write the line gitignore = true at the top of \(shown(".filesinki.toml", root)), "
                + "and run clone again."
        case .afterClone:
            "run filesinki config set gitignore true, then filesinki sync. What was sent stays in the store: "
                + "filesinki ls -l marks it then, and filesinki delete --keep PATH deletes it there."
        }
    }

    /// The files of a repository belong together, and are merged one by one.
    private static func ofRepository(_ moment: Moment, _ root: String) -> Failure {
        let remedy =
            switch moment {
            case .beforeSync, .beforeSyncWithStore:
                "before the first sync write the line .git into .filesinkiignore."
            case .beforeClone:
                "answer no, write the line .git into \(shown(".filesinkiignore", root)), and run clone again."
            case .afterClone:
                "write the line .git into .filesinkiignore, and run filesinki sync. What was sent stays in the "
                    + "store: filesinki delete -r --keep .git deletes it there."
            }
        return Failure(
            .usage, path: root + "/.git", "This git repository is synced as any folder.",
            remedy: "If it is not to be, " + remedy)
    }

    private static func shown(_ name: String, _ root: String) -> String {
        printable("\(root)/\(name)".utf8)
    }
}

extension Replica {
    /// What git leaves out of a root, and what is synced, by the settings that are here.
    package static func foreignExclusions(_ options: ReplicaOptions) throws -> ForeignExclusions {
        try ForeignIgnoreFiles(options).exclusions()
    }
}
